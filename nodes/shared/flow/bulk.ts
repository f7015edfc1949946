import {
	Batcher,
	requestBytes,
	type BatchLimits,
	type Packed,
	type Packing,
	type Unsendable,
} from './batches';
import { produced, type Channel } from './channel';
import {
	deliver,
	endRunAfter,
	failed,
	skipped,
	type Failed,
	type Line,
	type Outcome,
	type Verdict,
} from './deliver';

/** How entries are sent in bulk. */
export interface BulkOptions<E, R> extends Packing<E>, Line {
	/** Maximum of requests in flight. */
	concurrency: number;
	/** Sends one request. `attempt` counts from 1. */
	send: (batch: Array<Packed<E>>, attempt: number) => Promise<R>;
	/** Lets other work have its turn where there is something to wait for; called before each entry is packed. */
	breathe?: () => Promise<void> | undefined;
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

/**
 * Sends entries in as few requests as the limits allow, several concurrently. Every entry gets
 * exactly one answer: done, failed, or never sent because the run had ended.
 *
 * Entries of one key are sent one after the other, in their order. A request that is too large, or
 * in part rejected, is split until what cannot be sent stands alone. No more entries are read than
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
	return produced(async (answers) => await new BulkSender(options, answers).sendAll(slices));
}

class BulkSender<E, R> {
	/** Shrinks when the service finds a request too large. */
	private readonly limits: BatchLimits;
	private readonly inFlight = new Set<Promise<void>>();
	/** Last request in flight for each key: the next one of that key waits for it. */
	private readonly busy = new Map<string, Promise<void>>();
	/** Entries the service has accepted. */
	private accepted = 0;
	/** Groups of which a whole batch was rejected, entry by entry: splitting others would be pointless. */
	private readonly rejectedGroups = new Set<string | undefined>();

	constructor(
		private readonly options: BulkOptions<E, R>,
		private readonly answers: Channel<Answer<E, R>>,
	) {
		this.limits = { ...options.limits };
	}

	async sendAll(slices: AsyncIterable<E[]> | Iterable<E[]>): Promise<void> {
		const batcher = new Batcher(this.options, this.limits);
		try {
			for await (const slice of slices) {
				if (this.answers.isAbandoned) break;
				await this.sendSlice(slice, batcher);
			}
			const last = batcher.flush();
			if (last.length > 0 && !this.answers.isAbandoned) this.start(last);
		} finally {
			await Promise.all(this.inFlight);
		}
	}

	/** Starts the batches that a slice fills; waits only where one is full, or an entry fails. */
	private async sendSlice(slice: E[], batcher: Batcher<E>): Promise<void> {
		const { run, concurrency, breathe } = this.options;
		for (const [at, entry] of slice.entries()) {
			const pause = breathe?.();
			if (pause) await pause;
			if (this.answers.isAbandoned) return;
			if (run.ended) {
				await this.skip(batcher.flush());
				return await this.answer(slice.slice(at), skipped(run.ended));
			}
			const made = batcher.add(entry);
			if (made === undefined) continue;
			if ('reason' in made) await this.refuse(made);
			else this.start(made);
			while (this.inFlight.size >= concurrency) await Promise.race(this.inFlight);
		}
	}

	/** Delivers a batch as soon as earlier requests of its keys have ended. */
	private start(batch: Array<Packed<E>>): void {
		const { keyOf } = this.options;
		const keys = keyOf ? batch.map(({ entry }) => keyOf(entry)) : [];
		const before = keys.map((key) => this.busy.get(key));
		const delivery: Promise<void> = Promise.all(before)
			.then(async () => void (await this.deliver(batch)))
			// An exception in handling a batch fails its entries, never the run.
			.catch(async (reason: unknown) => {
				const entries = batch.map(({ entry }) => entry);
				await this.answer(entries, failed(reason, 1));
			})
			.finally(() => {
				this.inFlight.delete(delivery);
				for (const key of keys) {
					if (this.busy.get(key) === delivery) this.busy.delete(key);
				}
			});
		this.inFlight.add(delivery);
		for (const key of keys) this.busy.set(key, delivery);
	}

