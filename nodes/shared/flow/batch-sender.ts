/**
 * The `BatchSender` sends one batch until each of its entries has an outcome. At first it sends the batch whole. If the
 * batch fails as a whole, the retry policy decides whether the sender repeats it, sends one random entry alone as a
 * probe, or splits the batch in halves. Each half has a retry policy of its own.
 *
 * Chunk Text adds a second step: a request that the service accepted has started a job, and `settle` waits for the job.
 * A job that the service has lost is submitted once more as it was. If a job fails, its texts may be submitted again
 * one by one, because one of them may be at fault. Such a request is a suspect at first. The sender waits until another
 * job has finished, because this proves that the service works. Without this proof the suspects fail.
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

const NEVER_SENT = { request: 0, attempts: 0, bytes: 0 };

/** A batch, or a part of a batch, with the history of its attempts. */
interface Part<E> {
	batch: Batch<E>;
	/** Bytes of the request body. */
	bytes: number;
	policy: RetryPolicy;
	/** Number of the request in this run. It is 0 before the part is sent. */
	request: number;
	attempts: number;
	/** Failure of the last attempt. A new part starts with the failure of the part that it was split from. */
	last?: Failed | undefined;
	/** If this part is a probe: number of entries of the part that it was taken from. */
	probedSize?: number;
	/** Whether the next attempt sends only one of the entries. */
	isProbing?: boolean;
	/** Whether the service has accepted these entries before, but their job did not finish. */
	isRepeated?: boolean | undefined;
}

/** An accepted request whose job failed. It waits until another job has finished. */
interface Suspect<E, A> {
	batch: Batch<E>;
	info: RequestInfo<A>;
	failure: Failed;
}

export const entriesOf = <E>(batch: Batch<E>): E[] => batch.map(({ entry }) => entry);

/** Sends batches, and passes the outcomes of their entries to the consumer. */
export class BatchSender<E, A, R> {
	/** Limits of a request. `maxBytes` shrinks when the service rejects a request as too large. */
	readonly limits: BatchLimits;
	/** The batches that are being sent, by their keys. */
	private readonly started = new Map<Keys, Promise<void>>();
	private readonly suspects: Array<Suspect<E, A>> = [];
	/** Whether a job has finished, so that a job that fails is likely to have a bad text. */
	private hasSettled = false;

	constructor(
		private readonly options: BulkOptions<E, A, R>,
		private readonly tasks: Tasks<BatchResult<E, R, A>>,
	) {
		this.limits = { ...options.limits };
	}

