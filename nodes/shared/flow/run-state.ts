import type { Clock } from './clock';

/** Counters of everything a run has sent. */
export interface RunStats {
	/** Requests, each part of a split one included; retries are not counted. */
	requests: number;
	/** Requests that were sent again. */
	retries: number;
	/** Requests in flight now, polls not counted. */
	inFlight: number;
	/** Batches that were split because they were too large or in part rejected. */
	splits: number;
}

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
	/**
	 * Ends the run: nothing more is started, and all sleeps end. Requests in flight are awaited. The
	 * first reason counts.
	 */
	stop(reason: unknown): void;
}
