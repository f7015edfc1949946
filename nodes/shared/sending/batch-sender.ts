/**
 * The `BatchSender` sends one batch until each of its entries has an outcome. It first sends the whole batch. If the
 * whole batch fails, the retry policy chooses the next step. The sender then sends the batch again or in two parts. Each
 * part has its own retry policy. The policy can also let the entries fail or end the run.
 *
 * Chunk Text adds a second step. A request that the service has accepted starts a job, and `followJob` waits for the
 * job. If the service loses the job, the sender submits the same request once more. If the job fails, one of its texts
 * may be at fault, so the sender may submit the texts again one by one. The sender does this only after another job has
 * finished, because a finished job proves that the service works. Until then, the failed job waits. If no other job
 * finishes, every text in a failed job also fails.
 */
import { outcomeOf, type RequestSettings } from './attempt';
import {
	requestBytes,
	type Batch,
	type BatchLimits,
	type FullBatch,
	type Keys,
	type Packing,
	type Unsendable,
} from './batcher';
import type { Budget } from './budget';
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
import type { Consumer, Tasks } from './parallel';
import { RetryPolicy, type FailedAttempt } from './retry-policy';
import type { RunStats } from './run-state';

/** `A` is the response to a request, and `R` is the final result for the request's entries. */
export interface BulkOptions<E, A, R = A> extends Packing<E>, RequestSettings {
	/** `bytes` is the size of the request body. */
	send: (batch: Batch<E>, bytes: number) => Promise<A>;
	/**
	 * Returns the reason why a successful response rejects an entry. Returns undefined if the service accepted the
	 * entry.
	 */
	rejectionOf?: (accepted: A, entry: E) => unknown;
	/**
	 * Waits for the job that an accepted request has started. Requests that wait here do not count toward the
	 * concurrency limit. If the result is `again`, the same request is sent once more. If the result is `split`, each
	 * entry is sent in a separate request. When the consumer leaves, the function should stop waiting.
	 */
	waitForJob?: (accepted: A, consumer: Consumer) => Promise<Outcome<R> | Unfinished>;
	/**
	 * Returns whether a result comes from a job that the service has finished. By default, every successful result
	 * comes from a finished job. A finished job proves that the service works.
	 */
	isFinished?: (result: R) => boolean;
	/** Polls are not counted as requests. */
	arePolls?: boolean;
	/** Called before the entries of an accepted request are sent again. */
	onRepeat?: (accepted: A) => void;
	/** Limits the total size of all entries in flight, including entries whose request is waiting for its job. */
	budget?: Budget;
	bytesInBudget?: (entry: E) => number;
}

export interface RequestInfo<A> {
	/** The response, if the service accepted the request. */
	accepted?: A;
	/**
	 * Position of the request among all requests of the run. The first request has position 1. The position is 0 if the
	 * request was never sent.
	 */
	request: number;
	attempts: number;
	/** Size of the request body. If an entry is too large to be sent, this is the size of the entry. */
	bytes: number;
}

/** Entries from one request that have the same outcome. */
export interface BatchResult<E, A, R = A> extends RequestInfo<A> {
	entries: E[];
	outcome: Outcome<R>;
}

const NEVER_SENT = { request: 0, attempts: 0, bytes: 0 };

/** A batch or a part of a batch, and the history of the attempts to send it. */
interface Part<E> {
	batch: Batch<E>;
	bytes: number;
	policy: RetryPolicy;
	request: number;
	attempts: number;
	/** When a part is split, the new parts inherit this failure. */
	last?: Failed | undefined;
	/** Whether these entries are sent again because the job of an accepted request did not finish. */
	isRepeated?: boolean | undefined;
}

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

export class BatchSender<E, A, R> {
	/** If the service rejects a request as too large, `maxBytes` shrinks. */
	readonly limits: BatchLimits;
	/** The batches that are being sent, indexed by the keys of their entries. */
	private readonly started = new Map<Keys, Promise<void>>();
	private readonly failedJobs: Array<FailedJob<E, A>> = [];
	private hasFinishedJob = false;
	private readonly stats: RunStats;

	constructor(
		private readonly options: BulkOptions<E, A, R>,
		private readonly tasks: Tasks<BatchResult<E, A, R>>,
	) {
		this.limits = { ...options.limits };
		this.stats = options.stats ?? options.run.stats;
	}

	/** The batch first waits for all earlier batches that contain one of its keys. */
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

	async failUnsendable({ entry, reason, bytes }: Unsendable<E>): Promise<void> {
		const outcome = failureOf(reason);
		endRunAfter(this.options.run, outcome);
		await this.tasks.put({ entries: [entry], outcome, ...NEVER_SENT, bytes });
	}

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

