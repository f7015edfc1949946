import {
	deliver,
	endRunAfter,
	failed,
	skipped,
	type Failed,
	type Line,
	type Outcome,
} from './deliver';
import { inParallel, type Tasks } from './parallel';
import type { Verdict } from './verdict';

/** Limits of a request. */
export interface BatchLimits {
	maxCount: number;
	maxBytes: number;
	/** Bytes that a request of several entries has in addition to them. */
	envelopeBytes?: number;
	/** Bytes between one entry and the next. */
	separatorBytes?: number;
}

/** An entry ready to send: its text is written once, for size and body. */
export interface Packed<E> {
	entry: E;
	text: string;
	bytes: number;
}

/** An entry that no request can carry. */
export interface Unsendable<E> {
	entry: E;
	reason: unknown;
	/** Its size, if known. */
	bytes: number;
}

/** How entries become requests. */
export interface Packing<E> {
	limits: BatchLimits;
	/** Makes the text of an entry, called once for each. An entry it throws for is unsendable. */
	textOf: (entry: E) => string;
	/** The error of an entry that is larger than a request may be. */
	tooLarge: (entry: E, bytes: number) => Error;
	/** A batch never holds two entries of one key, since a service may handle it in any order. */
	keyOf?: (entry: E) => string;
	/** Entries of one key that fit in one batch: the later one takes the place of the earlier one. */
	replace?: (later: E, earlier: E) => void;
	/** A batch holds one group; entries arrive sorted by group. */
	groupOf?: (entry: E) => string;
}

/** Entries of one request, in their order. */
type Batch<E> = Array<Packed<E>>;

/** Where the entry of a key is in its batch. */
type Keys = ReadonlyMap<string, number>;

/** A batch that is ready to be sent. */
interface FullBatch<E> {
	batch: Batch<E>;
	keys: Keys;
}

const entriesOf = <E>(batch: Batch<E>): E[] => batch.map(({ entry }) => entry);

/**
 * Size of a request.
 *
 * @param count its entries
 * @param bytes of these alone
 * @returns bytes of its body
 */
export const requestBytes = (
	count: number,
	bytes: number,
	{ envelopeBytes = 0, separatorBytes = 0 }: BatchLimits,
): number => (count < 2 ? bytes : bytes + envelopeBytes + (count - 1) * separatorBytes);

/**
 * Fills one batch after the other, in the order of the entries, by count and by bytes.
 */
export class Batcher<E> {
	private batch: Batch<E> = [];
	private keys = new Map<string, number>();
	private bytes = 0;
	private group: string | undefined;

	/** @param limits read anew for each entry: may shrink while batches are being filled */
	constructor(
		private readonly packing: Packing<E>,
		private readonly limits: BatchLimits,
	) {}

	/**
	 * Adds an entry.
	 *
	 * @returns the batch it no longer fits in, which is full then; the entry itself if it cannot be
	 * sent, which leaves the current batch as it is; undefined otherwise
	 */
	add(entry: E): FullBatch<E> | Unsendable<E> | undefined {
		const { keyOf, groupOf, textOf, tooLarge, limits } = this.packing;
		const key = keyOf?.(entry);
		const group = groupOf?.(entry);
		let text: string;
		try {
			text = textOf(entry);
		} catch (reason) {
			return { entry, reason, bytes: 0 };
		}
		const packed: Packed<E> = { entry, text, bytes: Buffer.byteLength(text) };
		const { bytes } = packed;
		if (bytes > limits.maxBytes) return { entry, reason: tooLarge(entry, bytes), bytes };
		const earlier = key === undefined ? undefined : this.keys.get(key);
		if (earlier !== undefined && this.replaced(earlier, packed)) return undefined;
		const size = requestBytes(this.batch.length + 1, this.bytes + bytes, this.limits);
		const { maxCount, maxBytes } = this.limits;
		const isFull = this.batch.length >= maxCount || size > maxBytes;
		const isOther = group !== this.group || earlier !== undefined;
		const full = this.batch.length > 0 && (isFull || isOther) ? this.flush() : undefined;
		this.batch.push(packed);
		if (key !== undefined) this.keys.set(key, this.batch.length - 1);
		this.bytes += bytes;
		this.group = group;
		return full;
	}

