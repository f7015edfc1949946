import { JsonReader } from '../records/json-reader';

/** The body of a response that n8n returns as a stream. */
export type ResponseStream = AsyncIterable<Uint8Array>;

/** What is read of a body that only matters as an error: a broken server may never stop sending. */
export const MAX_ERROR_BODY_BYTES = 1_000_000;

/** What is read of a body that turns out not to be JSON, which no service here sends on purpose. */
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
	for await (const piece of stream) {
		reader.push(decoder.decode(piece, { stream: true }));
		bytes += piece.length;
		if (bytes >= (reader.isJson ? maxBytes : Math.min(maxBytes, MAX_TEXT_BODY_BYTES))) break;
	}
	reader.push(decoder.decode());
	return reader.end();
}
