/** Time and randomness. They are injected so that tests of code that waits need not wait. */
export interface Clock {
	/** Milliseconds of a clock that never jumps. Only differences of two times are meaningful. */
	now(): number;
	/** Resolves after this many milliseconds, or when `wake` is aborted. It never rejects. */
	sleep(ms: number, wake?: AbortSignal): Promise<void>;
	/** Returns a number from 0 up to 1. */
	random(): number;
}

/** Counts what a run has sent, or a part of the run. */
export class RunStats {
	/** Requests, including each part of a split batch, but neither retries nor polls. */
	requests = 0;
	/** Requests that were sent again. */
	retries = 0;
	/** Requests of the whole run that are in flight now, not counting polls. */
	inFlight = 0;
	/** Batches that were split because they were too large, or because one entry may be at fault. */
	splits = 0;
	/** Responses that asked for fewer requests. */
	throttled = 0;
	/** Bytes of the request bodies that the service accepted. For texts, only the texts themselves count. */
	bytes = 0;
	/** Entries that succeeded. */
	done = 0;
	failed = 0;

	/** @param whole counters of the whole run, if these counters are for a part of the run */
	constructor(private readonly whole?: RunStats) {}

	/** Adds to a counter, and to the same counter of the whole run. */
	increment(name: Counter, number = 1): void {
		this[name] += number;
		this.whole?.increment(name, number);
	}
}

type Counter = Exclude<keyof RunStats, 'increment' | 'inFlight'>;

/**
 * The run as `flow` sees it. Only the run decides whether to continue, so code must check `ended` before it starts a
 * request.
 */
export interface RunState extends Clock {
	/** Why nothing more may be started. It is undefined while the run continues. */
	readonly ended: { readonly reason: unknown } | undefined;
	/** Whether the first failure ends the run. */
	readonly stopsOnFailure: boolean;
	readonly stats: RunStats;
	/** Lets other executions run. Long work calls it between small steps. */
	yieldToOthers?(): Promise<void> | undefined;
	/**
	 * Ends the run. Nothing more is started and all sleeps end, but requests in flight finish. If it is called again, the
	 * first reason counts.
	 */
	stop(reason: unknown): void;
}
