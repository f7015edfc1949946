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
import {
	attempt,
	endRunAfter,
	failed,
	skipped,
	type Failed,
	type Line,
	type Outcome,
	type Unfinished,
} from './deliver';
import { inParallel, type Tasks } from './parallel';
import { RetryPolicy } from './retry-policy';

/** How entries are sent in bulk. */
export interface BulkOptions<E, R> extends Packing<E>, Line {
	/** Maximum of requests in flight. */
	concurrency: number;
	/** Sends one request, of so many bytes. `attempt` counts from 1. */
	send: (batch: Batch<E>, bytes: number, attempt: number) => Promise<R>;
	/** Why a successful response rejects an entry, if it does. */
	rejectionOf?: (response: R, entry: E) => unknown;
}

/** The entries of one request, or of a part of it, that share an outcome. */
export interface Answer<E, R> {
	entries: E[];
	outcome: Outcome<R>;
	/** Number of the request in this run, from 1; 0 if it was never sent. */
	request: number;
	/** Times it was sent. */
	attempts: number;
	/** Bytes of its body; of an entry that could not be sent, its own. */
	bytes: number;
}

/** What answers say of the request they belong to. */
type RequestInfo = Pick<Answer<unknown, unknown>, 'request' | 'attempts' | 'bytes'>;

const NEVER_SENT: RequestInfo = { request: 0, attempts: 0, bytes: 0 };

/** A batch, or a part of one, with the history of its attempts. */
interface Part<E> {
	batch: Batch<E>;
	policy: RetryPolicy;
	/** How it failed last, or the request of which it is a part. */
	last?: Failed | undefined;
	/** Number of its request in this run; 0 before it was sent. */
	request: number;
	attempts: number;
	/** The next attempt sends one of its entries alone. */
	isProbing?: boolean;
}

/** Sends batches, splits those that the service does not take as a whole, and answers their entries. */
class BatchSender<E, R> {
	/** Shrinks when the service finds a request too large. */
	readonly limits: BatchLimits;
	/** The batches that have not ended, each with its keys. */
	private readonly started = new Map<Keys, Promise<void>>();

	constructor(
		private readonly options: BulkOptions<E, R>,
		private readonly tasks: Tasks<Answer<E, R>>,
	) {
		this.limits = { ...options.limits };
	}

	/** Starts to send a batch, as soon as earlier ones with one of its keys have ended. */
	start({ batch, keys }: FullBatch<E>): void {
		const { started } = this;
		const list = [...keys.keys()];
		const earlier = [...started].flatMap(([others, end]) =>
			list.some((key) => others.has(key)) ? end : [],
		);
		const sending = this.tasks.start(async () => {
			await Promise.all(earlier);
			await this.send(batch).catch(
				// An exception in handling a batch fails its entries, never the run.
				async (reason) => await this.answer(entriesOf(batch), failed(reason)),
			);
			started.delete(keys);
		});
		started.set(keys, sending);
	}

	/** An entry that no request can carry. */
	async refuse({ entry, reason, bytes }: Unsendable<E>): Promise<void> {
		const outcome = failed(reason);
		endRunAfter(this.options.run, outcome);
		await this.answer([entry], outcome, { ...NEVER_SENT, bytes });
	}

	/** Entries that are not sent, because the run has ended. */
	async skip(entries: E[], ended: { readonly reason: unknown }): Promise<void> {
		if (entries.length > 0) await this.answer(entries, skipped(ended));
	}

	/** Waits until the answer is processed. */
	private async answer(entries: E[], outcome: Outcome<R>, info = NEVER_SENT): Promise<void> {
		await this.tasks.put({ entries, outcome, ...info });
	}

