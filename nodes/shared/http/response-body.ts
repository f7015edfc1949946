/** The body of a response that n8n returns as a stream. */
export type ResponseStream = AsyncIterable<Uint8Array>;

/** Six times what the largest documented results have (docs/service-interface.md, Limits). */
export const MAX_BODY_BYTES = 64_000_000;

/** Of an error only the words are shown, and a broken server may never stop sending. */
const MAX_ERROR_BODY_BYTES = 1_000_000;

/** Maximum bytes of all bodies that are being collected in this process. */
const MAX_COLLECTED_BYTES = 128_000_000;

interface Body {
	pieces: Uint8Array[];
	bytes: number;
}

/** The bodies that are being collected, the oldest first. */
const bodies = new Set<Body>();
/** Wakes the bodies that wait for room. */
const waiting = new Set<() => void>();
const wakeAll = () => {
	for (const wake of waiting) wake();
	waiting.clear();
};

/**
 * Collects a body and parses it once.
 *
 * @param isSuccess whether the response is a success: an error is cut much earlier
 * @param signal aborted when nobody waits for it any longer
 * @returns the body as parsed JSON, or as text if it is not JSON; `isCut` if it is longer than allowed
 * @throws whatever breaks the stream
 */
export async function collected(
	stream: ResponseStream,
	isSuccess: boolean,
	signal: AbortSignal,
): Promise<{ body: unknown; isCut: boolean }> {
	const maxBytes = isSuccess ? MAX_BODY_BYTES : MAX_ERROR_BODY_BYTES;
	const body: Body = { pieces: [], bytes: 0 };
	bodies.add(body);
	try {
		for await (const piece of stream) {
			while (!mayGrow(body) && !signal.aborted)
				await new Promise<void>((wake) => {
					waiting.add(wake);
					// The same one each time, so that it is added once.
					signal.addEventListener('abort', wakeAll);
				});
			signal.throwIfAborted();
			body.pieces.push(piece);
			body.bytes += piece.length;
			if (body.bytes > maxBytes) break;
		}
		const isCut = body.bytes > maxBytes;
		// Many services answer without a body, and finding out that it is no JSON is slow.
		if (body.bytes === 0) return { body: '', isCut };
		const text = isCut && isSuccess ? '' : new TextDecoder().decode(Buffer.concat(body.pieces));
		try {
			return { body: JSON.parse(text) as unknown, isCut };
		} catch {
			return { body: text, isCut };
		}
	} finally {
		bodies.delete(body);
		wakeAll();
	}
}

/** The oldest body may always grow, so that none waits for ever; the others share what is left beside it. */
function mayGrow(body: Body): boolean {
	const [oldest, ...others] = bodies;
	const bytes = others.reduce((sum, other) => sum + other.bytes, 0);
	return body === oldest || bytes < MAX_COLLECTED_BYTES - MAX_BODY_BYTES;
}
