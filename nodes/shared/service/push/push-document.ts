import { InputError, messageOf } from '../input-error';
import { unpackVector } from '../chunking/vector';

/**
 * Maximum size of a push request, in bytes. Larger requests are not indexed, and the response to them is not documented
 * (docs/service-interface.md, Limits).
 */
export const MAX_PUSH_BYTES = 5_000_000;

/** A document in the format that the service accepts (docs/service-interface.md, Push documents). */
export interface PushDocument {
	id: string;
	name: string;
	[field: string]: unknown;
}

/**
 * Returns a document's JSON for the body of a push request.
 *
 * @param original the document's original JSON. Sending the original JSON is faster and preserves numbers of any length
 * @throws InputError if the document cannot be written as JSON, for example because it contains itself
 */
export function documentText(document: PushDocument, original?: string): string {
	const unpacked = withVectors(document);
	if (original !== undefined && unpacked === document) return original;
	let reason = '';
	try {
		return JSON.stringify(unpacked);
	} catch (error) {
		// The error message about a circular structure has several lines. Only the first line is used.
		[reason = ''] = messageOf(error).split('\n');
	}
	throw new InputError(
		`the document cannot be written as JSON (${reason})`,
		'Before this node, reduce it to text, numbers, booleans, lists and objects.',
	);
}

/**
 * Minimum length of a packed vector. A shorter string that looks like a vector, such as `u8:main`, is the
 * user's own text.
 */
const MIN_VECTOR_CHARACTERS = 64;

/** Replaces packed vectors in a document with lists of numbers, because search indexes expect lists. */
function withVectors(document: PushDocument): PushDocument {
	let copy: PushDocument | undefined;
	for (const field in document) {
		const value = document[field];
		if (typeof value !== 'string' || field === 'id' || field === 'name') continue;
		const mayBeVector = field === 'vector' || value.length >= MIN_VECTOR_CHARACTERS;
		const vector = mayBeVector ? unpackVector(value) : undefined;
		if (vector === undefined) continue;
		copy ??= { ...document };
		copy[field] = vector;
	}
	return copy ?? document;
}

const COMMA = ','.charCodeAt(0);

/**
 * Returns the body of a push request. A single document is sent as an object, and several documents are
 * sent as a list.
 *
 * @param documents each document's JSON and its size in bytes
 * @param bytes size of the body
 */
export function pushBody(
	documents: ReadonlyArray<{ text: string; bytes: number }>,
	bytes: number,
): Uint8Array {
	const body = Buffer.allocUnsafe(bytes);
	// The body is written piece by piece. If the documents were first joined into a string, they would be
	// in memory three times.
	let at = documents.length === 1 ? 0 : body.write('[');
	for (const [index, document] of documents.entries()) {
		if (index > 0) body[at++] = COMMA;
		// If a string has one byte per character, it is ASCII. Writing ASCII as latin1 is fastest.
		const isAscii = document.text.length === document.bytes;
		at += body.write(document.text, at, isAscii ? 'latin1' : 'utf8');
	}
	if (documents.length !== 1) body.write(']', at);
	return body;
}

/**
 * Number of bytes that a JSON list needs in addition to its documents: the brackets around the list, and the
 * comma between two documents.
 */
export const PUSH_BODY_BYTES = { envelopeBytes: 2, separatorBytes: 1 };
