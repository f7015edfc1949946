import { backoffMs, type RetryPolicy } from './limits/backoff';
import { endRunAfter, failed, skipped, type Outcome } from './deliver';
import { inParallel } from './in-parallel';
import type { Limiter } from './limits/limiter';
import type { RunState } from './run-state';
import { flat } from './slices';
import { Turns } from './turns';
import type { Verdict } from './verdict';

/** What a poll says about a job. */
export type Finding<R> =
	| { state: 'pending'; /** The service asks not to poll earlier. */ delayMs?: number }
	| Ending<R>;

/** How a job ended. */
export type Ending<R> = { state: 'finished'; response: R } | { state: 'failed'; reason: unknown };

/** How often a job is polled. */
interface PollIntervals {
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
	return flat(
		inParallel<Polled<J, R>>(Infinity, async (tasks) => {
			const turns = new Turns(options.run);
			tasks.onAbandoned(() => turns.end());
			const poller = new Poller(options, turns, () => tasks.isAbandoned);
			for await (const job of jobs) {
				if (tasks.isAbandoned) return;
				void tasks.start(async () => {
					const outcome = await pollUntilEnded(job, options, poller, turns)
						// An exception in handling one job fails that job, never the run.
						.catch((reason: unknown) => failed(reason, 1));
					await tasks.put({ job, outcome });
				});
			}
		}),
	);
}

/** The whole life of one job: a poll, a wait, a poll, ... */
async function pollUntilEnded<J, R>(
	job: J,
	options: PollOptions<J, R>,
	poller: Poller<J, R>,
	turns: Turns,
): Promise<Outcome<R>> {
	const { run, limiter, intervals, retryPolicy } = options;
	const since = run.now();
	let deadline = options.deadlineOf(job);
	let intervalMs = Math.min(intervals.startMs, intervals.capMs);
	/** Its turn may come sooner because another job has finished. */
	let mayMove = true;
	/** Transient errors in a row, and the last of them. */
	let errors = 0;
	let lastError: unknown;
	for (let polls = 0; ; polls++) {
		const askedAt = run.now();
		// A pause the service asked for holds for all jobs, though not beyond their deadlines.
		const seen = await limiter.schedule(async (ticket) => {
			// A limit that the user has set does not use up their time either.
			if (limiter.pace.isLimited) deadline += run.now() - askedAt;
			return await poller.poll({ job, since, deadline, polls, lastError }, ticket);
		}, deadline);
		if ('ok' in seen) return seen;
		const { error, delayMs = 0 } = seen;
		let waitMs: number;
		lastError = error;
		if (error !== undefined) {
			run.stats.retries++;
			waitMs = backoffMs(++errors, retryPolicy, run.random(), delayMs);
			waitMs = Math.max(waitMs, intervalMs);
		} else {
			errors = 0;
			if (delayMs > 0) mayMove = false;
			waitMs = Math.max(jittered(intervalMs, run), delayMs);
			intervalMs = Math.min(intervalMs * GROWTH, intervals.capMs);
		}
		const due = Math.min(run.now() + waitMs, deadline);
		if (await turns.next(since, due, mayMove && errors === 0)) mayMove = false;
	}
}

const jittered = (ms: number, run: RunState): number => ms * (1 + JITTER * (2 * run.random() - 1));

/** A job with what is known of it. */
interface Watched<J> {
	job: J;
	since: number;
	deadline: number;
	/** How often it was polled. */
	polls: number;
	/** Of its last poll, if that failed. */
	lastError: unknown;
}

/** What a poll has shown: how the job ended, or that it goes on. */
type Seen<R> = Outcome<R> | { error?: unknown; delayMs?: number | undefined };

/**
 * Polls jobs once each, within the limiter: what that means for the run is known before another poll
 * starts.
 */
class Poller<J, R> {
	/** When the first of the final polls began that have not been answered. */
	private unansweredSince: number | undefined;

	constructor(
		private readonly options: PollOptions<J, R>,
		private readonly turns: Turns,
		private readonly isAbandoned: () => boolean,
	) {}

	async poll(watched: Watched<J>, ticket: number): Promise<Seen<R>> {
		const { run, limiter, check, retryPolicy } = this.options;
		const { job, since, deadline, polls } = watched;
		// The run may have ended while this job waited for its turn.
		if (run.ended) return { ...skipped(run.ended), attempts: polls };
		if (this.isAbandoned()) return failed(undefined, polls);
		const now = run.now();
		if (this.isSilent(now, deadline)) return this.expire(watched);
		const polled = { ...watched, polls: polls + 1 };
		let finding: Finding<R>;
		try {
			finding = await check(job, Math.max(0, deadline - now));
		} catch (error) {
			const verdict = this.options.judge(error, job);
			if (verdict.throttled) limiter.throttled(ticket, verdict.delayMs, retryPolicy);
			if (verdict.action !== 'retry') return this.fail(error, polled.polls, verdict);
			if (run.now() >= deadline) return this.expire({ ...polled, lastError: error });
			return { error, delayMs: verdict.delayMs };
		}
		limiter.succeeded();
		this.unansweredSince = undefined;
		if (finding.state === 'finished') this.turns.finished(run.now() - since);
		if (finding.state !== 'pending') return this.end(finding, polled.polls);
		if (run.now() >= deadline) return this.expire({ ...polled, lastError: undefined });
		return { delayMs: finding.delayMs };
	}

	/** Whether the service has left the final polls of jobs unanswered for too long. */
	private isSilent(now: number, deadline: number): boolean {
		if (now <= deadline) return false;
		this.unansweredSince ??= now;
		return now - this.unansweredSince > FINAL_POLLS_MS;
	}

	private expire({ job, lastError, polls }: Watched<J>): Outcome<R> {
		return this.end(this.options.expire(job, lastError), polls);
	}

	private end(ending: Ending<R>, attempts: number): Outcome<R> {
		return ending.state === 'finished'
			? { ok: true, response: ending.response, attempts }
			: this.fail(ending.reason, attempts);
	}

	private fail(reason: unknown, attempts: number, verdict?: Verdict): Outcome<R> {
		const failure = { ...failed(reason, attempts), ...(verdict && { verdict }) };
		endRunAfter(this.options.run, failure);
		return failure;
	}
}
