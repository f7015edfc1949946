import { isPage } from '../service/page';

export type ResponseStream = AsyncIterable<Uint8Array>;

/**
 * Maximum size of a response, in bytes. The largest documented results are one sixth of this size
 * (docs/service-interface.md, Limits).
 */
export const MAX_BODY_BYTES = 64_000_000;

/**
 * Maximum size of an error response, in bytes. Only the message in the response is shown. A broken server might never
 * stop sending data.
 */
const MAX_ERROR_BODY_BYTES = 1_000_000;

/**
 * Collects the body of a response and parses it once.
 *
 * @param headers the headers of the response. Their names are in lowercase
 * @param isSuccess whether the response is a success. The size limit for error responses is much lower
 * @param signal signal that is aborted once nothing is waiting for the body anymore
 * @returns the body as parsed JSON, or as a string if it is not JSON. `isCut` is true if the body exceeds the size
 *   limit
 * @throws the error that interrupts the stream, or a TypeError if the body is compressed in a way that n8n does not
 *   support
 */
export async function collectBody(
	stream: ResponseStream,
	headers: Readonly<Record<string, unknown>>,
	isSuccess: boolean,
	signal: AbortSignal,
): Promise<{ body: unknown; isPage: boolean; isCut: boolean }> {
	const maxBytes = isSuccess ? MAX_BODY_BYTES : MAX_ERROR_BODY_BYTES;
	const pieces: Uint8Array[] = [];
	let bytes = 0;
	for await (const piece of stream) {
		signal.throwIfAborted();
		pieces.push(piece);
		bytes += piece.length;
		if (bytes > maxBytes) break;
	}
	const isCut = bytes > maxBytes;
	// Many services answer without a body. Trying to parse an empty string is slow, because the parser throws an error.
	if (bytes === 0) return { body: '', isPage: false, isCut };
	// n8n removes this header when it decompresses the body. Some servers write other words here, such as 'utf-8'.
	const fatal = (headers['content-encoding'] ?? 'identity') !== 'identity';
	const decoder = new TextDecoder('utf-8', { fatal });
	const text = isCut && isSuccess ? '' : decoder.decode(Buffer.concat(pieces));
	try {
		return { body: JSON.parse(text) as unknown, isPage: false, isCut };
	} catch {
		return { body: text, isPage: isPage(text, String(headers['content-type'] ?? '')), isCut };
	}
}
