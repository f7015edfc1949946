import type { LimiterClient, Turn } from './limiter';
import type { Outcome } from './outcome';
import type { RetrySettings } from './retry-policy';
import type { RunStats } from './run-state';
import type { Verdict } from './verdict';

/** What all requests of one kind share. */
export interface RequestSettings extends RetrySettings {
	/** Where they are counted; in the counters of the run unless given. */
	stats?: RunStats;
	limiterClient: LimiterClient;
	judge: (error: unknown) => Verdict;
	/** Adds what the attempt before left open to the reason of a failure. */
	withHistory?: (reason: unknown, earlier: unknown) => unknown;
	/** Makes the reason of an entry that fails alone, while requests without it succeed. */
	forEntry?: (reason: unknown) => unknown;
}

/**
 * Waits for the response to a request or a poll, and tells the run, the limiter and the health of the service what
 * came of it.
 *
 * @param failures attempts of the request that had failed before
 * @returns the outcome; its verdict is `throttled` if the limiter pauses all requests, so that this one needs no pause
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
		return { ok: false, reason, verdict: { ...verdict, throttled: pausesAll } };
	}
}
