import { InputError, messageOf } from '../input-error';
import { unpackVector } from '../chunking/vector';

/** Largest push the service indexes; a larger one is silently ignored (docs/service-interface.md, Limits). */
export const MAX_PUSH_BYTES = 5_000_000;

/** A document as the service takes it (docs/service-interface.md, Push documents). */
export interface PushDocument {
	id: string;
	name: string;
	[field: string]: unknown;
}

/**
 * JSON of a document, for the body of a push.
 *
 * @param original its JSON as it came in, which is faster to send and keeps numbers of any length
 * @throws InputError for a document that cannot be written as JSON, such as one that contains itself
 */
export function documentText(document: PushDocument, original?: string): string {
	const unpacked = withVectors(document);
	if (original !== undefined && unpacked === document) return original;
	let reason = '';
	try {
		return JSON.stringify(unpacked);
	} catch (error) {
		// The message about a circular structure has several lines.
		[reason = ''] = messageOf(error).split('\n');
	}
	throw new InputError(
		`the document cannot be written as JSON (${reason})`,
		'Before this node, reduce it to text, numbers, booleans, lists and objects.',
	);
}

/** Shorter texts that look like a packed vector, such as `u8:main`, are taken for the user's own. */
const MIN_VECTOR_CHARACTERS = 64;

/** A document whose packed vectors are lists of numbers, as search indexes want them. */
function withVectors(document: PushDocument): PushDocument {
	let unpacked: PushDocument | undefined;
	for (const field in document) {
		const value = document[field];
		if (typeof value !== 'string' || field === 'id' || field === 'name') continue;
		const mayBeVector = field === 'vector' || value.length >= MIN_VECTOR_CHARACTERS;
		const vector = mayBeVector ? unpackVector(value) : undefined;
		if (vector === undefined) continue;
		unpacked ??= { ...document };
		unpacked[field] = vector;
	}
	return unpacked ?? document;
}

const COMMA = ','.charCodeAt(0);

/**
 * Body of a push: one document as an object, several as a list.
 *
 * @param documents their JSON, and its bytes
 * @param bytes of the body
 */
export function pushBody(
	documents: ReadonlyArray<{ text: string; bytes: number }>,
	bytes: number,
): Uint8Array {
	const body = Buffer.allocUnsafe(bytes);
	// Written piece by piece: the body as one text, made of others, would be in memory three times.
	let at = documents.length === 1 ? 0 : body.write('[');
	for (const [index, document] of documents.entries()) {
		if (index > 0) body[at++] = COMMA;
		// A text with one byte for each character is ASCII, which this writes fastest.
		const isAscii = document.text.length === document.bytes;
		at += body.write(document.text, at, isAscii ? 'latin1' : 'utf8');
	}
	if (documents.length !== 1) body.write(']', at);
	return body;
}

/** Bytes that a push of several documents needs beside them: the brackets, and commas in between. */
export const PUSH_BODY_BYTES = { envelopeBytes: 2, separatorBytes: 1 };
