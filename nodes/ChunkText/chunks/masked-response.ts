import type { IDataObject } from 'n8n-workflow';

import { MAX_SECRET_CHARACTERS } from '../../shared/service/limits';
import { isObject } from '../../shared/service/json';
import type { Session } from '../../shared/n8n/session/session';

/** What the service makes of a text: returned as it came, since a copy would double its memory. */
const CONTENT = ['chunks', 'spans', 'vectors'];

/** Longer texts are searched in slices of this many characters, so that n8n stays responsive. */
const SLICE_CHARACTERS = 250_000;

/**
 * A chunking response without the secrets it may repeat, to be returned as it is. Chunks are not
 * searched: they are the user's own text, and may be 100 MB. In JSON that could not be read they cannot
 * be told from the rest.
 *
 * @param breathe called between two slices of a long text
 */
export async function maskedResponse(
	session: Session,
	body: unknown,
	breathe: () => Promise<void> | undefined,
): Promise<IDataObject> {
	if (typeof body === 'string' && body.length > SLICE_CHARACTERS) {
		return (await maskedText(session, body, breathe)) as unknown as IDataObject;
	}
	if (!isObject(body)) return session.masked(body) as IDataObject;
	const { chunkedData, vector, ...rest } = body;
	const entries = Array.isArray(chunkedData)
		? chunkedData.map((entry: unknown) => maskedEntry(session, entry))
		: session.masked(chunkedData);
	return {
		...(session.masked(rest) as IDataObject),
		...(chunkedData !== undefined && { chunkedData: entries as IDataObject[] }),
		...(vector !== undefined && { vector: vector as IDataObject[] }),
	};
}

/** A long text without the slices that a secret touches. */
async function maskedText(
	session: Session,
	text: string,
	breathe: () => Promise<void> | undefined,
): Promise<string> {
	let masked = '';
	for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
		await breathe();
		const end = at + SLICE_CHARACTERS;
		const around = text.slice(
			Math.max(0, at - MAX_SECRET_CHARACTERS),
			end + MAX_SECRET_CHARACTERS,
		);
		masked += session.masked(around) === around ? text.slice(at, end) : '***';
	}
	return masked;
}

function maskedEntry(session: Session, entry: unknown): unknown {
	if (!isObject(entry)) return session.masked(entry);
	const content = Object.entries(entry).filter(([name]) => CONTENT.includes(name));
	const rest = Object.entries(entry).filter(([name]) => !CONTENT.includes(name));
	const masked = session.masked(Object.fromEntries(rest)) as IDataObject;
	return { ...masked, ...Object.fromEntries(content) };
}
