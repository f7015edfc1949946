import type { LimiterClient, Turn } from './limiter';
import type { RetrySettings } from './retry-policy';
import type { RunStats } from './run-state';
import { asksForFewerRequests, type Verdict } from './verdict';

/** Settings shared by all requests of one kind in a run. */
export interface RequestSettings extends RetrySettings {
	/** Counters for the requests. By default, the run's counters are used. */
	stats?: RunStats;
	limiterClient: LimiterClient;
	judge: (error: unknown) => Verdict;
	/**
	 * Adds facts about an earlier attempt to the reason for a failure. For example, the earlier attempt may have taken
	 * effect.
	 */
	withHistory?: (reason: unknown, earlier: unknown) => unknown;
	/**
	 * Rewords the reason why an entry failed. This function is used if the entry keeps failing but requests without the
	 * entry succeed.
	 */
	forEntry?: (reason: unknown) => unknown;
}

/** The result of one attempt. */
type AttemptResult<R> =
	| { ok: true; response: R }
	| {
			ok: false;
			reason: unknown;
			verdict: Verdict;
			/** Whether the limiter pauses all requests, so that this request needs no pause of its own. */
			pausesAll?: boolean;
	  };

/**
 * Waits for the response to a request or a poll. Records a success in the `ServiceHealth`. Tells the run and the
 * limiter if the response asks for fewer requests.
 *
 * @param failures number of earlier attempts, all of which failed
 */
export async function outcomeOf<R>(
	sent: Promise<R>,
	turn: Turn,
	settings: Pick<RequestSettings, 'run' | 'stats' | 'limiterClient' | 'health' | 'judge'>,
	failures = 0,
): Promise<AttemptResult<R>> {
	const { run, stats = run.stats, limiterClient, health, judge } = settings;
	try {
		const response = await sent;
		turn.acceptedAt = run.now();
		health.noteSuccess(turn.sequence, failures, turn.acceptedAt);
		return { ok: true, response };
	} catch (reason) {
		const verdict = judge(reason);
		if (!asksForFewerRequests(verdict)) return { ok: false, reason, verdict };
		stats.increment('throttled');
		const pausesAll = limiterClient.noteRefusal(turn.sequence, verdict);
		return { ok: false, reason, verdict, pausesAll };
	}
}
