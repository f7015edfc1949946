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

/** A batch, or a part of one, with the history of its attempts. */
interface Part<E> {
	batch: Batch<E>;
	/** Bytes of its request. */
	bytes: number;
	policy: RetryPolicy;
	/** Number of its request in this run; 0 before it was sent. */
	request: number;
	/** Attempts so far. */
	attempts: number;
	/** How the attempt before failed, or the request of which this one is a part. */
	last?: Failed | undefined;
	/** Number of entries of the part of which this one is a probe, if it is one. */
	probedSize?: number;
	/** The next attempt sends one of its entries alone. */
	isProbing?: boolean;
	/** It was accepted before, and did not settle. */
	isRepeated?: boolean | undefined;
}

/** A request that was accepted and did not settle, which waits for proof that others do. */
interface Suspect<E, A> {
	batch: Batch<E>;
	info: RequestInfo<A>;
	failure: Failed;
}

export const entriesOf = <E>(batch: Batch<E>): E[] => batch.map(({ entry }) => entry);

/** Sends batches, splits those that the service does not take as a whole, and answers their entries. */
export class BatchSender<E, A, R> {
	/** Shrinks when the service finds a request too large. */
	readonly limits: BatchLimits;
	/** The batches that have not ended, each with its keys. */
	private readonly started = new Map<Keys, Promise<void>>();
	private readonly suspects: Array<Suspect<E, A>> = [];
	/** Another request has settled, so one that does not may be at fault. */
	private hasSettled = false;

	constructor(
		private readonly options: BulkOptions<E, A, R>,
		private readonly tasks: Tasks<BatchResult<E, R, A>>,
	) {
		this.limits = { ...options.limits };
	}

	/** Starts to send a batch, as soon as earlier ones with one of its keys have ended. */
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

	/** An entry that no request can carry. */
	async failUnsendable({ entry, reason, bytes }: Unsendable<E>): Promise<void> {
		const outcome = failureOf(reason);
		endRunAfter(this.options.run, outcome);
		await this.tasks.put({ entries: [entry], outcome, ...NEVER_SENT, bytes });
	}

	/** Entries that are not sent, because the run has ended. */
	async skip(entries: E[], ended: { readonly reason: unknown }): Promise<void> {
		if (entries.length > 0)
			await this.tasks.put({ entries, outcome: skippedFailure(ended), ...NEVER_SENT });
	}

	/** Waits until the budget has room. While only suspects take it, nothing can prove their guilt, so they fail. */
	async room(): Promise<void> {
		const { budget } = this.options;
		while (budget?.isFull && !this.tasks.isAbandoned) {
			if (this.suspects.length > 0 && this.tasks.isIdle) await this.giveUpSuspects();
			else if (this.tasks.isIdle) await budget.nextRelease();
			else await Promise.race([budget.nextRelease(), this.tasks.nextEnd()]);
		}
	}

	/** Waits until every request has settled. */
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

	/** Waits until the answer is processed. */
	private async answer(
		batch: Batch<E>,
		outcome: Outcome<R>,
		info: RequestInfo<A>,
		entries = entriesOf(batch),
	): Promise<void> {
		const { budget, bytesInBudget } = this.options;
		// Frees the texts: V8 may keep the batch for longer, and move them about.
		for (const packed of batch) packed.text = '';
		if (entries.length > 0) await this.tasks.put({ entries, outcome, ...info });
		if (budget && bytesInBudget)
			for (const entry of entries) budget.release(bytesInBudget(entry));
	}

	/** Sends a batch until each of its entries has an outcome: whole at first, in parts if it fails as a whole. */
	private async send(whole: Part<E>): Promise<void> {
		const parts = [whole];
		for (let part; (part = parts.shift()) !== undefined; ) {
			// After the end of the run, what is left has one outcome.
			const isProbe = part.isProbing && part.batch.length > 1 && !this.options.run.ended;
			const next = isProbe ? await this.probe(part) : (await this.attempt(part))?.next;
			part.isProbing = next === 'probe';
			if (next === 'split') parts.unshift(...this.halves(part));
			// The other parts go first: while this one pauses, they show whether the service is up.
			else if (next !== undefined) parts.push(part);
		}
	}