	/** Puts an entry in the place of an earlier one with its key, if it fits there. */
	private replaced(at: number, packed: Packed<E>): boolean {
		const earlier = this.batch[at];
		const { replace } = this.packing;
		if (earlier === undefined || replace === undefined) return false;
		const bytes = this.bytes - earlier.bytes + packed.bytes;
		if (requestBytes(this.batch.length, bytes, this.limits) > this.limits.maxBytes)
			return false;
		replace(packed.entry, earlier.entry);
		this.batch[at] = packed;
		this.bytes = bytes;
		return true;
	}

	/** @returns the batch that is being filled, empty if there is none */
	flush(): FullBatch<E> {
		const { batch, keys } = this;
		this.batch = [];
		this.keys = new Map();
		this.bytes = 0;
		return { batch, keys };
	}
}

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

/** Why a batch is sent again in parts. */
interface FailureOfWhole {
	failure: Failed;
	/** The last success of the run when it was sent for the last time; see `Health`. */
	lastSuccess: number;
}

/** After so many single rejections without a success, batches are no longer split. */
const MAX_REJECTED_ALONE = 10;

const NEVER_SENT: RequestInfo = { request: 0, attempts: 0, bytes: 0 };

/** Sends batches, splits those that the service does not take as a whole, and answers their entries. */
class BatchSender<E, R> {
	/** Shrinks when the service finds a request too large. */
	readonly limits: BatchLimits;
	/** Entries that were rejected alone. */
	private rejectedAlone = 0;
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

	/** Sends one batch, or a part of one that failed as a whole, and answers its entries. */
	private async send(batch: Batch<E>, whole?: FailureOfWhole): Promise<void> {
		const { options } = this;
		const { run, stats = run.stats, rejectionOf, withHistory = (reason) => reason } = options;
		const entries = entriesOf(batch);
		const ownBytes = batch.reduce((sum, packed) => sum + packed.bytes, 0);
		const bytes = requestBytes(batch.length, ownBytes, this.limits);
		const info = { ...NEVER_SENT, bytes };
		const rejected = new Map<E, unknown>();
		let lastSuccess = 0;
		const outcome = await deliver(
			async (attempt, earlier) => {
				lastSuccess = whole?.lastSuccess ?? run.health.lastSuccess;
				if (attempt === 1) {
					stats.count('requests');
					info.request = stats.requests;
				}
				info.attempts = attempt;
				const response = await options.send(batch, bytes, attempt);
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
			options,
			{
				canSplit: (verdict) => this.canSplit(batch, whole !== undefined, verdict),
				failureOfWhole: whole?.failure,
			},
		);
		if (!outcome.ok && outcome.verdict.action === 'split')
			return await this.split(batch, { failure: outcome, lastSuccess }, info);
		// Frees the texts: V8 may keep the batch for longer, and move them about.
		for (const packed of batch) packed.text = '';
		if (outcome.ok) stats.count('bytes', bytes);
		else if (batch.length === 1) this.rejectedAlone++;
		const others = rejected.size > 0 ? entries.filter((each) => !rejected.has(each)) : entries;
		const answers = others.length > 0 ? [this.answer(others, outcome, info)] : [];
		for (const [entry, reason] of rejected)
			answers.push(this.answer([entry], failed(reason), info));
		await Promise.all(answers);
	}

	/** Where the service rejects whatever it gets, splitting every batch would only cost requests. */
	private canSplit(batch: Batch<E>, isPart: boolean, verdict: Verdict): boolean {
		if (batch.length < 2) return false;
		if (isPart || verdict.tooLarge || verdict.serviceMayBe) return true;
		return this.options.run.health.lastSuccess > 0 || this.rejectedAlone < MAX_REJECTED_ALONE;
	}

	/** Sends a batch in halves. If the service may refuse every request, the first entry goes alone: three that fail end the run. */
	private async split(batch: Batch<E>, whole: FailureOfWhole, info: RequestInfo): Promise<void> {
		const { run, stats = run.stats } = this.options;
		const { verdict } = whole.failure;
		stats.count('splits');
		// The service would refuse this size again.
		if (verdict.tooLarge)
			this.limits.maxBytes = Math.min(this.limits.maxBytes, Math.ceil(info.bytes / 2));
		// Any success proves that the key is valid.
		const before = verdict.serviceMayBe === 'denying' ? 0 : whole.lastSuccess;
		const mayBeAll = verdict.serviceMayBe !== undefined && run.health.lastSuccess <= before;
		const middle = mayBeAll ? 1 : Math.ceil(batch.length / 2);
		await this.send(batch.slice(0, middle), whole);
		await this.send(batch.slice(middle), whole);
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
