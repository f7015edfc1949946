import {
	Batcher,
	entriesOf,
	requestBytes,
	type Batch,
	type BatchLimits,
	type FullBatch,
	type Keys,
	type Packing,
	type Unsendable,
} from './batcher';
import { attempt, type RequestSettings, type Sending } from './attempt';
import type { Budget } from './budget';
import {
	endRunAfter,
	failed,
	skipped,
	terminal,
	type Failed,
	type Outcome,
	type Unfinished,
} from './outcome';
import { inParallel, type Tasks } from './parallel';
import { RetryPolicy } from './retry-policy';

/** How entries are sent in bulk. `A` is what the service answers, `R` what the entries get in the end. */
export interface BulkOptions<E, A, R = A> extends Packing<E>, RequestSettings {
	/** Sends one request, of so many bytes. */
	send: (batch: Batch<E>, bytes: number) => Promise<A>;
	/** Why a successful response rejects an entry, if it does. */
	rejectionOf?: (accepted: A, entry: E) => unknown;
	/**
	 * Waits for what follows after a request was accepted, such as a job. Requests that wait take no part of the
	 * concurrency. `again` sends the request once more as it was, `split` sends each of its entries alone. Once the
	 * consumer has left, nothing more needs to be waited for.
	 */
	settle?: (accepted: A, isAbandoned: () => boolean) => Promise<Outcome<R> | Unfinished>;
	/** The requests only ask for something, so they are not counted. */
	arePolls?: boolean;
	/** Called before the entries of an accepted request are sent once more. */
	onRepeat?: (accepted: A) => void;
	/** Bounds what is in flight, waiting requests included. */
	budget?: Budget;
	/** Bytes of an entry in the budget. */
	bytesInBudget?: (entry: E) => number;
}

/** The entries of one request, or of a part of it, that share an outcome. */
export interface BatchResult<E, R, A = R> {
	entries: E[];
	outcome: Outcome<R>;
	/** What the service answered, if it accepted the request. */
	accepted?: A;
	/** Number of the request in this run, from 1; 0 if it was never sent. */
	request: number;
	/** Times it was sent. */
	attempts: number;
	/** Bytes of its body; of an entry that could not be sent, its own. */
	bytes: number;
}

/** What answers say of the request they belong to. */
type RequestInfo<A> = Pick<
	BatchResult<never, never, A>,
	'request' | 'attempts' | 'bytes' | 'accepted'
>;

const NEVER_SENT = { request: 0, attempts: 0, bytes: 0 };

/** A batch, or a part of one, with the history of its attempts. */
interface Part<E> extends Pick<Sending<never>, 'policy' | 'attempts' | 'last'> {
	batch: Batch<E>;
	/** Number of its request in this run; 0 before it was sent. */
	request: number;
	/** The next attempt sends one of its entries alone. */
	isProbing?: boolean;
	/** It was accepted before, and did not settle. */
	isRepeated?: boolean;
}

/** A request that was accepted and did not settle, which waits for proof that others do. */
interface Suspect<E, A> {
	batch: Batch<E>;
	info: RequestInfo<A>;
	failure: Failed;
}

