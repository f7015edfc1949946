/**
 * The `BatchSender` sends one batch until each of its entries has an outcome. It first sends the whole batch. If the
 * whole batch fails, the retry policy chooses the next step. The sender then sends the batch again, sends one random
 * entry as a probe, or splits the batch into halves. Each half has its own retry policy. The policy can also let the
 * entries fail or end the run.
 *
 * Chunk Text adds a second step. A request that the service has accepted starts a job, and `followJob` waits for the
 * job. If the service loses the job, the sender submits the same request once more. If the job fails, one of its texts
 * may be at fault, so the sender may submit the texts again one by one. The sender does this only after another job has
 * finished, because a finished job proves that the service works. Until then, the failed job waits. If no other job
 * finishes, every text in a failed job also fails.
 */
import { outcomeOf } from './attempt';
import {
	requestBytes,
	type Batch,
	type BatchLimits,
	type FullBatch,
	type Keys,
	type Unsendable,
} from './batcher';
import type { Budget } from './budget';
import type { BatchResult, BulkOptions, RequestInfo } from './bulk-options';
import type { Turn } from './limiter';
import {
	endRunAfter,
	failureOf,
	skippedFailure,
	finalFailure,
	type Failed,
	type Outcome,
	type Unfinished,
} from './outcome';
import type { Tasks } from './parallel';
import { RetryPolicy } from './retry-policy';
import type { RunStats } from './run-state';

const NEVER_SENT = { request: 0, attempts: 0, bytes: 0 };

/** A batch or a part of a batch, and the history of the attempts to send it. */
interface Part<E> {
	batch: Batch<E>;
	bytes: number;
	policy: RetryPolicy;
	/**
	 * Position of the request among all requests of the run. The first position is 1. The value is 0 before the first
	 * attempt.
	 */
	request: number;
	attempts: number;
	/** Failure of the last attempt. When a part is split, the new parts inherit this failure. */
	last?: Failed | undefined;
	/** For a probe, the number of entries in the part that the probe was taken from. */
	probedSize?: number;
	/** Whether the next attempt sends only one of the entries. */
	isProbing?: boolean;
	/** Whether these entries are sent again because the job of an accepted request did not finish. */
	isRepeated?: boolean | undefined;
}

/** A successful response. `rejected` maps each rejected entry to the reason for its rejection. */
interface Accepted<E, A> {
	response: A;
	rejected: ReadonlyMap<E, unknown>;
}

interface FailedJob<E, A> {
	batch: Batch<E>;
	info: Required<RequestInfo<A>>;
	failure: Unfinished;
}

export const entriesOf = <E>(batch: Batch<E>): E[] => batch.map(({ entry }) => entry);

/** Sends batches and passes the outcomes of their entries to the consumer. */
export class BatchSender<E, A, R> {
	/** Limits for one request. If the service rejects a request as too large, `maxBytes` shrinks. */
	readonly limits: BatchLimits;
	/** The batches that are being sent, indexed by the keys of their entries. */
	private readonly started = new Map<Keys, Promise<void>>();
	/** Failed jobs that are waiting for another job to finish. */
	private readonly failedJobs: Array<FailedJob<E, A>> = [];
	/**
	 * Whether at least one job has finished. If so, the service works, and a failed job probably contains a bad text.
	 */
	private hasFinishedJob = false;
	private readonly stats: RunStats;

	constructor(
		private readonly options: BulkOptions<E, A, R>,
		private readonly tasks: Tasks<BatchResult<E, A, R>>,
	) {
		this.limits = { ...options.limits };
		this.stats = options.stats ?? options.run.stats;
	}

	/** Starts sending a batch. The batch first waits for all earlier batches that contain one of its keys. */
	start({ batch, keys, bytes }: FullBatch<E>): void {
		const { started, options } = this;
		const { budget, bytesInBudget } = options;
		if (budget && bytesInBudget)
			for (const { entry } of batch) budget.take(bytesInBudget(entry));
		const list = [...keys.keys()];
		const earlier = [...started].flatMap(([others, end]) =>
			list.some((key) => others.has(key)) ? end : [],
		);
		const sending = this.tasks.start(async () => {
			await Promise.all(earlier);
			await this.sendParts(this.newPart(batch, { bytes }));
			started.delete(keys);
		});
		started.set(keys, sending);
	}

