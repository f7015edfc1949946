import type { IDataObject } from 'n8n-workflow';

import type { Session } from '../shared/n8n/session';

/** What the service makes of a text: returned as it came, since a copy would double its memory. */
const CONTENT = ['chunks', 'spans', 'vectors'];

/**
 * A chunking response without the secrets it may repeat, to be returned as it is. Chunks are not
 * searched: they are the user's own text, and may be 100 MB.
 */
export function maskedResponse(session: Session, body: unknown): IDataObject {
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

function maskedEntry(session: Session, entry: unknown): unknown {
	if (!isObject(entry)) return session.masked(entry);
	const content = Object.entries(entry).filter(([name]) => CONTENT.includes(name));
	const rest = Object.entries(entry).filter(([name]) => !CONTENT.includes(name));
	const masked = session.masked(Object.fromEntries(rest)) as IDataObject;
	return { ...masked, ...Object.fromEntries(content) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
