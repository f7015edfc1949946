import { outcomeOf, type RequestSettings } from './attempt';
import type { Turn } from './limiter';
import {
	endRunAfter,
	failureOf,
	skippedFailure,
	type Outcome,
	type UnfinishedJob,
} from './outcome';
import type { Consumer } from './parallel';
import type { Diagnosis } from './diagnosis';

export type PollResult<R> = { state: 'pending' } | Ending<R>;

/** If `next` is set, the entries of a failed job are submitted once more (see `jobs.ts`). */
export type Ending<R> =
	| { state: 'finished'; response: R }
	| { state: 'failed'; reason: unknown; next?: UnfinishedJob['next'] | undefined };

export interface PollOptions<R>
	extends Pick<RequestSettings, 'run' | 'stats' | 'limiterClient' | 'health'> {
	intervals: { firstMs: number; longestMs: number };
	/** Time by which the job should have finished, according to the run's clock. */
	deadline: number;
	/** `leftMs` is the time until the deadline, or 0 after the deadline. */
	check: (leftMs: number) => Promise<PollResult<R>>;
	diagnose: (error: unknown) => Diagnosis;
	/** Returns the ending for a job that did not finish in time. */
	expire: (lastError: unknown) => Ending<R>;
}

/** Factor by which each interval grows. If a job takes 60 s, Chunk Text polls the job about 16 times. */
const GROWTH = 1.4;
/** Fraction by which each interval varies at random, so that jobs are not all polled at the same time. */
const JITTER = 0.1;

/**
 * Polls a job until it has finished, failed or reached its deadline. The first poll is immediate. Further polls follow
 * at growing intervals with jitter, and the last poll happens at the deadline.
 */
export async function poll<R>(
	options: PollOptions<R>,
	consumer?: Consumer,
): Promise<Outcome<R> | UnfinishedJob> {
	// An unexpected error during a poll makes the polled job fail. It never makes the run fail.
	return await new Polling(options, consumer).untilEnded().catch(failureOf);
}

class Polling<R> {
	/** Number of transient errors in a row, and the last of these errors. */
	private errors = 0;
	private last: { reason: unknown; diagnosis: Diagnosis } | undefined;

	constructor(
		private readonly options: PollOptions<R>,
		private readonly consumer: Consumer | undefined,
	) {}

	async untilEnded(): Promise<Outcome<R> | UnfinishedJob> {
		const { run, limiterClient, health, intervals, deadline } = this.options;
		for (let intervalMs = intervals.firstMs; ; ) {
			intervalMs = Math.min(intervalMs, intervals.longestMs);
			// If the service asks for a pause, the pause applies to all jobs. It does not extend beyond a job's
			// deadline.
			const ended = await limiterClient.schedule(
				async (turn) => await this.poll(turn),
				deadline,
			);
			if (ended) return ended;
			const jitter = 1 + JITTER * (2 * run.random() - 1);
			const backoff = this.errors && health.pauseMs(this.errors, run.now(), run.random());
			const askedMs = this.last?.diagnosis.delayMs ?? 0;
			const pauseMs = Math.max(intervalMs * jitter, backoff, askedMs);
			await run.sleep(Math.min(pauseMs, deadline - run.now()));
			if (this.errors === 0) intervalMs *= GROWTH;
		}
	}

	/** If the result is fatal to the run, ends the run before the limiter can start another request. */
	private async poll(turn: Turn): Promise<Outcome<R> | UnfinishedJob | undefined> {
		const { options } = this;
		const { run, stats = run.stats, deadline, check, expire } = options;
		// The run may have ended while this job waited for its turn.
		if (run.ended) return skippedFailure(run.ended);
		if (this.consumer?.isAbandoned) return failureOf(undefined);
		if (this.last) stats.increment('retries');
		const leftMs = Math.max(0, deadline - turn.startedAt);
		const result = await outcomeOf(check(leftMs), turn, options);
		if (result.ok) {
			this.errors = 0;
			this.last = undefined;
			if (result.response.state !== 'pending') return this.end(result.response);
		} else {
			const { reason, diagnosis } = result;
			if (diagnosis.action !== 'retry') return this.fail(reason, diagnosis);
			this.errors++;
			this.last = result;
		}
		return run.now() < deadline ? undefined : this.end(expire(this.last?.reason));
	}

	private end(ending: Ending<R>): Outcome<R> | UnfinishedJob {
		if (ending.state === 'finished') return { ok: true, response: ending.response };
		const { reason, next } = ending;
		if (next !== undefined) return { ...failureOf(reason), next };
		return this.fail(reason, { ...this.last?.diagnosis, action: 'fail' });
	}

	private fail(reason: unknown, diagnosis: Diagnosis): Outcome<R> {
		const { run, health } = this.options;
		const isForbidden = diagnosis.kind === 'forbidden' && health.noteForbidden();
		const failure = { ...failureOf(reason), diagnosis };
		endRunAfter(run, isForbidden ? { ...failure, diagnosis: { action: 'stop' } } : failure);
		return failure;
	}
}