	/**
	 * Sends one batch, or a part of one that is being split, and answers its entries.
	 *
	 * @param whole how the batch failed of which this is a part
	 * @returns whether the service rejected the content of every entry
	 */
	private async deliver(batch: Array<Packed<E>>, whole?: Failed): Promise<boolean> {
		const { run, send, rejections, withHistory = (reason) => reason } = this.options;
		const entries = batch.map(({ entry }) => entry);
		const bytes = requestBytes(batch, this.limits);
		let request = 0;
		let rejected: ReadonlyMap<E, unknown> = new Map();
		/** Why the attempt before failed: it may have taken effect. */
		let earlier: unknown = whole?.reason;
		let isContentRejected = false;
		const outcome = await deliver(
			async (attempt) => {
				if (attempt === 1) request = ++run.stats.requests;
				const response = await send(batch, attempt).catch((error: unknown) => {
					earlier = withHistory(error, earlier);
					throw error;
				});
				const reasons = rejections?.(response, entries) ?? [];
				rejected = new Map([...reasons].map(([e, why]) => [e, withHistory(why, earlier)]));
				for (const reason of rejected.values()) endRunAfter(run, failed(reason, attempt));
				return response;
			},
			this.options,
			{
				canSplit: (verdict) => {
					isContentRejected = verdict.tooLarge !== true;
					return this.canSplit(batch, whole !== undefined, verdict);
				},
				earlier: whole,
			},
		);
		if (outcome.ok) {
			await this.done(entries, outcome, rejected, { request, bytes });
			return false;
		}
		if (outcome.verdict.action !== 'split') {
			await this.answer(entries, outcome, { request, bytes });
			return isContentRejected;
		}
		const areAllRejected = await this.split(batch, bytes, outcome);
		if (whole === undefined && areAllRejected) this.rejectedGroups.add(this.groupOf(batch));
		return areAllRejected;
	}

	private groupOf([first]: Array<Packed<E>>): string | undefined {
		return first && this.options.groupOf?.(first.entry);
	}

	private canSplit(batch: Array<Packed<E>>, isPart: boolean, { tooLarge }: Verdict): boolean {
		if (batch.length < 2) return false;
		if (tooLarge === true || isPart || this.accepted > 0) return true;
		return !this.rejectedGroups.has(this.groupOf(batch));
	}

	private async split(batch: Array<Packed<E>>, bytes: number, whole: Failed): Promise<boolean> {
		this.options.run.stats.splits++;
		// What is too large for the service now will be so later.
		if (whole.verdict.tooLarge) {
			this.limits.maxBytes = Math.min(this.limits.maxBytes, Math.ceil(bytes / 2));
		}
		const middle = Math.ceil(batch.length / 2);
		const isFirstRejected = await this.deliver(batch.slice(0, middle), whole);
		return (await this.deliver(batch.slice(middle), whole)) && isFirstRejected;
	}

	/** Answers the entries of a successful request, those it rejects each by itself. */
	private async done(
		entries: E[],
		outcome: Outcome<R>,
		rejected: ReadonlyMap<E, unknown>,
		info: { request: number; bytes: number },
	): Promise<void> {
		const accepted = entries.filter((entry) => !rejected.has(entry));
		this.accepted += accepted.length;
		const answers: Array<Promise<void>> = [];
		if (accepted.length > 0) answers.push(this.answer(accepted, outcome, info));
		for (const [entry, reason] of rejected) {
			answers.push(this.answer([entry], failed(reason, outcome.attempts), info));
		}
		await Promise.all(answers);
	}

	private async refuse({ entry, reason, bytes }: Unsendable<E>): Promise<void> {
		const outcome = failed(reason, 0);
		endRunAfter(this.options.run, outcome);
		await this.answer([entry], outcome, { request: 0, bytes });
	}

	private async skip(batch: Array<Packed<E>>): Promise<void> {
		const { ended } = this.options.run;
		const entries = batch.map(({ entry }) => entry);
		if (ended && entries.length > 0) await this.answer(entries, skipped(ended));
	}

	private async answer(
		entries: E[],
		outcome: Outcome<R>,
		info = { request: 0, bytes: 0 },
	): Promise<void> {
		await this.answers.put({ entries, outcome, ...info });
	}
}
