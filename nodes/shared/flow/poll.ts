import { backoffMs, type RetryPolicy } from './backoff';
import { produced, type Channel } from './channel';
import { endRunAfter, failed, skipped, type Outcome, type Verdict } from './deliver';
import type { Limiter } from './limiter';
import type { RunState } from './run-state';
import { flat } from './slices';

/** What a poll says about a job. */
export type Finding<R> =
	| { state: 'pending'; /** The service asks not to poll earlier. */ delayMs?: number }
	| Ending<R>;

/** How a job ended. */
export type Ending<R> = { state: 'finished'; response: R } | { state: 'failed'; reason: unknown };

/** How often a job is polled. */
export interface PollIntervals {
	/** Delay after the first poll. */
	startMs: number;
	/** No delay is longer. */
	capMs: number;
}

/** How jobs are polled. */
export interface PollOptions<J, R> {
	run: RunState;
	limiter: Limiter;
	intervals: PollIntervals;
	/** Backoff after a transient error. Its maximum of attempts is not used: the deadline ends a job. */
	retryPolicy: RetryPolicy;
	/** When a job should have finished, by the clock of the run. */
	deadlineOf: (job: J) => number;
	/** Polls a job once. `leftMs` is the time until its deadline, 0 if that has passed. */
	check: (job: J, leftMs: number) => Promise<Finding<R>>;
	judge: (error: unknown, job: J) => Verdict;
	/** How a job ends that did not finish in time. */
	expire: (job: J, lastError: unknown) => Ending<R>;
}

/** A job with its outcome. */
export interface Polled<J, R> {
	job: J;
	outcome: Outcome<R>;
}

/** Each interval is so many times the one before: a job of 60 s is polled 14 times. */
const GROWTH = 1.4;
/** Intervals vary by this share either way, so that jobs are not all polled at the same time. */
const JITTER = 0.1;
/** How long the final polls may go unanswered before no more are made. */
export const FINAL_POLLS_MS = 5000;

/**
 * Polls many jobs concurrently until each has finished, failed or reached its deadline. Every job
 * gets exactly one outcome.
 *
 * A job is polled immediately, then at growing, jittered intervals, the final time at its deadline.
 * Jobs of a run tend to take equally long, so when one has finished, the others are polled as soon
 * as they reach its age (each once, so that it costs at most one poll more). To end early, stop the
 * run and consume the rest.
 *
 * @throws what the source of the jobs throws, after all polls in flight have ended
 */
export function poll<J, R>(
	jobs: AsyncIterable<J>,
	options: PollOptions<J, R>,
): AsyncGenerator<Polled<J, R>, void, undefined> {
	return flat(produced(async (outcomes) => await new Poller(options, outcomes).pollAll(jobs)));
}

interface Watched<J> {
	job: J;
	since: number;
	deadline: number;
	/** When it is to be polled. */
	next: number;
	intervalMs: number;
	polls: number;
	/** Transient errors in a row. */
	errors: number;
	lastError?: unknown;
	/** It was moved forward once because another job had finished, or must not be. */
	keepsTurn: boolean;
}

class Poller<J, R> {
	private readonly waiting = new Set<Watched<J>>();
	private inFlight = 0;
	/** When the first of the final polls began that have not been answered. */
	private unansweredSince: number | undefined;
	private waker = new AbortController();

	constructor(
		private readonly options: PollOptions<J, R>,
		private readonly outcomes: Channel<Polled<J, R>>,
	) {}

	async pollAll(jobs: AsyncIterable<J>): Promise<void> {
		let isOpen = true;
		const intake = this.takeAll(jobs).finally(() => {
			isOpen = false;
			this.waker.abort();
		});
		// Its error is thrown below, when the polls in flight have ended.
		intake.catch(() => undefined);
		while (isOpen || this.waiting.size > 0 || this.inFlight > 0) {
			this.waker = new AbortController();
			this.startDue();
			await this.sleepUntilDue();
		}
		await intake;
	}

	private async takeAll(jobs: AsyncIterable<J>): Promise<void> {
		for await (const job of jobs) {
			if (this.outcomes.isAbandoned) break;
			const now = this.options.run.now();
			const deadline = this.options.deadlineOf(job);
			const intervalMs = this.options.intervals.startMs;
			const counts = { polls: 0, errors: 0, keepsTurn: false };
			this.waiting.add({ job, since: now, deadline, next: now, intervalMs, ...counts });
			this.waker.abort();
		}
	}

	private dueOf({ next, deadline }: Watched<J>): number {
		return Math.min(next, deadline);
	}

	private get isOver(): boolean {
		return this.options.run.ended !== undefined || this.outcomes.isAbandoned;
	}

