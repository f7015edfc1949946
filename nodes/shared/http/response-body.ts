import { JsonReader } from '../records/json-reader';
import { beginsAsJson } from '../service/chunking';

/** The body of a response that n8n returns as a stream. */
export type ResponseStream = AsyncIterable<Uint8Array>;

/** What is read of a body that only matters as an error: a broken server may never stop sending. */
export const MAX_ERROR_BODY_BYTES = 1_000_000;

/** What is read of a body that is no JSON from its beginning, such as the page of a proxy. */
const MAX_TEXT_BODY_BYTES = 10_000_000;

/**
 * Reads a body as it arrives, so that a large one is not parsed in one step.
 *
 * @param maxBytes where to stop: the rest is discarded and the connection closed
 * @returns parsed JSON, or the text if it is not JSON (see JsonReader)
 * @throws whatever breaks the stream
 */
export async function readBody(stream: ResponseStream, maxBytes: number): Promise<unknown> {
	const decoder = new TextDecoder();
	const reader = new JsonReader();
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
	reader.push(decoder.decode());
	return reader.end();
}
