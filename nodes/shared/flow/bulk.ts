import {
	deliver,
	endRunAfter,
	failed,
	skipped,
	terminal,
	type Failed,
	type Line,
	type Outcome,
	type Verdict,
} from './deliver';
import { inParallel, type Tasks } from './parallel';

/** Limits of a request. */
export interface BatchLimits {
	maxCount: number;
	maxBytes: number;
	/** Bytes that a request of several entries has in addition to them. */
	envelopeBytes?: number;
	/** Bytes between one entry and the next. */
	separatorBytes?: number;
}

/** An entry ready to send: its text is made once and serves for size and body. */
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
	/** A batch holds entries of one group only; entries come sorted by it. */
	groupOf?: (entry: E) => string;
}

/** The entries of a batch, in their order. */
export const entriesOf = <E>(batch: Array<Packed<E>>): E[] => batch.map(({ entry }) => entry);

/**
 * Size of a request.
 *
 * @returns bytes of its body
 */
export function requestBytes(batch: Array<Packed<unknown>>, limits: BatchLimits): number {
	const bytes = batch.reduce((sum, packed) => sum + packed.bytes, 0);
	return bodyBytes(batch.length, bytes, limits);
}

const bodyBytes = (
	count: number,
	bytes: number,
	{ envelopeBytes = 0, separatorBytes = 0 }: BatchLimits,
): number => (count < 2 ? bytes : bytes + envelopeBytes + (count - 1) * separatorBytes);

/**
 * Fills one batch after the other, in the order of the entries, by count and by bytes.
 */
export class Batcher<E> {
	private batch: Array<Packed<E>> = [];
	/** Where the entry of a key is in the batch. */
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
	add(entry: E): Array<Packed<E>> | Unsendable<E> | undefined {
		const packed = pack(entry, this.packing);
		if ('reason' in packed) return packed;
		const { keyOf, groupOf } = this.packing;
		const key = keyOf?.(entry);
		if (key !== undefined && this.replaced(key, packed)) return undefined;
		const group = groupOf?.(entry);
		const size = bodyBytes(this.batch.length + 1, this.bytes + packed.bytes, this.limits);
		const { maxCount, maxBytes } = this.limits;
		const isFull = this.batch.length >= maxCount || size > maxBytes;
		const isOther = group !== this.group || (key !== undefined && this.keys.has(key));
		const full = this.batch.length > 0 && (isFull || isOther) ? this.flush() : undefined;
		this.batch.push(packed);
		if (key !== undefined) this.keys.set(key, this.batch.length - 1);
		this.bytes += packed.bytes;
		this.group = group;
		return full;
	}

	/** Puts an entry in the place of an earlier one with its key, if it fits there. */
	private replaced(key: string, packed: Packed<E>): boolean {
		const at = this.keys.get(key);
		const earlier = at === undefined ? undefined : this.batch[at];
		const { replace } = this.packing;
		if (at === undefined || earlier === undefined || replace === undefined) return false;
		const bytes = this.bytes - earlier.bytes + packed.bytes;
		if (bodyBytes(this.batch.length, bytes, this.limits) > this.limits.maxBytes) return false;
		replace(packed.entry, earlier.entry);
		this.batch[at] = packed;
		this.bytes = bytes;
		return true;
	}

	/** @returns the batch that is being filled, empty if there is none */
	flush(): Array<Packed<E>> {
		const { batch } = this;
		this.batch = [];
		this.keys = new Map();
		this.bytes = 0;
		return batch;
	}
}

function pack<E>(entry: E, { textOf, limits, tooLarge }: Packing<E>): Packed<E> | Unsendable<E> {
	try {
		const text = textOf(entry);
		const bytes = Buffer.byteLength(text);
		if (bytes > limits.maxBytes) return { entry, reason: tooLarge(entry, bytes), bytes };
		return { entry, text, bytes };
	} catch (reason) {
		return { entry, reason, bytes: 0 };
	}
}

/** How entries are sent in bulk. */
export interface BulkOptions<E, R> extends Packing<E>, Line {
	/** Maximum of requests in flight. */
	concurrency: number;
	/** Sends one request. `attempt` counts from 1. */
	send: (batch: Array<Packed<E>>, attempt: number) => Promise<R>;
	/** Entries that a successful response rejects, each with the reason. */
	rejections?: (response: R, entries: E[]) => ReadonlyMap<E, unknown>;
}

