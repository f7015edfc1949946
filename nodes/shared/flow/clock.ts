/** Time and randomness, injected so that everything that waits can be tested without waiting. */
export interface Clock {
	/** Milliseconds of a clock that never jumps: only differences mean something. */
	now(): number;
	/** Resolves after this many milliseconds, or as soon as `wake` is aborted. Never rejects. */
	sleep(ms: number, wake?: AbortSignal): Promise<void>;
	/** From 0 up to 1. */
	random(): number;
}