	/** Reports the failure of an entry that does not fit into any request. */
	async failUnsendable({ entry, reason, bytes }: Unsendable<E>): Promise<void> {
		const outcome = failureOf(reason);
		endRunAfter(this.options.run, outcome);
		await this.tasks.put({ entries: [entry], outcome, ...NEVER_SENT, bytes });
	}

	/** Reports entries that are never sent because the run has ended. */
	async skip(entries: E[], ended: { readonly reason: unknown }): Promise<void> {
		if (entries.length > 0)
			await this.tasks.put({ entries, outcome: skippedFailure(ended), ...NEVER_SENT });
	}

	/**
	 * Waits until the budget allows another entry. The texts of failed jobs stay in the budget until another job
	 * finishes. If these texts fill the budget, no other job can start. In that case, the texts fail immediately.
	 */
	async waitForBudget(budget: Budget): Promise<void> {
		while (budget.isFull && !this.tasks.isAbandoned) {
			if (this.failedJobs.length > 0 && this.tasks.isIdle) await this.giveUpFailedJobs();
			else if (this.tasks.isIdle) await budget.nextRelease();
			else await Promise.race([budget.nextRelease(), this.tasks.nextEnd()]);
		}
	}

	async end(): Promise<void> {
		for (;;) {
			while (!this.tasks.isIdle) await this.tasks.nextEnd();
			if (this.failedJobs.length === 0) return;
			await this.giveUpFailedJobs();
		}
	}

	private newPart(batch: Batch<E>, history: Partial<Part<E>>): Part<E> {
		const { bytes = this.bytesOf(batch), policy = new RetryPolicy(this.options) } = history;
		return { ...history, batch, bytes, policy, request: 0, attempts: 0 };
	}

	private bytesOf(batch: Batch<E>): number {
		const sum = batch.reduce((before, { bytes }) => before + bytes, 0);
		return requestBytes(batch.length, sum, this.limits);
	}

	/** Passes the entries' outcome to the consumer, and waits until the consumer has processed it. */
	private async answer(
		batch: Batch<E>,
		outcome: Outcome<R>,
		info: RequestInfo<A>,
		entries = entriesOf(batch),
	): Promise<void> {
		const { budget, bytesInBudget } = this.options;
		// V8 can keep the batch in memory longer than needed, so the texts of the batch are released here.
		for (const packed of batch) packed.text = '';
		if (entries.length > 0) await this.tasks.put({ entries, outcome, ...info });
		if (budget && bytesInBudget)
			for (const entry of entries) budget.release(bytesInBudget(entry));
	}