/** The entries of one request, or of a part of it, that share an outcome. */
export interface Answer<E, R> {
	entries: E[];
	outcome: Outcome<R>;
	/** Number of the request in this run, from 1; 0 if it was never sent. */
	request: number;
	/** Bytes of its body; of an entry that could not be sent, its own. */
	bytes: number;
}

/** A response with the entries that it rejects, and why. */
interface Sent<E, R> {
	response: R;
	rejected: ReadonlyMap<E, unknown>;
}

/** What answers say of the request they belong to. */
type RequestInfo = Pick<Answer<unknown, unknown>, 'request' | 'bytes'>;

/** If so many entries are rejected alone before any success, further batches are not split. */
const MAX_REJECTED_ALONE = 10;

const NEVER_SENT: RequestInfo = { request: 0, bytes: 0 };

/** Sends batches, splits those that the service does not take as a whole, and answers their entries. */
class BatchSender<E, R> {
	/** Shrinks when the service finds a request too large. */
	readonly limits: BatchLimits;
	/** Entries that were rejected alone. */
	private rejectedAlone = 0;

	/** @param put waits until an answer is processed */
	constructor(
		private readonly options: BulkOptions<E, R>,
		private readonly put: (answer: Answer<E, R>) => Promise<void>,
	) {
		this.limits = { ...options.limits };
	}

	/** Sends a batch; returns once all its entries have been answered. Never rejects. */
	async send(batch: Array<Packed<E>>): Promise<void> {
		try {
			await this.deliver(batch);
		} catch (reason) {
			// An exception in handling a batch fails its entries, never the run.
			await this.answer(entriesOf(batch), failed(reason, 1));
		}
	}

	/** An entry that no request can carry. */
	async refuse({ entry, reason, bytes }: Unsendable<E>): Promise<void> {
		const outcome = failed(reason, 0);
		endRunAfter(this.options.run, outcome);
		await this.answer([entry], outcome, { request: 0, bytes });
	}

	/** Entries that are not sent, because the run has ended. */
	async skip(entries: E[], ended: { readonly reason: unknown }): Promise<void> {
		if (entries.length > 0) await this.answer(entries, skipped(ended));
	}

	private async answer(entries: E[], outcome: Outcome<R>, info = NEVER_SENT): Promise<void> {
		await this.put({ entries, outcome, ...info });
	}

	/**
	 * Sends one batch, or a part of one that is being split, and answers its entries.
	 *
	 * @param whole how the batch failed of which this is a part
	 */
	private async deliver(batch: Array<Packed<E>>, whole?: Failed): Promise<void> {
		const bytes = requestBytes(batch, this.limits);
		let request = 0;
		const outcome = await deliver(
			async (attempt, earlier) => {
				if (attempt === 1) request = ++this.options.run.stats.requests;
				return await this.attempt(batch, attempt, earlier);
			},
			this.options,
			{ canSplit: (verdict) => this.canSplit(batch, whole !== undefined, verdict), whole },
		);
		if (outcome.ok) {
			this.options.run.stats.bytes += bytes;
			const { response, rejected } = outcome.response;
			await this.done(batch, { ...outcome, response }, rejected, { request, bytes });
		} else if (outcome.verdict.action === 'split') {
			await this.split(batch, outcome, { request, bytes });
		} else {
			if (batch.length === 1) this.rejectedAlone++;
			await this.answer(entriesOf(batch), outcome, { request, bytes });
		}
	}

	/** @param earlier why the attempt before failed: it may have taken effect */
	private async attempt(
		batch: Array<Packed<E>>,
		attempt: number,
		earlier: unknown,
	): Promise<Sent<E, R>> {
		const { run, send, rejections, withHistory = (reason) => reason } = this.options;
		const response = await send(batch, attempt);
		const rejected = new Map<E, unknown>();
		for (const [entry, why] of rejections?.(response, entriesOf(batch)) ?? []) {
			const reason = withHistory(why, earlier);
			rejected.set(entry, reason);
			// Here, since no other request may start before the run knows.
			endRunAfter(run, failed(reason, attempt));
		}
		return { response, rejected };
	}

	/** Where the service rejects whatever it gets, splitting every batch would only cost requests. */
	private canSplit(batch: Array<Packed<E>>, isPart: boolean, verdict: Verdict): boolean {
		if (batch.length < 2) return false;
		if (isPart || verdict.tooLarge || verdict.suspect) return true;
		return this.hasSucceeded || this.rejectedAlone < MAX_REJECTED_ALONE;
	}

	private get hasSucceeded(): boolean {
		return this.options.run.health.lastSuccess > 0;
	}