/** Sends batches, splits those that the service does not take as a whole, and answers their entries. */
class BatchSender<E, A, R> {
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
	start({ batch, keys }: FullBatch<E>): void {
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
			await this.send(this.newPart(batch));
			started.delete(keys);
		});
		started.set(keys, sending);
	}

	/** An entry that no request can carry. */
	async refuse({ entry, reason, bytes }: Unsendable<E>): Promise<void> {
		const outcome = failed(reason);
		endRunAfter(this.options.run, outcome);
		await this.tasks.put({ entries: [entry], outcome, ...NEVER_SENT, bytes });
	}

	/** Entries that are not sent, because the run has ended. */
	async skip(entries: E[], ended: { readonly reason: unknown }): Promise<void> {
		if (entries.length > 0)
			await this.tasks.put({ entries, outcome: skipped(ended), ...NEVER_SENT });
	}

	/** Waits until the budget has room. While only suspects take it, nothing can prove their guilt, so they fail. */
	async room(): Promise<void> {
		const { budget } = this.options;
		while (budget?.isFull && !this.tasks.isAbandoned) {
			if (this.suspects.length > 0 && this.tasks.isIdle) await this.giveUpSuspects();
			else if (this.tasks.isIdle) await budget.released();
			else await Promise.race([budget.released(), this.tasks.nextEnd()]);
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

	private newPart(batch: Batch<E>, isRepeated = false): Part<E> {
		const policy = new RetryPolicy(this.options);
		return { batch, policy, request: 0, attempts: 0, isRepeated };
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
		const at = Math.floor(this.options.run.random() * batch.length);
		const [probed] = batch.splice(at, 1);
		if (probed === undefined) return 'again';
		const probe = { ...this.newPart([probed], isRepeated), policy, last };
		const unfinished = await this.attempt(probe, batch.length + 1);
		part.last = probe.last;
		if (unfinished) {
			batch.splice(at, 0, probed);
			return unfinished.next;
		}
		// The rest of the batch counts as a new request.
		Object.assign(part, { request: 0, attempts: 0 });
		this.countSplit();
		return policy.hasSuccessSince() ? 'split' : 'probe';
	}

	/**
	 * Sends a part once and, if that ends it, answers its entries.
	 *
	 * @param size number of entries of the part of which it is a probe
	 * @returns what to do next, if it goes on
	 */
	private async attempt(
		part: Part<E>,
		size = part.batch.length,
	): Promise<Unfinished | undefined> {
		const { options } = this;
		const { run, stats = run.stats, rejectionOf, withHistory = (reason) => reason } = options;
		const { batch, policy } = part;
		const entries = entriesOf(batch);
		const ownBytes = batch.reduce((sum, packed) => sum + packed.bytes, 0);
		const bytes = requestBytes(batch.length, ownBytes, this.limits);
		const rejected = new Map<E, unknown>();
		const sending: Sending<A> = {
			policy,
			size,
			isProbe: size !== batch.length,
			attempts: part.attempts,
			last: part.last,
			send: async (earlier) => {
				if (part.request === 0 && !options.arePolls) {
					stats.increment('requests');
					part.request = stats.requests;
				}
				const accepted = await options.send(batch, bytes);
				for (const entry of entries) {
					const why = rejectionOf?.(accepted, entry);
					if (why === undefined) continue;
					const reason = withHistory(why, earlier);
					rejected.set(entry, reason);
					// Here, since no other request may start before the run knows.
					endRunAfter(run, failed(reason));
				}
				return accepted;
			},
		};
		// An exception in handling a request fails its entries, never the run.
		const outcome = await attempt(sending, options).catch(failed);
		const { attempts, last } = sending;
		Object.assign(part, { attempts, last });
		if ('next' in outcome) {
			// The service would refuse this size again.
			if (outcome.failure.verdict.tooLarge)
				this.limits.maxBytes = Math.min(this.limits.maxBytes, Math.ceil(bytes / 2));
			return outcome;
		}
		const info: RequestInfo<A> = { request: part.request, attempts, bytes };
		if (!outcome.ok) {
			await this.answer(batch, outcome, info);
			return undefined;
		}
		stats.increment('bytes', bytes);
		info.accepted = outcome.response;
		if (options.settle) {
			void this.tasks.follow(async () => await this.settle(part, info));
			return undefined;
		}
		const others = rejected.size > 0 ? entries.filter((each) => !rejected.has(each)) : entries;
		// Without a second step, entries get what the service answered: `R` is `A` then.
		const answers = [this.answer(batch, outcome as Outcome<never>, info, others)];
		for (const [entry, reason] of rejected)
			answers.push(this.answer(batch, failed(reason), info, [entry]));
		await Promise.all(answers);
		return undefined;
	}

	/** Waits for what follows after a request was accepted, and answers its entries or sends them again. */
	private async settle(part: Part<E>, info: RequestInfo<A>): Promise<void> {
		const { run, settle } = this.options;
		const { batch, isRepeated = false } = part;
		const isAbandoned = () => this.tasks.isAbandoned;
		const result = await settle?.(info.accepted as A, isAbandoned).catch(failed);
		if (result === undefined) return;
		if (!('next' in result)) {
			if (result.ok) this.proveSuspects();
			return await this.answer(batch, result, info);
		}
		const { next, failure } = result;
		const suspect = { batch, info, failure };
		const isOver = run.ended !== undefined || isRepeated;
		if (isOver || (next === 'split' && batch.length === 1))
			await this.answer(batch, terminal(failure), info);
		else if (next !== 'split') this.sendAgain(suspect, [batch]);
		else if (this.hasSettled) this.sendEachAgain(suspect);
		else this.suspects.push(suspect);
	}

	/** Sends the entries of a request that did not settle, in these batches, all at once. */
	private sendAgain({ info }: Suspect<E, A>, batches: Array<Batch<E>>): void {
		this.options.onRepeat?.(info.accepted as A);
		for (const batch of batches)
			void this.tasks.start(async () => await this.send(this.newPart(batch, true)));
	}

	/** Sends each entry alone, because any of them may be at fault. */
	private sendEachAgain(suspect: Suspect<E, A>): void {
		this.countSplit();
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
			await this.answer(batch, terminal(failure), info);
	}

	private countSplit(): void {
		const { run, stats = run.stats } = this.options;
		stats.increment('splits');
	}

	/** The two parts of a part that failed as a whole. */
	private halves({ batch, policy, last, isRepeated }: Part<E>): Array<Part<E>> {
		if (batch.length > 1) this.countSplit();
		const middle = Math.ceil(batch.length / 2);
		return [batch.slice(0, middle), batch.slice(middle)]
			.filter(({ length }) => length > 0)
			.map((half) => ({
				...this.newPart(half, isRepeated),
				policy: policy.forPart(),
				last,
			}));
	}
}

/**
 * Sends entries in as few requests as the limits allow, several concurrently. Every entry gets
 * exactly one answer: done, failed, or never sent because the run had ended.
 *
 * Entries of one key are sent one after the other, in their order. What a failure means is for the retry policy to
 * decide. No more entries are read than the requests in flight and the budget allow. To end early, stop the run and
 * consume the rest: leaving the loop waits for the requests in flight.
 *
 * @param slices entries, as many at a time as the source has at hand
 * @returns the answers there are, as soon as there are any
 * @throws what the source of the entries throws, after all requests in flight have ended
 */
export function bulk<E, A, R = A>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	options: BulkOptions<E, A, R>,
): AsyncGenerator<Array<BatchResult<E, R, A>>, void, undefined> {
	return inParallel<BatchResult<E, R, A>>(options.concurrency, async (tasks) => {
		const sender = new BatchSender(options, tasks);
		await feed(slices, options, tasks, sender).finally(async () => await sender.end());
	});
}

/** Fills batches with entries and starts them. */
async function feed<E, A, R>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	options: BulkOptions<E, A, R>,
	tasks: Tasks<BatchResult<E, R, A>>,
	sender: BatchSender<E, A, R>,
): Promise<void> {
	const { run } = options;
	const batcher = new Batcher(options, sender.limits);
	for await (const slice of slices) {
		for (const [at, entry] of slice.entries()) {
			const pause = run.yieldToOthers?.();
			if (pause) await pause;
			if (tasks.isAbandoned) return;
			if (run.ended) {
				await sender.skip(entriesOf(batcher.flush().batch), run.ended);
				await sender.skip(slice.slice(at), run.ended);
				break;
			}
			const made = batcher.add(entry);
			if (made === undefined) continue;
			if ('reason' in made) await sender.refuse(made);
			else sender.start(made);
			await tasks.room();
		}
		await sender.room();
		if (tasks.isAbandoned) return;
	}
	const last = batcher.flush();
	if (last.batch.length > 0) sender.start(last);
}
