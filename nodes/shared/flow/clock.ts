/** Time and chance, so that everything that waits can be tested without waiting. */
export interface Clock {
	/** Epoch ms. */
	now(): number;
	/** Resolves after so many ms; rejects when the run is cancelled. */
	sleep(ms: number): Promise<void>;
	/** From 0 up to 1. */
	random(): number;
}
