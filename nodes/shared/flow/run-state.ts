/** Time and randomness, injected so that everything that waits can be tested without waiting. */
export interface Clock {
	/** Milliseconds of a clock that never jumps: only differences mean something. */
	now(): number;
	/** Resolves after this many milliseconds, or as soon as `wake` is aborted. Never rejects. */
	sleep(ms: number, wake?: AbortSignal): Promise<void>;
	/** From 0 up to 1. */
	random(): number;
}

/** Counters of everything a run has sent, or a part of it. */
export class RunStats {
	/** Requests, each part of a split one included; neither retries nor polls are counted. */
	requests = 0;
	/** Requests that were sent again. */
	retries = 0;
	/** Requests of the whole run that are in flight now, polls not counted. */
	inFlight = 0;
	/** Batches that were split because they were too large or one of their entries may be at fault. */
	splits = 0;
	/** Responses that asked for fewer requests. */
	throttled = 0;
	/** Bytes of the entries that the service accepted in batches: of documents as JSON, of texts. */
	bytes = 0;
	/** Entries that succeeded. */
	done = 0;
	/** Entries that failed. */
	failed = 0;

	/** @param whole counters of the run, if these are of a part of it */
	constructor(private readonly whole?: RunStats) {}

	/** Adds to a counter, and to that of the whole run. */
	increment(name: Counter, number = 1): void {
		this[name] += number;
		this.whole?.increment(name, number);
	}
}

type Counter = Exclude<keyof RunStats, 'increment' | 'inFlight'>;

/**
 * What the flow needs to know of the run it is part of. The run alone decides whether to go on:
 * everything that is about to start a request asks it.
 */
export interface RunState extends Clock {
	/** Why nothing more may be started; undefined while the run goes on. */
	readonly ended: { readonly reason: unknown } | undefined;
	/** Whether the first failure ends the run. */
	readonly stopsOnFailure: boolean;
	readonly stats: RunStats;
	/** Lets other executions have their turn; to be called between small steps of long work. */
	yieldToOthers?(): Promise<void> | undefined;
	/**
	 * Ends the run: nothing more is started, and all sleeps end. Requests in flight are awaited. The
	 * first reason counts.
	 */
	stop(reason: unknown): void;
}