	/** Starts a batch. It waits for earlier batches that contain one of its keys. */
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
			await this.send(this.newPart(batch, { bytes }));
			started.delete(keys);
		});
		started.set(keys, sending);
	}

	/** Fails an entry that no request can carry. */
	async failUnsendable({ entry, reason, bytes }: Unsendable<E>): Promise<void> {
		const outcome = failureOf(reason);
		endRunAfter(this.options.run, outcome);
		await this.tasks.put({ entries: [entry], outcome, ...NEVER_SENT, bytes });
	}

	/** Passes on entries that are never sent because the run has ended. */
	async skip(entries: E[], ended: { readonly reason: unknown }): Promise<void> {
		if (entries.length > 0)
			await this.tasks.put({ entries, outcome: skippedFailure(ended), ...NEVER_SENT });
	}

	/** Waits until the budget has room. If only suspects fill the budget, no other job can finish, so they fail. */
	async room(): Promise<void> {
		const { budget } = this.options;
		while (budget?.isFull && !this.tasks.isAbandoned) {
			if (this.suspects.length > 0 && this.tasks.isIdle) await this.giveUpSuspects();
			else if (this.tasks.isIdle) await budget.nextRelease();
			else await Promise.race([budget.nextRelease(), this.tasks.nextEnd()]);
		}
	}

	/** Waits until all entries have an outcome. */
	async end(): Promise<void> {
		for (;;) {
			while (!this.tasks.isIdle) await this.tasks.nextEnd();
			if (this.suspects.length === 0) return;
			await this.giveUpSuspects();
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

	/** Passes an outcome of entries to the consumer, and waits until the consumer has processed it. */
	private async answer(
		batch: Batch<E>,
		outcome: Outcome<R>,
		info: RequestInfo<A>,
		entries = entriesOf(batch),
	): Promise<void> {
		const { budget, bytesInBudget } = this.options;
		// V8 may keep the batch in memory for longer, so its texts are released here.
		for (const packed of batch) packed.text = '';
		if (entries.length > 0) await this.tasks.put({ entries, outcome, ...info });
		if (budget && bytesInBudget)
			for (const entry of entries) budget.release(bytesInBudget(entry));
	}

	private async send(whole: Part<E>): Promise<void> {
		const parts = [whole];
		for (let part; (part = parts.shift()) !== undefined; ) {
			// After the end of the run no probe is sent, and all remaining entries share one outcome.
			const isProbe = part.isProbing && part.batch.length > 1 && !this.options.run.ended;
			const next = isProbe ? await this.probe(part) : (await this.attempt(part))?.next;
			part.isProbing = next === 'probe';
			if (next === 'split') parts.unshift(...this.halves(part));
			// The other parts are sent first. They show whether the service is up while this part pauses.
			else if (next !== undefined) parts.push(part);
		}
	}

	/** Sends one entry alone. The entry is random, because a fixed one might be the bad one each time. */
	private async probe(part: Part<E>): Promise<Unfinished['next']> {
		const { batch, policy, last, isRepeated } = part;
		const probedSize = batch.length;
		const at = Math.floor(this.options.run.random() * probedSize);
		const [probed] = batch.splice(at, 1);
		if (probed === undefined) return 'again';
		const probe = this.newPart([probed], { policy, last, isRepeated, probedSize });
		const unfinished = await this.attempt(probe);
		part.last = probe.last;
		if (unfinished) {
			batch.splice(at, 0, probed);
			return unfinished.next;
		}
		// The probed entry has its outcome, so the remaining entries count as a new request.
		Object.assign(part, { request: 0, attempts: 0, bytes: this.bytesOf(batch) });
		this.noteSplit();
		return policy.hasSuccessSince() ? 'split' : 'probe';
	}

	/**
	 * Makes one attempt to send a part, as soon as its retry policy and the limiter allow the attempt. Passes on the
	 * outcome of the entries if they have one.
	 *
	 * @returns what to do next, or undefined if the entries have an outcome
	 */
	private async attempt(part: Part<E>): Promise<Unfinished | undefined> {
		const { run, stats = run.stats, limiterClient, settle } = this.options;
		const { batch, bytes, policy } = part;
		const pauseMs = policy.resumeAt === undefined ? 0 : policy.resumeAt - run.now();
		if (pauseMs > 0) await run.sleep(pauseMs);
		const rejected = new Map<E, unknown>();
		// An exception while a request is handled fails the entries of this request, but never the run.
		const outcome = await limiterClient
			.schedule(async (turn) => await this.sendOnce(part, turn, rejected))
			.catch(failureOf);
		if ('next' in outcome) {
			// The service would reject later requests of this size too.
			if (outcome.failure.verdict.tooLarge)
				this.limits.maxBytes = Math.min(this.limits.maxBytes, Math.ceil(bytes / 2));
			return outcome;
		}
		const info: RequestInfo<A> = { request: part.request, attempts: part.attempts, bytes };
		if (!outcome.ok) {
			await this.answer(batch, outcome, info);
			return undefined;
		}
		stats.increment('bytes', bytes);
		info.accepted = outcome.response;
		if (settle) {
			void this.tasks.follow(async () => await this.settle(part, info));
			return undefined;
		}
		const entries = entriesOf(batch);
		const others = rejected.size > 0 ? entries.filter((each) => !rejected.has(each)) : entries;
		// Without `settle`, `R` is `A`, so the entries get the response itself.
		const answers = [this.answer(batch, outcome as Outcome<never>, info, others)];
		for (const [entry, reason] of rejected)
			answers.push(this.answer(batch, failureOf(reason), info, [entry]));
		await Promise.all(answers);
		return undefined;
	}

	/**
	 * Sends a part once, in its turn. Ends the run after a failure that every further request would meet. Also ends a
	 * run that stops at failures after any final failure.
	 *
	 * @param rejected receives the entries that a successful response rejects, each with the reason
	 */
	private async sendOnce(
		part: Part<E>,
		turn: Turn,
		rejected: Map<E, unknown>,
	): Promise<Outcome<A> | Unfinished> {
		const { options } = this;
		const { run, stats = run.stats, arePolls = false } = options;
		const { withHistory = (reason) => reason, forEntry = (reason) => reason } = options;
		const { batch, policy, last, probedSize } = part;
		// The run may have ended while this request waited for its turn.
		if (run.ended) return last ? finalFailure(last) : skippedFailure(run.ended);
		if (++part.attempts > 1) stats.increment('retries');
		if (part.request === 0 && !arePolls) {
			stats.increment('requests');
			part.request = stats.requests;
		}
		const failuresBefore = probedSize === undefined ? policy.failures : 0;
		let result: Outcome<A>;
		run.stats.inFlight++;
		try {
			const sent = this.sendBatch(part, rejected);
			result = await outcomeOf(sent, turn, options, failuresBefore);
		} finally {
			run.stats.inFlight--;
		}
		if (result.ok) return result;
		const { verdict } = result;
		const decision = policy.decide({
			verdict,
			sequence: turn.sequence,
			size: probedSize ?? batch.length,
			isProbe: probedSize !== undefined,
		});
		const reason = last ? withHistory(result.reason, last.reason) : result.reason;
		const failure = failureOf(policy.isAtFault ? forEntry(reason) : reason);
		failure.verdict = decision === 'end' ? { ...verdict, action: 'stop' } : verdict;
		part.last = failure;
		const isFinal = decision === 'fail' || decision === 'end';
		if (!isFinal && !(run.ended && decision !== 'split')) return { next: decision, failure };
		// This must happen while the limiter still counts this request, or a waiting request would start.
		endRunAfter(run, finalFailure(failure));
		return finalFailure(failure);
	}

	private async sendBatch(
		{ batch, bytes, last }: Part<E>,
		rejected: Map<E, unknown>,
	): Promise<A> {
		const { run, send, rejectionOf, withHistory = (reason) => reason } = this.options;
		const accepted = await send(batch, bytes);
		if (rejectionOf)
			for (const { entry } of batch) {
				const why = rejectionOf(accepted, entry);
				if (why === undefined) continue;
				const reason = withHistory(why, last?.reason);
				rejected.set(entry, reason);
				// The run must end before the limiter lets another request start.
				endRunAfter(run, failureOf(reason));
			}
		return accepted;
	}

	/** Waits for the job of an accepted request. Then passes on its outcome, or sends its entries again. */
	private async settle(part: Part<E>, info: RequestInfo<A>): Promise<void> {
		const { run, settle } = this.options;
		const { batch, isRepeated = false } = part;
		const result = await settle?.(info.accepted as A, this.tasks).catch(failureOf);
		if (result === undefined) return;
		if (!('next' in result)) {
			if (result.ok) this.proveSuspects();
			return await this.answer(batch, result, info);
		}
		const { next, failure } = result;
		const suspect = { batch, info, failure };
		const isOver = run.ended !== undefined || isRepeated;
		if (isOver || (next === 'split' && batch.length === 1))
			await this.answer(batch, finalFailure(failure), info);
		else if (next !== 'split') this.sendAgain(suspect, [batch]);
		else if (this.hasSettled) this.sendEachAgain(suspect);
		else this.suspects.push(suspect);
	}

	/** Sends entries of an accepted request again, in all these batches at once. */
	private sendAgain({ info }: Suspect<E, A>, batches: Array<Batch<E>>): void {
		this.options.onRepeat?.(info.accepted as A);
		for (const batch of batches)
			void this.tasks.start(
				async () => await this.send(this.newPart(batch, { isRepeated: true })),
			);
	}

	private sendEachAgain(suspect: Suspect<E, A>): void {
		this.noteSplit();
		this.sendAgain(
			suspect,
			suspect.batch.map((packed) => [packed]),
		);
	}

	/** Notes that a job has finished. It proves that each suspect has an entry that is at fault. */
	private proveSuspects(): void {
		this.hasSettled = true;
		for (const suspect of this.suspects.splice(0)) this.sendEachAgain(suspect);
	}

	/** Fails the suspects. No other job has finished, so the service is probably at fault. */
	private async giveUpSuspects(): Promise<void> {
		for (const { batch, info, failure } of this.suspects.splice(0))
			await this.answer(batch, finalFailure(failure), info);
	}

	private noteSplit(): void {
		const { run, stats = run.stats } = this.options;
		stats.increment('splits');
	}

	private halves({ batch, policy, last, isRepeated }: Part<E>): Array<Part<E>> {
		if (batch.length > 1) this.noteSplit();
		const middle = Math.ceil(batch.length / 2);
		return [batch.slice(0, middle), batch.slice(middle)]
			.filter(({ length }) => length > 0)
			.map((half) => this.newPart(half, { policy: policy.forPart(), last, isRepeated }));
	}
}