	private async split(batch: Array<Packed<E>>, whole: Failed, info: RequestInfo): Promise<void> {
		const { run } = this.options;
		run.stats.splits++;
		// What is too large for the service now will be so later.
		if (whole.verdict.tooLarge) {
			this.limits.maxBytes = Math.min(this.limits.maxBytes, Math.ceil(info.bytes / 2));
		}
		const isUntried = whole.verdict.suspect === 'denied' && !this.hasSucceeded;
		const middle = isUntried ? 1 : Math.ceil(batch.length / 2);
		await this.deliver(batch.slice(0, middle), whole);
		const others = batch.slice(middle);
		if (!isUntried || this.hasSucceeded) return await this.deliver(others, whole);
		// Not even a single entry is accepted: the key is refused, whatever is sent.
		run.stop(whole.reason);
		await this.answer(entriesOf(others), terminal(whole), info);
	}

	/** Answers the entries of a successful request, those it rejects each by itself. */
	private async done(
		batch: Array<Packed<E>>,
		outcome: Outcome<R>,
		rejected: ReadonlyMap<E, unknown>,
		info: RequestInfo,
	): Promise<void> {
		const all = entriesOf(batch);
		const accepted = rejected.size === 0 ? all : all.filter((entry) => !rejected.has(entry));
		const answers: Array<Promise<void>> = [];
		if (accepted.length > 0) answers.push(this.answer(accepted, outcome, info));
		for (const [entry, reason] of rejected) {
			answers.push(this.answer([entry], failed(reason, outcome.attempts), info));
		}
		await Promise.all(answers);
	}
}

/**
 * Sends entries in as few requests as the limits allow, several concurrently. Every entry gets
 * exactly one answer: done, failed, or never sent because the run had ended.
 *
 * Entries of one key are sent one after the other, in their order. A request that is too large, rejected, or
 * fails although others succeed or for too long, is split until what cannot be sent stands alone. No more entries are read than
 * the requests in flight need. To end early, stop the run and consume the rest: leaving the loop
 * waits for the requests in flight.
 *
 * @param slices entries, as many at a time as the source has at hand
 * @returns the answers there are, as soon as there are any
 * @throws what the source of the entries throws, after all requests in flight have ended
 */
export function bulk<E, R>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	options: BulkOptions<E, R>,
): AsyncGenerator<Array<Answer<E, R>>, void, undefined> {
	return inParallel(options.concurrency, async (tasks) => await feed(slices, options, tasks));
}

/** Starts the batches that the slices fill; waits only where one is full, or an entry fails. */
async function feed<E, R>(
	slices: AsyncIterable<E[]> | Iterable<E[]>,
	options: BulkOptions<E, R>,
	tasks: Tasks<Answer<E, R>>,
): Promise<void> {
	const { run, keyOf } = options;
	const sender = new BatchSender(options, async (answer) => await tasks.put(answer));
	const batcher = new Batcher(options, sender.limits);
	const start = inOrder(keyOf, (work) => tasks.start(work));
	const send = (batch: Array<Packed<E>>) => start(batch, async () => await sender.send(batch));
	for await (const slice of slices) {
		let at = 0;
		for (const entry of slice) {
			const pause = run.breathe?.();
			if (pause) await pause;
			if (tasks.isAbandoned) return;
			if (run.ended) {
				await sender.skip(entriesOf(batcher.flush()), run.ended);
				await sender.skip(slice.slice(at), run.ended);
				break;
			}
			at++;
			const made = batcher.add(entry);
			if (made === undefined) continue;
			if ('reason' in made) await sender.refuse(made);
			else send(made);
			await tasks.room();
		}
		if (tasks.isAbandoned) return;
	}
	const last = batcher.flush();
	if (last.length > 0) send(last);
}

/** Starts the work of batches, each as soon as that of earlier ones with one of its keys has ended. */
function inOrder<E>(
	keyOf: ((entry: E) => string) | undefined,
	start: (work: () => Promise<void>) => Promise<void>,
): (batch: Array<Packed<E>>, work: () => Promise<void>) => void {
	/** The last work of each key. */
	const busy = new Map<string, Promise<void>>();
	return (batch, work) => {
		const keys = keyOf ? batch.map(({ entry }) => keyOf(entry)) : [];
		const earlier = new Set(keys.map((key) => busy.get(key)));
		const working = start(async () => {
			await Promise.all(earlier);
			await work();
			for (const key of keys) if (busy.get(key) === working) busy.delete(key);
		});
		for (const key of keys) busy.set(key, working);
	};
}
