/**
 * The `BatchSender` sends one batch until each of its entries has an outcome. It first sends the whole batch. If the
 * whole batch fails, the retry policy chooses the next step. The sender repeats the batch, sends one random entry as a
 * probe, or splits the batch into halves. Each half has its own retry policy.
 *
 * Chunk Text adds a second step. A request that the service has accepted starts a job, and `settle` waits for the job.
 * If the service loses the job, the sender submits the same request once more. If the job fails, one of its texts may
 * be at fault, so the sender may submit the texts again one by one. It does so only after another job has finished,
 * because this proves that the service works. Until then, the failed request is called a suspect. If no other job
 * finishes, the suspects fail.
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

/** A batch or a part of one, with the history of its attempts. */
interface Part<E> {
	batch: Batch<E>;
	/** Size of the request body. */
	bytes: number;
	policy: RetryPolicy;
	/** Number of the request in this run, or 0 before the part is sent. */
	request: number;
	attempts: number;
	/** Failure of the last attempt. When a batch or part is split, each new part inherits this failure. */
	last?: Failed | undefined;
	/** For a probe, the number of entries in the part that the probe was taken from. */
	probedSize?: number;
	/** Whether the next attempt sends only one of the entries. */
	isProbing?: boolean;
	/** Whether the service accepted these entries before, but their job did not finish. */
	isRepeated?: boolean | undefined;
}

/** An accepted request whose job failed. It waits until another job finishes. */
interface Suspect<E, A> {
	batch: Batch<E>;
	info: RequestInfo<A>;
	failure: Failed;
}

export const entriesOf = <E>(batch: Batch<E>): E[] => batch.map(({ entry }) => entry);

/** Sends batches and passes the outcomes of their entries to the consumer. */
export class BatchSender<E, A, R> {
	/** Limits for one request. `maxBytes` shrinks when the service rejects a request as too large. */
	readonly limits: BatchLimits;
	/** The batches that are being sent, indexed by the keys of their entries. */
	private readonly started = new Map<Keys, Promise<void>>();
	private readonly suspects: Array<Suspect<E, A>> = [];
	/** Whether any job has finished. If so, the service works, and a failed job probably contains a bad text. */
	private hasSettled = false;

	constructor(
		private readonly options: BulkOptions<E, A, R>,
		private readonly tasks: Tasks<BatchResult<E, R, A>>,
	) {
		this.limits = { ...options.limits };
	}

	/** Starts a batch. If earlier batches contain one of its keys, the batch waits for them. */
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
	 * Waits until the budget has room. If only suspects fill the budget, no other job can finish, so the suspects fail.
	 */
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

	/** Passes the entries' outcome to the consumer, and waits until the consumer has processed it. */
	private async answer(
		batch: Batch<E>,
		outcome: Outcome<R>,
		info: RequestInfo<A>,
		entries = entriesOf(batch),
	): Promise<void> {
		const { budget, bytesInBudget } = this.options;
		// V8 may keep the batch in memory longer than needed, so its texts are released here.
		for (const packed of batch) packed.text = '';
		if (entries.length > 0) await this.tasks.put({ entries, outcome, ...info });
		if (budget && bytesInBudget)
			for (const entry of entries) budget.release(bytesInBudget(entry));
	}

	private async send(whole: Part<E>): Promise<void> {
		const parts = [whole];
		for (let part; (part = parts.shift()) !== undefined; ) {
			// After the run ends, no probe is sent, and all remaining entries share one outcome.
			const isProbe = part.isProbing && part.batch.length > 1 && !this.options.run.ended;
			const next = isProbe ? await this.probe(part) : (await this.attempt(part))?.next;
			part.isProbing = next === 'probe';
			if (next === 'split') parts.unshift(...this.halves(part));
			// The other parts are sent first. While this part waits, they show whether the service is up.
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
		const unfinished = await this.attempt(probe);
		part.last = probe.last;
		if (unfinished) {
			batch.splice(at, 0, probed);
			return unfinished.next;
		}
		// The probed entry has its outcome, so the remaining entries are sent as a new request.
		Object.assign(part, { request: 0, attempts: 0, bytes: this.bytesOf(batch) });
		this.noteSplit();
		return policy.hasSuccessSince() ? 'split' : 'probe';
	}

	/**
	 * Makes one attempt to send a part as soon as the part's retry policy and the limiter allow it. If the attempt
	 * decides the entries' outcome, the outcome is passed on.
	 *
	 * @returns what to do next, or undefined if the entries have an outcome
	 */
	private async attempt(part: Part<E>): Promise<Unfinished | undefined> {
		const { run, stats = run.stats, limiterClient, settle } = this.options;
		const { batch, bytes, policy } = part;
		const pauseMs = policy.resumeAt === undefined ? 0 : policy.resumeAt - run.now();
		if (pauseMs > 0) await run.sleep(pauseMs);
		const rejected = new Map<E, unknown>();
		// An exception during a request fails the entries in that request, but never the run.
		const outcome = await limiterClient
			.schedule(async (turn) => await this.sendOnce(part, turn, rejected))
			.catch(failureOf);
		if ('next' in outcome) {
			// The service would also reject later requests of this size.
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
		// Without `settle`, `R` is the same type as `A`, so the response itself is the result.
		const answers = [this.answer(batch, outcome as Outcome<never>, info, others)];
		for (const [entry, reason] of rejected)
			answers.push(this.answer(batch, failureOf(reason), info, [entry]));
		await Promise.all(answers);
		return undefined;
	}

	/**
	 * Sends a part once, when its turn comes. Ends the run if every further request would fail in the same way. If the
	 * run stops at failures, any final failure ends the run.
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
		// The run must end while the limiter still treats this request as in flight. Otherwise, a waiting request would
		// start.
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

	/** Waits for an accepted request's job. Then passes on the job's outcome or sends the entries again. */
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

	/**
	 * Notes that a job has finished, and sends the suspects again. The service works, so each suspect probably contains
	 * a bad entry.
	 */
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