	/**
	 * Keeps sending a batch until each entry has an outcome or waits for a job. If the batch is split, sends the parts.
	 */
	private async sendParts(whole: Part<E>): Promise<void> {
		const parts = [whole];
		for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
			// After the run ends, no probe is sent, and all remaining entries share one outcome.
			const isProbe = part.isProbing && part.batch.length > 1 && !this.options.run.ended;
			const next = isProbe ? await this.probe(part) : await this.attempt(part);
			part.isProbing = next === 'probe';
			if (next === 'split') parts.unshift(...this.halves(part));
			// This part waits until the other parts are sent. The other parts show whether the service is up.
			else if (next !== undefined) parts.push(part);
		}
	}

	/**
	 * Sends a request with only one entry. The entry is chosen at random, because a fixed choice might hit the bad
	 * entry each time.
	 */
	private async probe(part: Part<E>): Promise<Unfinished['next']> {
		const { batch, policy, last, isRepeated } = part;
		const probedSize = batch.length;
		const at = Math.floor(this.options.run.random() * probedSize);
		const [probed] = batch.splice(at, 1);
		if (probed === undefined) return 'again';
		const probe = this.newPart([probed], { policy, last, isRepeated, probedSize });
		const next = await this.attempt(probe);
		part.last = probe.last;
		if (next !== undefined) {
			batch.splice(at, 0, probed);
			return next;
		}
		// The probe does not need to be sent again, so the remaining entries are sent as a new request.
		Object.assign(part, { request: 0, attempts: 0, bytes: this.bytesOf(batch) });
		this.stats.increment('splits');
		return policy.hasSuccessSince() ? 'split' : 'probe';
	}

	/**
	 * Waits until the part's retry policy and the limiter allow an attempt, and then attempts to send the part once. If
	 * the attempt decides the outcome of the entries, passes the outcome to the consumer.
	 *
	 * @returns what to do next, or undefined if the part does not need to be sent again
	 */
	private async attempt(part: Part<E>): Promise<Unfinished['next'] | undefined> {
		const { run, limiterClient } = this.options;
		const { batch, bytes, policy } = part;
		const pauseMs = policy.resumeAt === undefined ? 0 : policy.resumeAt - run.now();
		if (pauseMs > 0) await run.sleep(pauseMs);
		// If an unexpected error occurs, only the entries of this request fail. The run continues.
		const result = await limiterClient
			.schedule(async (turn) => await this.sendInTurn(part, turn))
			.catch(failureOf);
		if (result.next) {
			// The service would also reject later requests of this size.
			if (result.verdict.tooLarge)
				this.limits.maxBytes = Math.min(this.limits.maxBytes, Math.ceil(bytes / 2));
			return result.next;
		}
		const info = { request: part.request, attempts: part.attempts, bytes };
		if (result.ok) await this.accept(part, result.response, info);
		else await this.answer(batch, result, info);
		return undefined;
	}

	/** Makes one attempt to send a part whose turn has come. */
	private async sendInTurn(
		part: Part<E>,
		turn: Turn,
	): Promise<Outcome<Accepted<E, A>> | Unfinished> {
		const { options, stats } = this;
		const { run, send, arePolls = false } = options;
		const { batch, bytes, policy, last, probedSize } = part;
		// The run may have ended while this request waited for its turn.
		if (run.ended) return last ? finalFailure(last) : skippedFailure(run.ended);
		if (++part.attempts > 1) stats.increment('retries');
		if (part.request === 0 && !arePolls) {
			stats.increment('requests');
			part.request = stats.requests;
		}
		const failuresBefore = probedSize === undefined ? policy.failures : 0;
		run.stats.inFlight++;
		const result = await outcomeOf(send(batch, bytes), turn, options, failuresBefore).finally(
			() => run.stats.inFlight--,
		);
		// The limiter still treats this request as in flight while the failure is handled. Otherwise, a waiting request
		// could start before the failure has ended the run.
		if (!result.ok) return this.afterFailure(part, turn, result);
		const { response } = result;
		const accepted = { response, rejected: this.rejectedBy(response, part) };
		return { ok: true, response: accepted };
	}

	/**
	 * Decides what follows a failed attempt. Ends the run if every further request would fail in the same way. If the
	 * run stops on failures, a final failure also ends the run.
	 */
	private afterFailure(
		part: Part<E>,
		{ sequence }: Turn,
		{ reason, verdict }: Failed,
	): Failed | Unfinished {
		const { run, withHistory, forEntry } = this.options;
		const { batch, policy, last, probedSize } = part;
		const decision = policy.decide({
			verdict,
			sequence,
			size: probedSize ?? batch.length,
			isProbe: probedSize !== undefined,
		});
		let cause = last && withHistory ? withHistory(reason, last.reason) : reason;
		if (policy.isAtFault && forEntry) cause = forEntry(cause);
		const failure = failureOf(cause);
		failure.verdict = decision === 'end' ? { ...verdict, action: 'stop' } : verdict;
		part.last = failure;
		const isFinal = decision === 'fail' || decision === 'end';
		if (!isFinal && !run.ended) return { ...failure, next: decision };
		endRunAfter(run, finalFailure(failure));
		return finalFailure(failure);
	}

	/**
	 * Returns the entries that a successful response rejects. A rejected entry ends the run if the run is set to stop
	 * on failures.
	 */
	private rejectedBy(response: A, { batch, last }: Part<E>): Accepted<E, A>['rejected'] {
		const { run, rejectionOf, withHistory } = this.options;
		const rejected = new Map<E, unknown>();
		if (rejectionOf === undefined) return rejected;
		for (const { entry } of batch) {
			const rejection = rejectionOf(response, entry);
			if (rejection === undefined) continue;
			const reason = withHistory ? withHistory(rejection, last?.reason) : rejection;
			rejected.set(entry, reason);
			endRunAfter(run, failureOf(reason));
		}
		return rejected;
	}

	/**
	 * Handles an accepted request. If the request started a job, starts waiting for the job. Otherwise, passes the
	 * entries' outcomes to the consumer.
	 */
	private async accept(
		part: Part<E>,
		{ response, rejected }: Accepted<E, A>,
		sent: RequestInfo<A>,
	): Promise<void> {
		const { batch, bytes } = part;
		const info = { ...sent, accepted: response };
		this.stats.increment('bytes', bytes);
		if (this.options.waitForJob) {
			void this.tasks.follow(async () => await this.followJob(part, info));
			return;
		}
		const entries = entriesOf(batch);
		const others = rejected.size > 0 ? entries.filter((each) => !rejected.has(each)) : entries;
		// Without jobs, `R` is the same type as `A`, so the response itself is the result.
		const outcome = { ok: true, response } as Outcome<never>;
		const answers = [this.answer(batch, outcome, info, others)];
		for (const [entry, reason] of rejected)
			answers.push(this.answer(batch, failureOf(reason), info, [entry]));
		await Promise.all(answers);
	}

	/** Waits for an accepted request's job. Then passes on the job's outcome or sends the entries again. */
	private async followJob(part: Part<E>, info: Required<RequestInfo<A>>): Promise<void> {
		const { run, waitForJob, isFinished = () => true } = this.options;
		const { batch, isRepeated = false } = part;
		const result = await waitForJob?.(info.accepted, this.tasks).catch(failureOf);
		if (result === undefined) return;
		if (result.ok && isFinished(result.response)) this.retryFailedJobs();
		if (!result.next) return await this.answer(batch, result, info);
		const failedJob = { batch, info, failure: result };
		const isOver = run.ended !== undefined || isRepeated;
		if (isOver || (result.next === 'split' && batch.length === 1)) await this.giveUp(failedJob);
		else if (result.next !== 'split') this.resubmit(failedJob, [batch]);
		else if (this.hasFinishedJob) this.resubmitEach(failedJob);
		else this.failedJobs.push(failedJob);
	}

	private resubmit({ info }: FailedJob<E, A>, batches: Array<Batch<E>>): void {
		this.options.onRepeat?.(info.accepted);
		for (const batch of batches)
			void this.tasks.start(
				async () => await this.sendParts(this.newPart(batch, { isRepeated: true })),
			);
	}

	private resubmitEach(failedJob: FailedJob<E, A>): void {
		this.stats.increment('splits');
		this.resubmit(
			failedJob,
			failedJob.batch.map((packed) => [packed]),
		);
	}

	/**
	 * Called when a job has finished. The finished job shows that the service works. Each failed job therefore probably
	 * contains a bad text. The texts of failed jobs are submitted again in separate requests.
	 */
	private retryFailedJobs(): void {
		this.hasFinishedJob = true;
		for (const failedJob of this.failedJobs.splice(0)) this.resubmitEach(failedJob);
	}

	/**
	 * Marks the texts of failed jobs as failed instead of submitting them again. Called if no other job has finished.
	 * In that case, the problem is probably the service and not a text.
	 */
	private async giveUpFailedJobs(): Promise<void> {
		for (const failedJob of this.failedJobs.splice(0)) await this.giveUp(failedJob);
	}

	private async giveUp({ batch, info, failure }: FailedJob<E, A>): Promise<void> {
		await this.answer(batch, finalFailure(failure), info);
	}

	private halves({ batch, policy, last, isRepeated }: Part<E>): Array<Part<E>> {
		if (batch.length > 1) this.stats.increment('splits');
		const middle = Math.ceil(batch.length / 2);
		return [batch.slice(0, middle), batch.slice(middle)]
			.filter(({ length }) => length > 0)
			.map((half) => this.newPart(half, { policy: policy.forPart(), last, isRepeated }));
	}
}
