import type { LimiterClient, Turn } from './limiter';
import type { Outcome } from './outcome';
import type { RetrySettings } from './retry-policy';
import type { RunStats } from './run-state';
import type { Verdict } from './verdict';

/** Settings that all requests of one kind in a run share. */
export interface RequestSettings extends RetrySettings {
	/** Counters for the requests. The default is the run's counters. */
	stats?: RunStats;
	limiterClient: LimiterClient;
	judge: (error: unknown) => Verdict;
	/**
	 * Adds information about an earlier attempt to a failure reason. For example, the earlier attempt might have taken
	 * effect.
	 */
	withHistory?: (reason: unknown, earlier: unknown) => unknown;
	/** Rewords the failure reason of an entry that keeps failing while requests without this entry succeed. */
	forEntry?: (reason: unknown) => unknown;
}

/**
 * Waits for the response to a request or a poll. A success is reported to the service health, and a response that asks
 * for fewer requests is reported to the run and the limiter.
 *
 * @param failures number of earlier attempts, all of which failed
 * @returns the outcome. If the service asked for fewer requests, the verdict contains `pausesAll`
 */
export async function outcomeOf<R>(
	sent: Promise<R>,
	turn: Turn,
	settings: Pick<RequestSettings, 'run' | 'stats' | 'limiterClient' | 'health' | 'judge'>,
	failures = 0,
): Promise<Outcome<R>> {
	const { run, stats = run.stats, limiterClient, health, judge } = settings;
	try {
		const response = await sent;
		turn.acceptedAt = run.now();
		health.noteSuccess(turn.sequence, failures, turn.acceptedAt);
		return { ok: true, response };
	} catch (reason) {
		const verdict = judge(reason);
		if (!verdict.throttled) return { ok: false, reason, verdict };
		stats.increment('throttled');
		const pausesAll = limiterClient.noteRefusal(turn.sequence, verdict);
		return { ok: false, reason, verdict: { ...verdict, pausesAll } };
	}
}
