import { backoffMs, type RetryPolicy } from './backoff';
import { batches, requestBytes, type BatchSource, type Packed, type Unsendable } from './batches';
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
	/** Bytes of its body. For an entry that could not be sent, its own. */
	bytes: number;
}

/** Counters of a run. */
export interface BulkStats {
	/** Requests that were sent, each part of a divided one too; retries not counted. */
	requests: number;
	/** Times a request was sent again. */
	retries: number;
	/** Batches divided because they were too large or held something the service refused. */
	splits: number;
}

/** What a run sends, and how. Entries of one key are sent one after the other, in their order. */
export interface BulkJob<E, R> extends BatchSource<E> {
	/** Most requests under way at once. */
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
	/** Start no further request once one has failed; entries not sent get `onSkipped`. */
	stopOnFailure: boolean;
	/** Entries that were never sent, with the error that ended the run. */
	onSkipped: (entries: E[], error: unknown) => void;
}

/**
 * Sends entries in as few requests as the limits allow, several at once. Each entry ends in exactly
 * one of `onDone`, `onFailed` and `onSkipped`.
 *
 * A failed request is repeated as `judge` and the policy allow. One that is too large, or of which
 * a part was refused, is divided until what cannot be sent stands alone. After a failure that every
 * further request would meet too, nothing more is sent. An entry that cannot be sent at all fails
 * alone.
 *
 * @returns counters of the run
 * @throws what `isFatal` accepts, a cancel of the clock, and what the input or a callback throws;
 * never before all requests under way have ended
 */
export async function runBulk<E, R>(job: BulkJob<E, R>): Promise<BulkStats> {
	const { clock, policy, keyOf } = job;
	const limits = { ...job.limits };
	const stats: BulkStats = { requests: 0, retries: 0, splits: 0 };
	const limiter = new Limiter(job.concurrency, clock);
	/** Last request under way for each key: the next one of that key waits for it. */
	const busy = new Map<string, Promise<void>>();
	let fatal: { error: unknown } | undefined;
	let stopped: { error: unknown } | undefined;
	/** Dividing refused batches pays only while something in them is fine. */
	let accepted = 0;
	let wholeBatchRefused = false;

	const reason = () => fatal ?? stopped;
	/** Ends the run with an error it is to throw. */
	const abort = (error: unknown) => {
		fatal ??= { error };
		limiter.end();
	};
	/** Starts no further request. */
	const stop = (error: unknown) => {
		stopped ??= { error };
		limiter.end();
	};
	const entriesOf = (batch: Array<Packed<E>>) => batch.map(({ entry }) => entry);

	/**
	 * One request with its retries; resolves when its entries have been answered.
	 *
	 * @param isPart of a batch that is being divided: the search in it goes on, whatever was refused
	 * entirely elsewhere
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
				return job.onDone(entriesOf(batch), outcome.reply, info);
			}
			failure = outcome;
			const { error } = outcome;
			if (job.isFatal(error)) {
				abort(error);
				return job.onSkipped(entriesOf(batch), error);
			}
			const verdict = job.judge(error);
			if (verdict.retry && info.attempts < policy.maxAttempts && !reason()) {
				const random = () => clock.random();
				const waitMs = backoffMs(info.attempts, policy, random, verdict.retryAfterMs);
				// Only a cancel ends it with an error.
				await limiter.sleep(waitMs).catch(abort);
				continue;
			}
			const divisible = verdict.rejected && (isPart || accepted > 0 || !wholeBatchRefused);
			if (batch.length > 1 && (verdict.tooLarge || divisible)) {
				await divide(batch, info, verdict.tooLarge);
				if (!isPart && verdict.rejected && accepted === 0) wholeBatchRefused = true;
				return;
			}
			if (verdict.hopeless || job.stopOnFailure) stop(error);
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

	async function divide(batch: Array<Packed<E>>, info: RequestInfo, tooLarge: boolean) {
		stats.splits++;
		// What the service refused as too large it will refuse again: make smaller batches from here.
		if (tooLarge) limits.maxBytes = Math.min(limits.maxBytes, Math.ceil(info.bytes / 2));
		const middle = Math.ceil(batch.length / 2);
		await deliver(batch.slice(0, middle), true);
		await deliver(batch.slice(middle), true);
	}

	function refuse({ entry, error, bytes }: Unsendable<E>): void {
		const ended = reason();
		if (ended) return job.onSkipped([entry], ended.error);
		if (job.stopOnFailure) stop(error);
		job.onFailed([entry], error, { request: 0, attempts: 0, bytes });
	}

	const underWay = new Set<Promise<void>>();

	/** Delivers a batch once those of its keys have ended. */
	function start(batch: Array<Packed<E>>): void {
		const before = batch
			.map(({ entry }) => busy.get(keyOf(entry)))
			.filter((p) => p !== undefined);
		const delivery: Promise<void> = Promise.all(before)
			.then(async () => await deliver(batch))
			// Only a callback can have thrown.
			.catch(abort)
			.finally(() => {
				underWay.delete(delivery);
				for (const { entry } of batch) {
					if (busy.get(keyOf(entry)) === delivery) busy.delete(keyOf(entry));
				}
			});
		underWay.add(delivery);
		for (const { entry } of batch) busy.set(keyOf(entry), delivery);
	}

	try {
		for (const made of batches(job, limits)) {
			if ('error' in made) refuse(made);
			else start(made);
			// Packs no more than can be sent, so that bodies do not pile up.
			while (underWay.size >= job.concurrency) await Promise.race(underWay);
		}
	} catch (error) {
		abort(error);
	}
	await Promise.all(underWay);
	if (fatal) throw fatal.error;
	return stats;
}
