/**
 * `jobs` sends entries with `bulk`. A request that the service has accepted starts a job, and the outcome of the job is
 * the outcome of its entries. If the service loses a job, the entries are submitted once more as one job. If a job
 * fails, one of its entries may be at fault, so each entry may be submitted alone. This happens only after another job
 * has finished, because a finished job proves that the service works. Until then, the failed job waits. If no other job
 * finishes, every entry in a failed job also fails.
 */
import type { BulkOptions } from './batch-sender';
import type { Budget } from './budget';
import { bulk } from './bulk';
import { failureOf, finalFailure, type Outcome, type UnfinishedJob } from './outcome';
import { inParallel, type Consumer, type Tasks } from './parallel';

/** `A` is the response to a request, and `R` is the result of a job. */
export interface JobOptions<E, A, R> extends BulkOptions<E, A> {
	/**
	 * Waits for the job that an accepted request has started. A request that waits here does not count toward the
	 * concurrency limit. When the consumer leaves, the function should stop waiting.
	 */
	waitForJob: (accepted: A, consumer: Consumer) => Promise<Outcome<R> | UnfinishedJob>;
	/**
	 * Returns whether a result comes from a job that the service has finished. By default, every successful result
	 * comes from a finished job.
	 */
	isFinished?: (result: R) => boolean;
	/** Called before the entries of an accepted request are submitted again. */
	onRepeat?: (accepted: A) => void;
	/** Limits the total size of all entries that have been read and have no outcome yet. */
	budget?: Budget;
	bytesInBudget?: (entry: E) => number;
}

/** Entries that have the same outcome. If the service accepted their request, `accepted` is its response. */
export interface JobResult<E, A, R> {
	entries: E[];
	outcome: Outcome<R>;
	accepted?: A;
}

interface Job<E, A> {
	entries: E[];
	accepted: A;
	/** Whether the entries were submitted before. They are not submitted a third time. */
	isRepeated: boolean;
}

type FailedJob<E, A> = Job<E, A> & { failure: UnfinishedJob };

/**
 * Sends entries and waits for their jobs. Every entry receives exactly one outcome (see `bulk`).
 *
 * @param slices entries in lists of any length. They are read only when the concurrency and the budget allow it
 */
export function jobs<E, A, R>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	options: JobOptions<E, A, R>,
): AsyncGenerator<Array<JobResult<E, A, R>>, void, undefined> {
	return inParallel<JobResult<E, A, R>>(Infinity, async (tasks) => {
		const runner = new JobRunner(options, tasks);
		try {
			await runner.submit(runner.withinBudget(slices));
		} finally {
			await runner.end();
		}
	});
}

class JobRunner<E, A, R> {
	/** The jobs whose entries are submitted alone as soon as another job finishes. */
	private readonly failedJobs: Array<FailedJob<E, A>> = [];
	private hasFinishedJob = false;
	/** Number of entries that have been read and have no outcome yet. */
	private unanswered = 0;

	constructor(
		private readonly options: JobOptions<E, A, R>,
		private readonly tasks: Tasks<JobResult<E, A, R>>,
	) {}

	async submit(
		slices: AsyncIterable<E[]> | Iterable<E[]>,
		isRepeated = false,
		limits = this.options.limits,
	): Promise<void> {
		for await (const results of bulk(slices, { ...this.options, limits })) {
			for (const { entries, outcome } of results)
				if (outcome.ok) this.follow({ entries, accepted: outcome.response, isRepeated });
				else await this.answer({ entries, outcome });
			if (this.tasks.isAbandoned) return;
		}
	}

	/**
	 * Yields slices while the budget allows it. The entries of failed jobs stay in the budget until another job finishes.
	 * If nothing else is in flight, no other job can finish. In that case, these entries fail immediately.
	 */
	async *withinBudget(slices: AsyncIterable<E[]> | Iterable<E[]>): AsyncGenerator<E[]> {
		const { budget, bytesInBudget = () => 0 } = this.options;
		for await (const slice of slices) {
			this.unanswered += slice.length;
			for (const entry of slice) budget?.take(bytesInBudget(entry));
			yield slice;
			// The budget may be waiting for the entries of the current batch, so they are sent.
			if (budget?.isFull) yield [];
			while (budget?.isFull && !this.tasks.isAbandoned) {
				if (this.areAllInFailedJobs) await this.giveUpFailedJobs();
				else await Promise.race([budget.nextRelease(), this.tasks.nextEnd()]);
			}
			if (this.tasks.isAbandoned) return;
		}
	}

	async end(): Promise<void> {
		for (;;) {
			while (!this.tasks.isIdle) await this.tasks.nextEnd();
			if (this.failedJobs.length === 0) return;
			await this.giveUpFailedJobs();
		}
	}

	/** False if there are no failed jobs. Other files may share the budget, and then only they can release it. */
	private get areAllInFailedJobs(): boolean {
		const failed = this.failedJobs.reduce((sum, { entries }) => sum + entries.length, 0);
		return failed > 0 && failed === this.unanswered;
	}

	private follow(job: Job<E, A>): void {
		void this.tasks.start(async () => {
			const { run, waitForJob, isFinished = () => true } = this.options;
			const outcome = await waitForJob(job.accepted, this.tasks).catch(failureOf);
			if (outcome.ok && isFinished(outcome.response)) this.retryFailedJobs();
			if (!outcome.next) return await this.answer({ ...job, outcome });
			const failed = { ...job, failure: outcome };
			const isOver = run.ended !== undefined || job.isRepeated;
			if (isOver || (outcome.next === 'alone' && job.entries.length === 1))
				await this.giveUp(failed);
			else if (outcome.next === 'again') this.resubmit(failed);
			else if (this.hasFinishedJob) this.resubmitEach(failed);
			else this.failedJobs.push(failed);
		});
	}

	private resubmit({ entries, accepted }: Job<E, A>, limits = this.options.limits): void {
		this.options.onRepeat?.(accepted);
		void this.tasks.start(async () => await this.submit([entries], true, limits));
	}

	private resubmitEach(job: FailedJob<E, A>): void {
		const { run, stats = run.stats, limits } = this.options;
		stats.increment('splits');
		this.resubmit(job, { ...limits, maxCount: 1 });
	}

	private retryFailedJobs(): void {
		this.hasFinishedJob = true;
		for (const failedJob of this.failedJobs.splice(0)) this.resubmitEach(failedJob);
	}

	private async giveUpFailedJobs(): Promise<void> {
		for (const failedJob of this.failedJobs.splice(0)) await this.giveUp(failedJob);
	}

	private async giveUp({ entries, accepted, failure }: FailedJob<E, A>): Promise<void> {
		await this.answer({ entries, accepted, outcome: finalFailure(failure) });
	}

	/** Passes the entries' outcome to the consumer, and waits until the consumer has processed it. */
	private async answer({ entries, outcome, accepted }: JobResult<E, A, R>): Promise<void> {
		const { budget, bytesInBudget = () => 0 } = this.options;
		await this.tasks.put({ entries, outcome, ...(accepted !== undefined && { accepted }) });
		this.unanswered -= entries.length;
		for (const entry of entries) budget?.release(bytesInBudget(entry));
	}
}