	private startDue(): void {
		const { run } = this.options;
		const now = run.now();
		for (const watched of this.waiting) {
			if (!this.isOver && this.dueOf(watched) > now) continue;
			this.waiting.delete(watched);
			this.inFlight++;
			// A pause the service asked for holds for all jobs, though not beyond their deadlines.
			void this.options.limiter
				.schedule(async (ticket) => await this.pollOnce(watched, ticket), watched.deadline)
				.catch((reason: unknown) => this.conclude(watched, { state: 'failed', reason }))
				.then(async (outcome) => outcome && (await this.answer(watched, outcome)))
				.finally(() => {
					this.inFlight--;
					this.waker.abort();
				});
		}
	}

	private async sleepUntilDue(): Promise<void> {
		const { run } = this.options;
		const { signal } = this.waker;
		let due = Infinity;
		for (const watched of this.waiting) due = Math.min(due, this.dueOf(watched));
		if (due < Infinity) return await run.sleep(due - run.now(), signal);
		// Only a poll in flight or a new job can change anything now, and none could since the waker is new.
		await new Promise((wake) => signal.addEventListener('abort', wake, { once: true }));
	}

	/** @returns how the job ended; undefined if it goes on */
	private async pollOnce(watched: Watched<J>, ticket: number): Promise<Outcome<R> | undefined> {
		const { run, check, judge, limiter, retryPolicy } = this.options;
		// The run may have ended while this job waited for its turn.
		if (run.ended) return { ...skipped(run.ended), attempts: watched.polls };
		if (this.outcomes.isAbandoned) return undefined;
		const now = run.now();
		if (now > watched.deadline) {
			this.unansweredSince ??= now;
			if (now - this.unansweredSince > FINAL_POLLS_MS) return this.expire(watched);
		}
		watched.polls++;
		try {
			const finding = await check(watched.job, Math.max(0, watched.deadline - now));
			this.options.limiter.succeeded();
			this.unansweredSince = undefined;
			return this.take(watched, finding);
		} catch (error) {
			const verdict = judge(error, watched.job);
			if (verdict.throttled) limiter.throttled(ticket, verdict.delayMs, retryPolicy);
			return verdict.action === 'retry'
				? this.pollAgainAfter(error, watched, verdict)
				: this.conclude(watched, { state: 'failed', reason: error }, verdict);
		}
	}

	private take(watched: Watched<J>, finding: Finding<R>): Outcome<R> | undefined {
		if (finding.state !== 'pending') {
			if (finding.state === 'finished')
				this.moveForward(this.options.run.now() - watched.since);
			return this.conclude(watched, finding);
		}
		watched.errors = 0;
		delete watched.lastError;
		const { delayMs = 0 } = finding;
		if (delayMs > 0) watched.keepsTurn = true;
		return this.pollAgain(watched, Math.max(this.nextIntervalMs(watched), delayMs));
	}

	private pollAgainAfter(
		error: unknown,
		watched: Watched<J>,
		{ delayMs }: Verdict,
	): Outcome<R> | undefined {
		const { run, retryPolicy } = this.options;
		watched.lastError = error;
		watched.errors++;
		const delay = backoffMs(watched.errors, retryPolicy, run.random(), delayMs);
		const outcome = this.pollAgain(watched, Math.max(delay, watched.intervalMs));
		if (outcome === undefined) run.stats.retries++;
		return outcome;
	}

	private pollAgain(watched: Watched<J>, delayMs: number): Outcome<R> | undefined {
		const now = this.options.run.now();
		if (now >= watched.deadline) return this.expire(watched);
		watched.next = now + delayMs;
		this.waiting.add(watched);
		return undefined;
	}

	private nextIntervalMs(watched: Watched<J>): number {
		const { intervals, run } = this.options;
		const base = Math.min(watched.intervalMs, intervals.capMs);
		watched.intervalMs = Math.min(base * GROWTH, intervals.capMs);
		return base * (1 + JITTER * (2 * run.random() - 1));
	}

	private expire(watched: Watched<J>): Outcome<R> {
		return this.conclude(watched, this.options.expire(watched.job, watched.lastError));
	}

	/** Still within the limiter, so that no other poll starts before the run knows of a failure. */
	private conclude(
		{ polls: attempts }: Watched<J>,
		ending: Ending<R>,
		verdict: Verdict = { action: 'fail' },
	): Outcome<R> {
		if (ending.state === 'finished') return { ok: true, response: ending.response, attempts };
		const failure = { ...failed(ending.reason, attempts), verdict };
		endRunAfter(this.options.run, failure);
		return failure;
	}

	/** A job took this long: poll the others at that age rather than at their next interval. */
	private moveForward(ageMs: number): void {
		for (const watched of this.waiting) {
			if (watched.keepsTurn || watched.errors > 0) continue;
			watched.keepsTurn = true;
			watched.next = Math.min(watched.next, watched.since + ageMs);
		}
	}

	private async answer({ job }: Watched<J>, outcome: Outcome<R>): Promise<void> {
		await this.outcomes.put({ job, outcome });
	}
}
