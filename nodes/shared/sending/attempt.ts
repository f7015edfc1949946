import type { LimiterClient, Turn } from './limiter';
import type { RetrySettings } from './retry-policy';
import type { RunStats } from './run-state';
import { asksForFewerRequests, type Diagnosis } from './diagnosis';

export interface RequestSettings extends RetrySettings {
	/** Counters for the requests. By default, the run's counters are used. */
	stats?: RunStats;
	limiterClient: LimiterClient;
	diagnose: (error: unknown) => Diagnosis;
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

type AttemptResult<R> =
	| { ok: true; response: R }
	| {
			ok: false;
			reason: unknown;
			diagnosis: Diagnosis;
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
	settings: Pick<RequestSettings, 'run' | 'stats' | 'limiterClient' | 'health' | 'diagnose'>,
	failures = 0,
): Promise<AttemptResult<R>> {
	const { run, stats = run.stats, limiterClient, health, diagnose } = settings;
	try {
		const response = await sent;
		turn.acceptedAt = run.now();
		health.noteSuccess(turn.sequence, failures, turn.acceptedAt);
		return { ok: true, response };
	} catch (reason) {
		const diagnosis = diagnose(reason);
		if (!asksForFewerRequests(diagnosis)) return { ok: false, reason, diagnosis };
		stats.increment('throttled');
		const pausesAll = limiterClient.noteRefusal(turn.sequence, diagnosis);
		return { ok: false, reason, diagnosis, pausesAll };
	}
}
