import { JsonReader } from '../records/json/json-reader';
import { beginsAsJson } from '../service/chunking/chunking';

/** The body of a response that n8n returns as a stream. */
export type ResponseStream = AsyncIterable<Uint8Array>;

/** What is read of a body that only matters as an error: a broken server may never stop sending. */
export const MAX_ERROR_BODY_BYTES = 1_000_000;

/** What is read of a body that is no JSON from its beginning, such as the page of a proxy. */
const MAX_TEXT_BODY_BYTES = 10_000_000;

/**
 * What is read of a response to a push, a delete or a migration. No request has more than 5 MB, so this
 * is enough for one that repeats its documents several times.
 */
export const MAX_BODY_BYTES = 32_000_000;

/**
 * What is read of chunking results. Within the limits of the interface they have about 10 MB: 6,500 chunks
 * with 256 quantized numbers each, and 1 MB of text (docs/service-interface.md, Limits).
 */
export const MAX_RESULTS_BYTES = 256_000_000;

/**
 * The same body, as long as it is not too long.
 *
 * @throws what `tooLong` returns after more than `maxBytes`: the rest is not read and the connection closed
 */
export async function* limited(
	stream: ResponseStream,
	maxBytes: number,
	tooLong: () => Error,
): AsyncGenerator<Uint8Array, void, undefined> {
	let bytes = 0;
	for await (const piece of stream) {
		bytes += piece.length;
		if (bytes > maxBytes) throw tooLong();
		yield piece;
	}
}

/**
 * Reads a body as it arrives, so that a large one is not parsed in one step.
 *
 * @param maxBytes where to stop: the rest is discarded and the connection closed
 * @param mask what becomes of each part of it, such as without secrets
 * @returns parsed JSON, or the text if it is not JSON (see JsonReader)
 * @throws whatever breaks the stream
 */
export async function readBody(
	stream: ResponseStream,
	maxBytes: number,
	mask?: (value: unknown) => unknown,
): Promise<unknown> {
	const decoder = new TextDecoder();
	const reader = new JsonReader(mask);
	let bytes = 0;
	let limit = maxBytes;
	for await (const piece of stream) {
		const text = decoder.decode(piece, { stream: true });
		// Damaged JSON is read to its end: it may be results that come only once.
		if (bytes === 0 && !beginsAsJson(text)) limit = Math.min(maxBytes, MAX_TEXT_BODY_BYTES);
		reader.push(text);
		bytes += piece.length;
		if (bytes >= limit) break;
	}
	// Many services answer without a body, and finding out that it is no JSON is slow.
	if (bytes === 0) return '';
	reader.push(decoder.decode());
	return reader.end();
}
