import type { IExecuteFunctions } from 'n8n-workflow';

import { JsonReader } from '../records/json-reader';

/** The body of a reply that n8n hands over as a stream. */
export type ReplyStream = AsyncIterable<Uint8Array>;

/**
 * Reads a body as it arrives.
 *
 * @param silenceMs how long the service may send nothing: n8n's own time-out ends with the headers
 * @param request aborted after such a silence, with an error of code ETIMEDOUT as the reason
 * @returns parsed JSON, or the text where it is none
 * @throws whatever breaks the stream
 */
export async function readBody(
	stream: ReplyStream,
	silenceMs: number,
	request: AbortController,
): Promise<unknown> {
	const decoder = new TextDecoder();
	const reader = new JsonReader();
	const watch = new SilenceWatch(silenceMs, request);
	for await (const piece of stream) {
		watch.heard();
		reader.push(decoder.decode(piece, { stream: true }));
	}
	return reader.end();
}

/** Aborts a request whose reply has been silent for too long. */
class SilenceWatch {
	private heardAt = Date.now();

	constructor(
		private readonly silenceMs: number,
		private readonly request: AbortController,
	) {
		this.wait(silenceMs);
	}

	heard(): void {
		this.heardAt = Date.now();
	}

	private wait(ms: number): void {
		// Unlike `sleep`, it keeps no process alive, so that it need not be ended with the reply.
		AbortSignal.timeout(ms).addEventListener('abort', () => {
			const left = this.heardAt + this.silenceMs - Date.now();
			if (left > 0) return this.wait(left);
			this.request.abort(Object.assign(new Error('No more came'), { code: 'ETIMEDOUT' }));
		});
	}
}

/** A context whose requests end with the execution, as all do, and also with a signal of their own. */
export function withSignal(context: IExecuteFunctions, signal: AbortSignal): IExecuteFunctions {
	const signals = [context.getExecutionCancelSignal(), signal].filter(
		(each) => each !== undefined,
	);
	const either = AbortSignal.any(signals);
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => either },
	}) as IExecuteFunctions;
}
