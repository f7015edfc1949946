import { backoffMs, type RetryPolicy } from './backoff';
import { batches, requestBytes, type BatchLimits, type Packed } from './batches';
import type { Clock } from './clock';
import { Limiter } from './limiter';

/** What the engine needs to know about an error. */
export interface BulkVerdict {
	retry: boolean;
	throttled: boolean;
	tooLarge: boolean;
	rejected: boolean;
	hopeless: boolean;
	retryAfterMs?: number;
}

/** How a request ended. */
export interface RequestInfo {
	/** Number of the request in this run, from 1. */
	request: number;
	/** Times it was sent. */
	attempts: number;
	bytes: number;
}

export interface BulkStats {
	/** Requests that reached an end, retries not counted. */
	requests: number;
	retries: number;
	/** Batches divided because they were too large or held something the service refused. */
	splits: number;
	bytes: number;
}

export interface BulkJob<E, R> {
	entries: Iterable<E>;
	/** Entries of one key are sent one after the other, in their order. */
	keyOf: (entry: E) => string;
	/** A request holds entries of one group only; entries come sorted by it. */
	groupOf?: (entry: E) => string;
	/** Makes the text of an entry; called once for each. */
	textOf: (entry: E) => string;
	limits: BatchLimits;
	concurrency: number;
	policy: RetryPolicy;
	clock: Clock;
	/** Sends one request. `attempt` counts from 1. */
	send: (batch: Array<Packed<E>>, attempt: number) => Promise<R>;
	judge: (error: unknown) => BulkVerdict;
	/** An error that ends the whole run, such as a cancel. */
	isFatal: (error: unknown) => boolean;
	/** Called once for the entries of each request that went well. */
	onDone: (entries: E[], reply: R, info: RequestInfo) => void;
	/** Called once for the entries of each request that failed for good. */
	onFailed: (entries: E[], error: unknown, info: RequestInfo) => void;
	/** An entry that is larger than a request may be: makes its error. */
	tooLarge: (entry: E, bytes: number) => Error;
	/** Start no further request once one has failed; entries not sent get `onSkipped`. */
	stopOnFailure: boolean;
	/** Entries that were never sent, with the error that ended the run. */
	onSkipped: (entries: E[], error: unknown) => void;
}

const byteLength = (text: string): number => Buffer.byteLength(text);

/**
 * Sends entries in as few requests as the limits allow, several at once. Each entry ends in exactly
 * one of `onDone`, `onFailed` and `onSkipped`.
 *
 * A failed request is repeated as `judge` and the policy allow. One that is too large, or of which
 * a part was refused, is divided until what cannot be sent stands alone. After a failure that every
 * further request would meet too, nothing more is sent.
 *
 * @returns counters of the run
 * @throws what `isFatal` accepts, once all requests under way have ended
 */
