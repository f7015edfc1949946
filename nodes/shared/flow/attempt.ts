import type { LimiterClient } from './limiter';
import {
	endRunAfter,
	skipped,
	terminal,
	type Failed,
	type Outcome,
	type Unfinished,
} from './outcome';
import type { RetryPolicy, RetrySettings } from './retry-policy';
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

/** A request, or one of its entries that is sent alone as a probe. */
export interface Sending<R> {
	/** Sends it once, with the reason why the attempt before failed. */
	send: (earlier: unknown) => Promise<R>;
	policy: RetryPolicy;
	/** Number of entries that share its policy. */
	size: number;
	isProbe?: boolean;
	/** Attempts so far. */
	attempts: number;
	/** How the attempt before failed, or the request of which this one is a part. */
	last?: Failed | undefined;
}

/**
 * Makes one attempt to send a request, as soon as its policy and the limiter allow it. A failure that every further
 * request would meet ends the run, and so does any final one if the run stops at failures.
 *
 * @returns the outcome, also if `send` rejects, or what to do next
 */
export async function attempt<R>(
	sending: Sending<R>,
	line: RequestSettings,
): Promise<Outcome<R> | Unfinished> {
	const { run, stats = run.stats, limiterClient, health, judge } = line;
	const { withHistory = (reason) => reason, forEntry = (reason) => reason } = line;
	const { policy, last } = sending;
	const pauseMs = policy.resumeAt - run.now();
	if (pauseMs > 0) await run.sleep(pauseMs);
	return await limiterClient.schedule(async (sequence) => {
		// The run may have ended while this request waited for its turn.
		if (run.ended) return last ? terminal(last) : skipped(run.ended);
		if (++sending.attempts > 1) stats.increment('retries');
		stats.increment('inFlight');
		const sent = sending.send(last?.reason);
		const result = await tried(sent, line, sequence, judge).finally(() =>
			stats.increment('inFlight', -1),
		);
		if (result.ok) {
			const { failures } = policy;
			health.succeeded(sequence, sending.isProbe ? 0 : failures, run.now());
			return result;
		}
		const { verdict } = result;
		const reason = last ? withHistory(result.reason, last.reason) : result.reason;
		const failure: Failed = { ok: false, reason, verdict };
		const { size, isProbe = false } = sending;
		const decision = policy.decide({ verdict, sequence, size, isProbe });
		if (policy.isAtFault) failure.reason = forEntry(reason);
		if (decision === 'end') failure.verdict = { ...verdict, action: 'stop' };
		sending.last = failure;
		const isFinal = decision === 'fail' || decision === 'end';
		if (!isFinal && !(run.ended && decision !== 'split')) return { next: decision, failure };
		// The limiter still counts this request, so that no waiting request starts before the run knows.
		endRunAfter(run, terminal(failure));
		return terminal(failure);
	});
}

/**
 * Tells run and limiter what came of a request or a poll.
 *
 * @returns the outcome; its verdict is `throttled` if the limiter pauses all requests, so that this one needs no pause
 */
export async function tried<R>(
	sent: Promise<R>,
	{
		run,
		stats = run.stats,
		limiterClient,
	}: Pick<RequestSettings, 'run' | 'stats' | 'limiterClient'>,
	sequence: number,
	judge: RequestSettings['judge'],
): Promise<Outcome<R>> {
	try {
		const response = await sent;
		limiterClient.succeeded(sequence);
		return { ok: true, response };
	} catch (reason) {
		const verdict = judge(reason);
		if (!verdict.throttled) return { ok: false, reason, verdict };
		stats.increment('throttled');
		const pausesAll = limiterClient.refused(sequence, verdict);
		return { ok: false, reason, verdict: { ...verdict, throttled: pausesAll } };
	}
}
