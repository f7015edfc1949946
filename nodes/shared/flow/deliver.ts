import type { Lane } from './limiter';
import { inParallel } from './parallel';
import { RetryPolicy, type Decision, type RetrySettings } from './retry-policy';
import type { RunState, RunStats } from './run-state';
import type { Verdict } from './verdict';

/** The end of a request, a job or an entry. */
export type Outcome<R> = { ok: true; response: R } | Failed;

/** It failed, or was never sent. */
export interface Failed {
	ok: false;
	reason: unknown;
	/** The action is never `retry`: retries are over. */
	verdict: Verdict;
	/** It was not started, because the run had ended for this reason. */
	skipped?: true;
	/** Only this entry fails: requests without it succeed. */
	isAtFault?: true;
}

/** What all requests of one kind share. */
export interface Line extends RetrySettings {
	/** Where they are counted; in the counters of the run unless given. */
	stats?: RunStats;
	lane: Lane;
	judge: (error: unknown) => Verdict;
	/** Adds what the attempt before left open to the reason of a failure. */
	withHistory?: (reason: unknown, earlier: unknown) => unknown;
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

/** What an attempt came to, if the request goes on. */
export interface Unfinished {
	next: Extract<Decision, 'again' | 'probe' | 'split'>;
	failure: Failed;
}

/**
 * Makes one attempt to send a request, as soon as its policy and the limiter allow it. A failure that every further
 * request would meet ends the run, and so does any final one if the run stops at failures.
 *
 * @returns the outcome, also if `send` rejects, or what to do next
 */
export async function attempt<R>(
	sending: Sending<R>,
	line: Line,
): Promise<Outcome<R> | Unfinished> {
	const { run, stats = run.stats, lane, health, judge, withHistory = (reason) => reason } = line;
	const { policy, last } = sending;
	const pauseMs = policy.resumeAt - run.now();
	if (pauseMs > 0) await run.sleep(pauseMs);
	return await lane.schedule(async (sequence) => {
		// The run may have ended while this request waited for its turn.
		if (run.ended) return last ? terminal(last) : skipped(run.ended);
		if (++sending.attempts > 1) stats.count('retries');
		stats.count('inFlight');
		const result = await tried(sending.send(last?.reason), line, sequence, judge);
		stats.count('inFlight', -1);
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
		if (policy.isAtFault) failure.isAtFault = true;
		if (decision === 'end') failure.verdict = { ...verdict, action: 'stop' };
		sending.last = failure;
		const isFinal = decision === 'fail' || decision === 'end';
		if (!isFinal && !(run.ended && decision !== 'split')) return { next: decision, failure };
		// Still in the lane, so that no waiting request starts before the run knows.
		endRunAfter(run, terminal(failure));
		return terminal(failure);
	});
}

/** Sends one request, again and again until it succeeds or its policy gives it up. */
export async function deliver<R>(
	send: (attempt: number, earlier: unknown) => Promise<R>,
	line: Line,
): Promise<Outcome<R>> {
	const sending: Sending<R> = {
		send: async (earlier) => await send(sending.attempts, earlier),
		policy: new RetryPolicy(line),
		size: 1,
		attempts: 0,
	};
	for (;;) {
		const result = await attempt(sending, line);
		if (!('next' in result)) return result;
	}
}

/** Tells run and limiter what came of a request or a poll. */
export async function tried<R>(
	sent: Promise<R>,
	{ run, stats = run.stats, lane }: Pick<Line, 'run' | 'stats' | 'lane'>,
	ticket: number,
	judge: Line['judge'],
): Promise<Outcome<R>> {
	try {
		const response = await sent;
		lane.succeeded(ticket);
		return { ok: true, response };
	} catch (reason) {
		const verdict = judge(reason);
		if (verdict.throttled) {
			stats.count('throttled');
			lane.refused(ticket, verdict.delayMs);
		}
		return { ok: false, reason, verdict };
	}
}

/** A failure that is neither retried nor split. */
function terminal(failure: Failed): Failed {
	const { verdict } = failure;
	return {
		...failure,
		verdict: { ...verdict, action: verdict.action === 'stop' ? 'stop' : 'fail' },
	};
}

/** The outcome of what failed for good. */
export const failed = (reason: unknown): Failed => ({
	ok: false,
	reason,
	verdict: { action: 'fail' },
});

/** The outcome of what was not started because the run had ended. */
export function skipped({ reason }: { reason: unknown }): Failed {
	return { ...failed(reason), skipped: true };
}

/** Ends the run if the final failure of an entry requires it. */
export function endRunAfter(run: RunState, { reason, verdict }: Failed): void {
	if (verdict.action === 'stop' || run.stopsOnFailure) run.stop(reason);
}

/** An entry with its outcome. */
export interface Delivered<E, R> {
	entry: E;
	outcome: Outcome<R>;
}

/**
 * Sends one request for each entry, several concurrently. Every entry gets exactly one outcome. No
 * more slices are read than the requests in flight need. To end early, stop the run and consume the
 * rest.
 *
 * @param slices entries, as many at a time as the source has at hand
 * @param send called once for each attempt, which counts from 1
 * @returns the outcomes there are, as soon as there are any
 * @throws what the source of the entries throws, after all requests in flight have ended
 */
export function deliverEach<E, R>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	send: (entry: E, attempt: number) => Promise<R>,
	line: Line,
): AsyncGenerator<Array<Delivered<E, R>>, void, undefined> {
	return inParallel(line.concurrency, async (tasks) => {
		for await (const slice of slices) {
			for (const entry of slice) {
				if (tasks.isAbandoned) return;
				void tasks.start(async () => {
					const outcome = await deliver(
						(attempt) => send(entry, attempt),
						line,
						// An exception in handling one entry fails that entry, never the run.
					).catch(failed);
					await tasks.put({ entry, outcome });
				});
				await tasks.room();
			}
		}
	});
}