export async function runBulk<E, R>(job: BulkJob<E, R>): Promise<BulkStats> {
	const { clock, policy, keyOf } = job;
	const limits = { ...job.limits };
	const stats: BulkStats = { requests: 0, retries: 0, splits: 0, bytes: 0 };
	const limiter = new Limiter(job.concurrency, clock);
	/** Last request under way for each key: the next one of that key waits for it. */
	const busy = new Map<string, Promise<void>>();
	let fatal: { error: unknown } | undefined;
	let stopped: { error: unknown } | undefined;
	/** Dividing refused batches pays only while something in them is fine. */
	let accepted = 0;
	let wholeBatchRefused = false;

	const reason = () => fatal ?? stopped;

	const pack = (entry: E): Packed<E> => {
		const text = job.textOf(entry);
		return { entry, text, bytes: byteLength(text) };
	};
	const entriesOf = (batch: Array<Packed<E>>) => batch.map(({ entry }) => entry);

	/**
	 * One request with its retries; resolves when its entries have been answered.
	 *
	 * @param isPart of a batch that is being divided, which is done to its end once begun
	 */
	async function deliver(batch: Array<Packed<E>>, isPart = false): Promise<void> {
		const info: RequestInfo = { request: 0, attempts: 0, bytes: requestBytes(batch, limits) };
		let failure: { error: unknown } | undefined;
		for (;;) {
			const outcome = await attempt(batch, info);
			if (outcome === undefined) {
				// What was sent has an error of its own, unless a cancel came in between.
				if (failure && !fatal) return job.onFailed(entriesOf(batch), failure.error, info);
				return job.onSkipped(entriesOf(batch), reason()?.error);
			}
			if ('reply' in outcome) {
				limiter.succeeded();
				accepted += batch.length;
				stats.bytes += info.bytes;
				return job.onDone(entriesOf(batch), outcome.reply, info);
			}
			failure = outcome;
			const { error } = outcome;
			if (job.isFatal(error)) {
				fatal ??= { error };
				return job.onSkipped(entriesOf(batch), error);
			}
			const verdict = job.judge(error);
			if (verdict.retry && info.attempts < policy.maxAttempts && !reason()) {
				const random = () => clock.random();
				if (await rests(backoffMs(info.attempts, policy, random, verdict.retryAfterMs)))
					continue;
				return job.onSkipped(entriesOf(batch), reason()?.error);
			}
			const divisible = verdict.rejected && (isPart || accepted > 0 || !wholeBatchRefused);
			if (batch.length > 1 && (verdict.tooLarge || divisible)) {
				await divide(batch, info, verdict.tooLarge);
				if (!isPart && verdict.rejected && accepted === 0) wholeBatchRefused = true;
				return;
			}
			if (verdict.hopeless || job.stopOnFailure) stopped ??= { error };
			return job.onFailed(entriesOf(batch), error, info);
		}
	}

	/** Sends a request once, when there is room for it; undefined if the run ended before. */
	async function attempt(
		batch: Array<Packed<E>>,
		info: RequestInfo,
	): Promise<{ reply: R } | { error: unknown } | undefined> {
		if (reason()) return undefined;
		const sent = limiter.run(async (ticket) => {
			// It may have ended while this one was waiting for its turn.
			if (reason()) return undefined;
			if (++info.attempts === 1) info.request = ++stats.requests;
			else stats.retries++;
			return await job.send(batch, info.attempts).then(
				(reply) => ({ reply }),
				(error: unknown) => {
					const { throttled, retryAfterMs } = job.judge(error);
					if (throttled) limiter.throttled(ticket, retryAfterMs);
					return { error };
				},
			);
		});
		// The limiter itself rejects when the run is cancelled during a pause.
		return await sent.catch((error: unknown) => ({ error }));
	}

	/** Sleeps; false when the run was cancelled meanwhile. */
	async function rests(ms: number): Promise<boolean> {
		try {
			await clock.sleep(ms);
			return true;
		} catch (error) {
			fatal ??= { error };
			return false;
		}
	}

	async function divide(batch: Array<Packed<E>>, info: RequestInfo, tooLarge: boolean) {
		stats.splits++;
		// What the service refused as too large it will refuse again: make smaller batches from here.
		if (tooLarge) limits.maxBytes = Math.min(limits.maxBytes, Math.ceil(info.bytes / 2));
		const middle = Math.ceil(batch.length / 2);
		await deliver(batch.slice(0, middle), true);
		await deliver(batch.slice(middle), true);
	}

	const hardLimit = limits.maxBytes;
	const underWay = new Set<Promise<void>>();
	for (const batch of batches(job.entries, pack, keyOf, limits, job.groupOf)) {
		const [first] = batch;
		if (batch.length === 1 && first && first.bytes + limits.envelope > hardLimit) {
			const info = { request: 0, attempts: 0, bytes: first.bytes };
			const error = job.tooLarge(first.entry, first.bytes);
			const ended = reason();
			if (ended) job.onSkipped([first.entry], ended.error);
			else {
				if (job.stopOnFailure) stopped ??= { error };
				job.onFailed([first.entry], error, info);
			}
			continue;
		}
		const before = batch
			.map(({ entry }) => busy.get(keyOf(entry)))
			.filter((p) => p !== undefined);
		const delivery: Promise<void> = Promise.all(before)
			.then(async () => await deliver(batch))
			.finally(() => {
				underWay.delete(delivery);
				for (const { entry } of batch) {
					if (busy.get(keyOf(entry)) === delivery) busy.delete(keyOf(entry));
				}
			});
		underWay.add(delivery);
		for (const { entry } of batch) busy.set(keyOf(entry), delivery);
		// Packs no more than can be sent, so that bodies do not pile up.
		while (underWay.size >= job.concurrency) await Promise.race(underWay);
	}
	await Promise.all(underWay);
	if (fatal) throw fatal.error;
	return stats;
}