	/** Sends a batch until each of its entries has an outcome: whole at first, in parts if it fails as a whole. */
	private async send(batch: Batch<E>): Promise<void> {
		const policy = new RetryPolicy(this.options);
		const parts: Array<Part<E>> = [{ batch, policy, request: 0, attempts: 0 }];
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
		const { batch, policy, last } = part;
		const at = Math.floor(this.options.run.random() * batch.length);
		const [probed] = batch.splice(at, 1);
		if (probed === undefined) return 'again';
		const probe: Part<E> = { batch: [probed], policy, last, request: 0, attempts: 0 };
		const unfinished = await this.attempt(probe, batch.length + 1);
		part.last = probe.last;
		if (unfinished) {
			batch.splice(at, 0, probed);
			return unfinished.next;
		}
		// What is left is another request.
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
		const sending = {
			policy,
			size,
			isProbe: size !== batch.length,
			attempts: part.attempts,
			last: part.last,
			send: async (earlier: unknown) => {
				if (part.request === 0) {
					stats.count('requests');
					part.request = stats.requests;
				}
				const response = await options.send(batch, bytes, sending.attempts);
				for (const entry of entries) {
					const why = rejectionOf?.(response, entry);
					if (why === undefined) continue;
					const reason = withHistory(why, earlier);
					rejected.set(entry, reason);
					// Here, since no other request may start before the run knows.
					endRunAfter(run, failed(reason));
				}
				return response;
			},
		};
		const outcome = await attempt(sending, options);
		const { attempts } = sending;
		Object.assign(part, { attempts, last: sending.last });
		if ('next' in outcome) {
			// The service would refuse this size again.
			if (outcome.failure.verdict.tooLarge)
				this.limits.maxBytes = Math.min(this.limits.maxBytes, Math.ceil(bytes / 2));
			return outcome;
		}
		// Frees the texts: V8 may keep the batch for longer, and move them about.
		for (const packed of batch) packed.text = '';
		if (outcome.ok) stats.count('bytes', bytes);
		const info = { request: part.request, attempts, bytes };
		const others = rejected.size > 0 ? entries.filter((each) => !rejected.has(each)) : entries;
		const answers = others.length > 0 ? [this.answer(others, outcome, info)] : [];
		for (const [entry, reason] of rejected)
			answers.push(this.answer([entry], failed(reason), info));
		await Promise.all(answers);
		return undefined;
	}

	private countSplit(): void {
		const { run, stats = run.stats } = this.options;
		stats.count('splits');
	}

	/** The two parts of a part that failed as a whole. */
	private halves({ batch, policy, last }: Part<E>): Array<Part<E>> {
		if (batch.length > 1) this.countSplit();
		const middle = Math.ceil(batch.length / 2);
		return [batch.slice(0, middle), batch.slice(middle)]
			.filter(({ length }) => length > 0)
			.map((half) => ({
				batch: half,
				policy: policy.forPart(),
				last,
				request: 0,
				attempts: 0,
			}));
	}
}

/**
 * Sends entries in as few requests as the limits allow, several concurrently. Every entry gets
 * exactly one answer: done, failed, or never sent because the run had ended.
 *
 * Entries of one key are sent one after the other, in their order. A request that is too large or rejected is
 * split until what cannot be sent stands alone, and so is one that fails for long or while others succeed. No
 * more entries are read than the requests in flight need. To end early, stop the run and consume the rest:
 * leaving the loop waits for the requests in flight.
 *
 * @param slices entries, as many at a time as the source has at hand
 * @returns the answers there are, as soon as there are any
 * @throws what the source of the entries throws, after all requests in flight have ended
 */
export function bulk<E, R>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	options: BulkOptions<E, R>,
): AsyncGenerator<Array<Answer<E, R>>, void, undefined> {
	const { run, concurrency } = options;
	return inParallel<Answer<E, R>>(concurrency, async (tasks) => {
		const sender = new BatchSender(options, tasks);
		const batcher = new Batcher(options, sender.limits);
		for await (const slice of slices) {
			for (const [at, entry] of slice.entries()) {
				const pause = run.breathe?.();
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
			if (tasks.isAbandoned) return;
		}
		const last = batcher.flush();
		if (last.batch.length > 0) sender.start(last);
	});
}