	/** Keeps sending a batch until each entry has an outcome or waits for a job. */
	private async sendParts(whole: Part<E>): Promise<void> {
		const parts = [whole];
		for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
			const next = await this.attempt(part);
			if (next === 'singleOut') parts.unshift(...this.singleOut(part));
			else if (next === 'split') parts.unshift(...this.halves(part));
			// This part waits until the other parts are sent. The other parts show whether the service is up.
			else if (next !== undefined) parts.push(part);
		}
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
			if (result.diagnosis.kind === 'tooLarge')
				this.limits.maxBytes = Math.min(this.limits.maxBytes, Math.ceil(bytes / 2));
			return result.next;
		}
		const info = { request: part.request, attempts: part.attempts, bytes };
		if (result.ok) await this.accept(part, result.response, info);
		else await this.answer(batch, result, info);
		return undefined;
	}

	private async sendInTurn(
		part: Part<E>,
		turn: Turn,
	): Promise<Outcome<Accepted<E, A>> | Unfinished> {
		const { options, stats } = this;
		const { run, send, arePolls = false } = options;
		const { batch, bytes, policy, last } = part;
		// The run may have ended while this request waited for its turn.
		if (run.ended) return last ? finalFailure(last) : skippedFailure(run.ended);
		if (++part.attempts > 1) stats.increment('retries');
		if (part.request === 0 && !arePolls) {
			stats.increment('requests');
			part.request = stats.requests;
		}
		run.stats.inFlight++;
		const result = await outcomeOf(send(batch, bytes), turn, options, policy.failures).finally(
			() => run.stats.inFlight--,
		);
		// The limiter still treats this request as in flight while the failure is handled. Otherwise, a waiting request
		// could start before the failure has ended the run.
		if (!result.ok) return this.afterFailure(part, turn, result);
		const { response } = result;
		const accepted = { response, rejected: this.rejectedBy(response, part) };
		stats.increment('bytes', bytes);
		return { ok: true, response: accepted };
	}

	private afterFailure(
		part: Part<E>,
		{ sequence }: Turn,
		{
			reason,
			diagnosis,
			pausesAll,
		}: { reason: unknown } & Pick<FailedAttempt, 'diagnosis' | 'pausesAll'>,
	): Failed | Unfinished {
		const { run, withHistory, forEntry } = this.options;
		const { batch, policy, last } = part;
		const decision = policy.decide({ diagnosis, pausesAll, sequence, size: batch.length });
		let cause = last && withHistory ? withHistory(reason, last.reason) : reason;
		if (policy.isAtFault && forEntry) cause = forEntry(cause);
		const failure = failureOf(cause);
		failure.diagnosis = decision === 'end' ? { ...diagnosis, action: 'stop' } : diagnosis;
		part.last = failure;
		const isFinal = decision === 'fail' || decision === 'end';
		if (!isFinal && !run.ended) return { ...failure, next: decision };
		endRunAfter(run, finalFailure(failure));
		return finalFailure(failure);
	}

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

	private async accept(
		part: Part<E>,
		{ response, rejected }: Accepted<E, A>,
		sent: RequestInfo<A>,
	): Promise<void> {
		const { batch } = part;
		const info = { ...sent, accepted: response };
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

	private retryFailedJobs(): void {
		this.hasFinishedJob = true;
		for (const failedJob of this.failedJobs.splice(0)) this.resubmitEach(failedJob);
	}

	private async giveUpFailedJobs(): Promise<void> {
		for (const failedJob of this.failedJobs.splice(0)) await this.giveUp(failedJob);
	}

	private async giveUp({ batch, info, failure }: FailedJob<E, A>): Promise<void> {
		await this.answer(batch, finalFailure(failure), info);
	}

	/** Sends a random entry by itself. A fixed choice might always be the bad entry. */
	private singleOut(part: Part<E>): Array<Part<E>> {
		const { batch } = part;
		const at = Math.floor(this.options.run.random() * batch.length);
		return this.partsOf(part, [batch.slice(at, at + 1), batch.toSpliced(at, 1)]);
	}

	private halves(part: Part<E>): Array<Part<E>> {
		const { batch } = part;
		const middle = Math.ceil(batch.length / 2);
		return this.partsOf(part, [batch.slice(0, middle), batch.slice(middle)]);
	}

	private partsOf(
		{ policy, last, isRepeated }: Part<E>,
		batches: Array<Batch<E>>,
	): Array<Part<E>> {
		this.stats.increment('splits');
		return batches.map((batch) =>
			this.newPart(batch, { policy: policy.forPart(), last, isRepeated }),
		);
	}
}