	/** Sends one entry of a part alone, a random one, since the same one might be at fault each time. */
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
		// The rest of the batch counts as a new request.
		Object.assign(part, { request: 0, attempts: 0, bytes: this.bytesOf(batch) });
		this.noteSplit();
		return policy.hasSuccessSince() ? 'split' : 'probe';
	}

	/**
	 * Makes one attempt to send a part, as soon as its policy and the limiter allow it. If that ends the part, its
	 * entries are answered.
	 *
	 * @returns what to do next, if it goes on
	 */
	private async attempt(part: Part<E>): Promise<Unfinished | undefined> {
		const { run, stats = run.stats, limiterClient, settle } = this.options;
		const { batch, bytes, policy } = part;
		const pauseMs = policy.resumeAt === undefined ? 0 : policy.resumeAt - run.now();
		if (pauseMs > 0) await run.sleep(pauseMs);
		const rejected = new Map<E, unknown>();
		// An exception in handling a request fails its entries, never the run.
		const outcome = await limiterClient
			.schedule(async (turn) => await this.sendOnce(part, turn, rejected))
			.catch(failureOf);
		if ('next' in outcome) {
			// The service would refuse this size again.
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
		// Without a second step, entries get what the service answered: `R` is `A` then.
		const answers = [this.answer(batch, outcome as Outcome<never>, info, others)];
		for (const [entry, reason] of rejected)
			answers.push(this.answer(batch, failureOf(reason), info, [entry]));
		await Promise.all(answers);
		return undefined;
	}

	/**
	 * Sends a part once, when it is its turn. A failure that every further request would meet ends the run, and so
	 * does any final one if the run stops at failures.
	 *
	 * @param rejected gets the entries that a successful response rejects, each with the reason
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
		// The limiter still counts this request, so that no waiting request starts before the run knows.
		endRunAfter(run, finalFailure(failure));
		return finalFailure(failure);
	}

	/** Sends a request, and finds the entries that a successful response rejects. */
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
				// Here, since no other request may start before the run knows.
				endRunAfter(run, failureOf(reason));
			}
		return accepted;
	}

	/** Waits for what follows after a request was accepted, and answers its entries or sends them again. */
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

	/** Sends the entries of a request that did not settle, in these batches, all at once. */
	private sendAgain({ info }: Suspect<E, A>, batches: Array<Batch<E>>): void {
		this.options.onRepeat?.(info.accepted as A);
		for (const batch of batches)
			void this.tasks.start(
				async () => await this.send(this.newPart(batch, { isRepeated: true })),
			);
	}

	/** Sends each entry alone, because any of them may be at fault. */
	private sendEachAgain(suspect: Suspect<E, A>): void {
		this.noteSplit();
		this.sendAgain(
			suspect,
			suspect.batch.map((packed) => [packed]),
		);
	}

	/** Others settle, so one of the entries of each suspect is at fault. */
	private proveSuspects(): void {
		this.hasSettled = true;
		for (const suspect of this.suspects.splice(0)) this.sendEachAgain(suspect);
	}

	/** No other request has settled, so it is likely that none would. */
	private async giveUpSuspects(): Promise<void> {
		for (const { batch, info, failure } of this.suspects.splice(0))
			await this.answer(batch, finalFailure(failure), info);
	}

	private noteSplit(): void {
		const { run, stats = run.stats } = this.options;
		stats.increment('splits');
	}

	/** The two parts of a part that failed as a whole. */
	private halves({ batch, policy, last, isRepeated }: Part<E>): Array<Part<E>> {
		if (batch.length > 1) this.noteSplit();
		const middle = Math.ceil(batch.length / 2);
		return [batch.slice(0, middle), batch.slice(middle)]
			.filter(({ length }) => length > 0)
			.map((half) => this.newPart(half, { policy: policy.forPart(), last, isRepeated }));
	}
}
