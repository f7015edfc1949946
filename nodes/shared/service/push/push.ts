import { InputError, messageOf } from '../input-error';
import { unpackVector } from '../chunking/vector';

/**
 * Maximum size of a push request, in bytes. The service silently ignores larger requests (docs/service-interface.md,
 * Limits).
 */
export const MAX_PUSH_BYTES = 5_000_000;

/** A document as the service accepts it (docs/service-interface.md, Push documents). */
export interface PushDocument {
	id: string;
	name: string;
	[field: string]: unknown;
}

/**
 * Returns the JSON of a document.
 *
 * @param original original JSON of the document, which is faster and keeps numbers of any length
 * @throws InputError if the document cannot become JSON, for example because it contains itself
 */
export function documentText(document: PushDocument, original?: string): string {
	const unpacked = withVectors(document);
	if (original !== undefined && unpacked === document) return original;
	let reason = '';
	try {
		return JSON.stringify(unpacked);
	} catch (error) {
		// For a document that contains itself, the message has several lines. Only the first one is needed.
		[reason = ''] = messageOf(error).split('\n');
	}
	throw new InputError(
		`the document cannot be written as JSON (${reason})`,
		'Before this node, reduce it to text, numbers, booleans, lists and objects.',
	);
}

/** Minimum length of a packed vector. A shorter string, such as `u8:main`, is a text of the user. */
const MIN_VECTOR_CHARACTERS = 64;

/** Replaces packed vectors with lists of numbers, because search indexes expect lists. */
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
 * Returns the body of a push request: one document, or a list of several.
 *
 * @param documents JSON of each document, and its size in bytes
 * @param bytes size of the body
 */
export function pushBody(
	documents: ReadonlyArray<{ text: string; bytes: number }>,
	bytes: number,
): Uint8Array {
	const body = Buffer.allocUnsafe(bytes);
	// The body is written in pieces. Joining the documents to a string first would need three times the memory.
	let at = documents.length === 1 ? 0 : body.write('[');
	for (const [index, document] of documents.entries()) {
		if (index > 0) body[at++] = COMMA;
		// If the number of bytes is the number of characters, the text is ASCII, for which latin1 is faster.
		const isAscii = document.text.length === document.bytes;
		at += body.write(document.text, at, isAscii ? 'latin1' : 'utf8');
	}
	if (documents.length !== 1) body.write(']', at);
	return body;
}

/** Bytes of a list that belong to no document: two brackets, and a comma between two documents. */
export const PUSH_BODY_BYTES = { envelopeBytes: 2, separatorBytes: 1 };
