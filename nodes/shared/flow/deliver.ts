import { backoffMs, type Lane } from './limiter';
import { inParallel } from './parallel';
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
}

/** What all requests of one kind share. */
export interface Line {
	run: RunState;
	/** Where they are counted; in the counters of the run unless given. */
	stats?: RunStats;
	lane: Lane;
	/** How long to retry after the first transient error; at least once. */
	retryForMs: number;
	judge: (error: unknown) => Verdict;
	/** Adds what the attempt before left open to the reason of a failure. */
	withHistory?: (reason: unknown, earlier: unknown) => unknown;
}

/** What else `deliver` needs to know of a request. */
export interface DeliverOptions {
	/** Tells whether the caller will send the entries in smaller requests: that does not end the run. */
	canSplit?: (verdict: Verdict) => boolean;
	/** How the request failed of which this one is a part. */
	failureOfWhole?: Failed | undefined;
}

/** Bounds of the pause before a request is sent again. */
export const RETRY_PAUSE = { baseMs: 500, capMs: 20_000 };
/** How long a request is sent again after 429, counted from the first one. */
const MAX_REFUSED_MS = 5 * 60_000;
/** If a request fails so often while later ones succeed, one of its entries is at fault. */
const MAX_FAILURES_AMID_SUCCESSES = 3;

/**
 * Sends one request and repeats it after transient errors. (Polls repeat themselves, and after a 401
 * the session repeats the request with another token.) A failure ends the run if every further request
 * would meet it, or if the run stops at failures.
 *
 * @param send called once for each attempt, which counts from 1, with the reason why the one before failed
 * @returns the outcome, also if `send` rejects
 */
export async function deliver<R>(
	send: (attempt: number, earlier: unknown) => Promise<R>,
	line: Line,
	{ canSplit = () => false, failureOfWhole }: DeliverOptions = {},
): Promise<Outcome<R>> {
	const { run, stats = run.stats, lane, judge, withHistory = (reason) => reason } = line;
	const patience = new Patience(line, failureOfWhole?.verdict.serviceMayBe === 'down');
	let last = failureOfWhole;
	for (let attempts = 1; ; attempts++) {
		const outcome = await lane.schedule(async (ticket): Promise<Outcome<R>> => {
			// It may have ended while this request waited for its turn.
			if (run.ended) return last ? terminal(last) : skipped(run.ended);
			if (attempts > 1) stats.count('retries');
			stats.count('inFlight');
			const result = await tried(send(attempts, last?.reason), line, ticket, judge);
			stats.count('inFlight', -1);
			if (result.ok) return result;
			const reason = last ? withHistory(result.reason, last.reason) : result.reason;
			const mayBeSplit = canSplit(result.verdict);
			const verdict = patience.decide(result.verdict, ticket, mayBeSplit);
			const failure: Failed = { ok: false, reason, verdict };
			if (verdict.action === 'retry' && !run.ended) return failure;
			if (verdict.action === 'split' && mayBeSplit) return failure;
			// Still in the lane, so that no waiting request starts before the run knows.
			endRunAfter(run, terminal(failure));
			return terminal(failure);
		});
		if (outcome.ok || outcome.verdict.action !== 'retry') return outcome;
		last = outcome;
		const { throttled, delayMs = 0 } = outcome.verdict;
		// The limiter makes the pauses of all.
		if (throttled) continue;
		await run.sleep(Math.max(delayMs, backoffMs(patience.failures, run.random(), RETRY_PAUSE)));
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
		run.health.succeeded(ticket);
		return { ok: true, response };
	} catch (reason) {
		const verdict = judge(reason);
		if (!verdict.throttled) return { ok: false, reason, verdict };
		stats.count('throttled');
		const pausesAll = lane.refused(ticket, verdict);
		return { ok: false, reason, verdict: { ...verdict, throttled: pausesAll } };
	}
}

/** How long a request is sent again. */
class Patience {
	/** Attempts that failed for another reason than too many requests. */
	failures = 0;
	private failingSince: number | undefined;
	private refusedSince: number | undefined;
	private amidSuccesses = 0;
	/** Of the attempt that failed last. */
	private ticket = 0;

	/** @param isOnce it is part of a batch that has used up its retries */
	constructor(
		private readonly line: Line,
		private readonly isOnce: boolean,
	) {}

	/** The verdict about an attempt: `retry` only as long as it is to be sent again. */
	decide(verdict: Verdict, ticket: number, mayBeSplit: boolean): Verdict {
		if (verdict.action !== 'retry') return verdict;
		const { run, retryForMs } = this.line;
		const now = run.now();
		if (verdict.throttled) {
			const { delayMs = 0 } = verdict;
			this.refusedSince ??= now;
			// Requests take turns, so the others are refused as well.
			const isOver = now - this.refusedSince + delayMs >= MAX_REFUSED_MS;
			return isOver ? { ...verdict, action: 'stop' } : verdict;
		}
		this.failingSince ??= now;
		// In an outage, only requests that started before it still succeed.
		if (run.health.lastSuccess > this.ticket) this.amidSuccesses++;
		this.ticket = ticket;
		const isOver = ++this.failures > 1 && now - this.failingSince >= retryForMs;
		if (verdict.blocksAll) return isOver ? { ...verdict, action: 'stop' } : verdict;
		const isAtFault = mayBeSplit && this.amidSuccesses >= MAX_FAILURES_AMID_SUCCESSES;
		return this.isOnce || isAtFault || isOver ? { ...verdict, action: 'split' } : verdict;
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
	const isDown = verdict.serviceMayBe !== undefined && run.health.failedAlone();
	if (verdict.action === 'stop' || isDown || run.stopsOnFailure) run.stop(reason);
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
	line: Line & { concurrency: number },
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
