export type ResponseStream = AsyncIterable<Uint8Array>;

/**
 * Maximum size of a response, in bytes. The largest known results need a sixth of it (docs/service-interface.md,
 * Limits).
 */
export const MAX_BODY_BYTES = 64_000_000;

/**
 * Maximum size of an error response, in bytes. Only its message is shown, and a broken server might send without end.
 */
const MAX_ERROR_BODY_BYTES = 1_000_000;

/**
 * Reads the body of a response, and parses it once.
 *
 * @param isSuccess whether the status is a success. For all others, the size limit is much lower
 * @param signal is aborted as soon as nobody waits for the body
 * @returns parsed JSON, or a string if the body is not JSON. `isCut` is true if the body was larger than the limit
 * @throws the error that interrupted the stream
 */
export async function collectBody(
	stream: ResponseStream,
	isSuccess: boolean,
	signal: AbortSignal,
): Promise<{ body: unknown; isCut: boolean }> {
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
	// Many services send an empty body. Parsing an empty string is slow, because it throws an error.
	if (bytes === 0) return { body: '', isCut };
	const text = isCut && isSuccess ? '' : new TextDecoder().decode(Buffer.concat(pieces));
	try {
		return { body: JSON.parse(text) as unknown, isCut };
	} catch {
		return { body: text, isCut };
	}
}
