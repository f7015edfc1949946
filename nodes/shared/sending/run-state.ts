/** Time and randomness, which are injected so that tests do not have to wait in real time. */
export interface Clock {
	/**
	 * Returns the time in milliseconds from a clock that never jumps. Only the difference between two times is
	 * meaningful.
	 */
	now(): number;
	/** Resolves after this many milliseconds, or when `wake` is aborted. The promise never rejects. */
	sleep(ms: number, wake?: AbortSignal): Promise<void>;
	/** Returns a number from 0 up to 1. */
	random(): number;
}

/**
 * Returns a pause in milliseconds: exponential backoff with full jitter.
 *
 * @param failures number of failures in a row, from 1
 * @param random a number from 0 up to 1
 * @param bounds `baseMs` is the upper bound of the first pause. The bound doubles with each failure, up to `capMs`
 */
export const backoffMs = (
	failures: number,
	random: number,
	{ baseMs, capMs }: { baseMs: number; capMs: number },
): number => random * Math.min(capMs, baseMs * 2 ** (failures - 1));

export class RunStats {
	/** Number of requests. Each part of a split batch counts. Retries and polls do not count. */
	requests = 0;
	retries = 0;
	/**
	 * Number of requests in flight in the whole run. If requests are in flight when the run is canceled, their outcome
	 * is unknown. The number includes polls by a Get Results node that does not wait, because the service might deliver
	 * the results of a job only once.
	 */
	inFlight = 0;
	splits = 0;
	/** Number of responses that asked for fewer requests. */
	throttled = 0;
	/**
	 * Total size of the request bodies that the service accepted. For Chunk Text, only the size of the texts is
	 * included.
	 */
	bytes = 0;
	done = 0;
	failed = 0;

	/** @param whole counters for the whole run, if this object counts only a part of the run */
	constructor(private readonly whole?: RunStats) {}

	increment(name: Counter, number = 1): void {
		this[name] += number;
		this.whole?.increment(name, number);
	}
}

type Counter = Exclude<keyof RunStats, 'increment' | 'inFlight'>;

/** Only the run decides whether to continue. */
export interface RunState extends Clock {
	/**
	 * The reason why the run ended, or undefined while the run continues. Once this field is set, no further requests
	 * may be started.
	 */
	readonly ended: { readonly reason: unknown } | undefined;
	readonly stopsOnFailure: boolean;
	readonly stats: RunStats;
	/** Lets other executions run. Long-running code calls this between small steps. */
	yieldToOthers?(): Promise<void> | undefined;
	/**
	 * Ends the run. No further requests start and all sleeps end, but requests in flight finish. If this function is
	 * called more than once, the first reason applies.
	 */
	stop(reason: unknown): void;
}
