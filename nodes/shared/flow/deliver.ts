import { backoffMs, type RetryPolicy } from './limits/backoff';
import type { Limiter } from './limits/limiter';
import type { RunState } from './run-state';
import type { Verdict } from './verdict';

/** How a request, a job or an entry ended. */
export type Outcome<R> = Done<R> | Failed;

/** It succeeded. */
interface Done<R> {
	ok: true;
	response: R;
	/** Times it was sent. */
	attempts: number;
}

/** It failed, or was never sent. */
export interface Failed {
	ok: false;
	reason: unknown;
	/** Times it was sent: 0 if it never was. */
	attempts: number;
	/** The action is never `retry`: retries are over. */
	verdict: Verdict;
	/** It was not started, because the run had ended for this reason. */
	skipped?: true;
	/** What failed was to be split, but cannot be. */
	unsplit?: true;
}

/** What all requests of one kind share. */
export interface Line {
	run: RunState;
	limiter: Limiter;
	retryPolicy: RetryPolicy;
	judge: (error: unknown) => Verdict;
	/** The reason of a failure, given that of the attempt before it. */
	withHistory?: (reason: unknown, earlier: unknown) => unknown;
}

/** What else `deliver` needs to know of a request. */
export interface DeliverOptions {
	/** Whether the caller will send the entries in smaller requests: that does not end the run. */
	canSplit?: (verdict: Verdict) => boolean;
	/** How the request failed of which this one is a part. */
	earlier?: Failed | undefined;
}

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
	{ canSplit = () => false, earlier }: DeliverOptions = {},
): Promise<Outcome<R>> {
	const { run, limiter, retryPolicy } = line;
	const patience = new Patience(line);
	let last = earlier;
	for (let attempt = 1; ; attempt++) {
		const outcome = await limiter.schedule(async (ticket) => {
			// It may have ended while this request waited for its turn.
			if (run.ended) return last ? terminal(last) : skipped(run.ended);
			if (attempt > 1) run.stats.retries++;
			const outcome = await tryOnce(
				async () => await send(attempt, last?.reason),
				attempt,
				line,
				ticket,
			);
			if (!outcome.ok && last && line.withHistory) {
				outcome.reason = line.withHistory(outcome.reason, last.reason);
			}
			// Still within the limiter, so that no waiting request starts before the run knows.
			return outcome.ok ? outcome : conclude(outcome, line, patience, canSplit);
		});
		if (outcome.ok || outcome.verdict.action !== 'retry') return outcome;
		last = outcome;
		// The limiter makes the pauses of all.
		if (outcome.verdict.throttled) continue;
		const { delayMs } = outcome.verdict;
		await run.sleep(backoffMs(patience.errors, retryPolicy, run.random(), delayMs));
	}
}

async function tryOnce<R>(
	send: () => Promise<R>,
	attempt: number,
	{ run, limiter, judge, retryPolicy }: Line,
	ticket: number,
): Promise<Outcome<R>> {
	run.stats.inFlight++;
	try {
		const response = await send();
		limiter.succeeded();
		return { ok: true, response, attempts: attempt };
	} catch (reason) {
		const verdict = judge(reason);
		if (verdict.throttled) limiter.throttled(ticket, verdict.delayMs, retryPolicy);
		return { ok: false, reason, attempts: attempt, verdict };
	} finally {
		run.stats.inFlight--;
	}
}

/** How often and how long a request is sent again. */
class Patience {
	/** Attempts that failed for another reason than too many requests. */
	errors = 0;
	private refusedSince: number | undefined;

	constructor(private readonly line: Line) {}

	/** What to do after a failure that may pass. */
	actionAfter({ throttled, delayMs = 0 }: Verdict): Verdict['action'] {
		const { run, limiter, retryPolicy } = this.line;
		if (!throttled) return ++this.errors < retryPolicy.maxAttempts ? 'retry' : 'fail';
		// The service asks for a longer pause than any request may wait.
		if (delayMs >= retryPolicy.maxRefusedMs) return 'stop';
		const now = run.now();
		this.refusedSince ??= now;
		const isOver = (since = now) => now - since + delayMs > retryPolicy.maxRefusedMs;
		if (isOver(this.refusedSince)) return 'fail';
		// If the service has refused everything for that long, the other requests need not try either.
		return isOver(limiter.refusedSince) ? 'stop' : 'retry';
	}
}

/** Decides whether a failure is final, and ends the run if it has to. */
function conclude(
	failure: Failed,
	{ run }: Line,
	patience: Patience,
	canSplit: (verdict: Verdict) => boolean,
): Failed {
	const { verdict } = failure;
	if (verdict.action === 'split' && canSplit(verdict)) return failure;
	const action = verdict.action === 'retry' ? patience.actionAfter(verdict) : verdict.action;
	if (action === 'retry' && !run.ended) return failure;
	const final = terminal({ ...failure, verdict: { ...verdict, action } });
	endRunAfter(run, final);
	return final;
}

/** A failure that is neither retried nor split. */
function terminal(failure: Failed): Failed {
	const { verdict } = failure;
	const action = verdict.action === 'stop' ? 'stop' : 'fail';
	const unsplit = verdict.action === 'split' && ({ unsplit: true } as const);
	return { ...failure, ...unsplit, verdict: { ...verdict, action } };
}

/** The outcome of what failed for good. */
export const failed = (reason: unknown, attempts: number): Failed => ({
	ok: false,
	reason,
	attempts,
	verdict: { action: 'fail' },
});

/** The outcome of what was not started because the run had ended. */
export function skipped({ reason }: { reason: unknown }): Failed {
	return { ...failed(reason, 0), skipped: true };
}

/** Ends the run if a final failure requires it. */
export function endRunAfter(run: RunState, { reason, verdict }: Failed): void {
	if (verdict.action === 'stop' || run.stopsOnFailure) run.stop(reason);
}
