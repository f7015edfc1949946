/**
 * The `BatchSender` sends one batch until each of its entries has an outcome. It first sends the whole batch. If the
 * whole batch fails, the retry policy chooses the next step. The sender then sends the batch again or in two parts. Each
 * part has its own retry policy. The policy can also let the entries fail or end the run.
 */
import { outcomeOf, type RequestSettings } from './attempt';
import {
	requestBytes,
	type Batch,
	type BatchLimits,
	type FullBatch,
	type Keys,
	type Packing,
	type Unsendable,
} from './batcher';
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
import { RetryPolicy, type FailedAttempt } from './retry-policy';
import type { RunStats } from './run-state';

/** `A` is the response to a request. */
export interface BulkOptions<E, A> extends Packing<E>, RequestSettings {
	/** `bytes` is the size of the request body. */
	send: (batch: Batch<E>, bytes: number) => Promise<A>;
	/**
	 * Returns the reason why a successful response rejects an entry. Returns undefined if the service accepted the
	 * entry.
	 */
	rejectionOf?: (accepted: A, entry: E) => unknown;
	/** Polls are not counted as requests. */
	arePolls?: boolean;
}

export interface RequestInfo {
	/**
	 * Position of the request among all requests of the run. The first request has position 1. The position is 0 if the
	 * request was never sent.
	 */
	request: number;
	attempts: number;
	/** Size of the request body. If an entry is too large to be sent, this is the size of the entry. */
	bytes: number;
}

/** Entries from one request that have the same outcome. */
export interface BatchResult<E, A> extends RequestInfo {
	entries: E[];
	outcome: Outcome<A>;
}

const NEVER_SENT = { request: 0, attempts: 0, bytes: 0 };

/** A batch or a part of a batch, and the history of the attempts to send it. */
interface Part<E> {
	batch: Batch<E>;
	bytes: number;
	policy: RetryPolicy;
	request: number;
	attempts: number;
	/** When a part is split, the new parts inherit this failure. */
	last?: Failed | undefined;
}

interface Accepted<E, A> {
	response: A;
	rejected: ReadonlyMap<E, unknown>;
}

export const entriesOf = <E>(batch: Batch<E>): E[] => batch.map(({ entry }) => entry);

export class BatchSender<E, A> {
	/** If the service rejects a request as too large, `maxBytes` shrinks. */
	readonly limits: BatchLimits;
	/** The batches that are being sent, indexed by the keys of their entries. */
	private readonly started = new Map<Keys, Promise<void>>();
	private readonly stats: RunStats;

	constructor(
		private readonly options: BulkOptions<E, A>,
		private readonly tasks: Tasks<BatchResult<E, A>>,
	) {
		this.limits = { ...options.limits };
		this.stats = options.stats ?? options.run.stats;
	}

	/** The batch first waits for all earlier batches that contain one of its keys. */
	start({ batch, keys, bytes }: FullBatch<E>): void {
		const { started } = this;
		const list = [...keys.keys()];
		const earlier = [...started].flatMap(([others, end]) =>
			list.some((key) => others.has(key)) ? end : [],
		);
		const sending = this.tasks.start(async () => {
			await Promise.all(earlier);
			await this.sendParts(this.newPart(batch, { bytes }));
			started.delete(keys);
		});
		started.set(keys, sending);
	}

	async failUnsendable({ entry, reason, bytes }: Unsendable<E>): Promise<void> {
		const outcome = failureOf(reason);
		endRunAfter(this.options.run, outcome);
		await this.tasks.put({ entries: [entry], outcome, ...NEVER_SENT, bytes });
	}

	async skip(entries: E[], ended: { readonly reason: unknown }): Promise<void> {
		if (entries.length > 0)
			await this.tasks.put({ entries, outcome: skippedFailure(ended), ...NEVER_SENT });
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
		outcome: Outcome<A>,
		info: RequestInfo,
		entries = entriesOf(batch),
	): Promise<void> {
		// V8 can keep the batch in memory longer than needed, so the texts of the batch are released here.
		for (const packed of batch) packed.text = '';
		if (entries.length > 0) await this.tasks.put({ entries, outcome, ...info });
	}

	/** Keeps sending a batch until each entry has an outcome. */
	private async sendParts(whole: Part<E>): Promise<void> {
		const parts = [whole];
		for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
			const next = await this.attempt(part);
			if (next === 'singleOut') parts.unshift(...this.singleOut(part));
			else if (next === 'split') parts.unshift(...this.halves(part));
			// This part waits until the other parts are sent. The other parts show whether the service is up.
			else if (next !== undefined) parts.push(part);
		}
	}

	/**
	 * Waits until the part's retry policy and the limiter allow an attempt, and then attempts to send the part once. If
	 * the attempt decides the outcome of the entries, passes the outcome to the consumer.
	 *
	 * @returns what to do next, or undefined if the part does not need to be sent again
	 */
	private async attempt(part: Part<E>): Promise<Unfinished['next'] | undefined> {
		const { run, limiterClient } = this.options;
		const { batch, bytes, policy } = part;
		const pauseMs = policy.resumeAt === undefined ? 0 : policy.resumeAt - run.now();
		if (pauseMs > 0) await run.sleep(pauseMs);
		// If an unexpected error occurs, only the entries of this request fail. The run continues.
		const result = await limiterClient
			.schedule(async (turn) => await this.sendInTurn(part, turn))
			.catch(failureOf);
		if (result.next) {
			// The service would also reject later requests of this size.
			if (result.diagnosis.kind === 'tooLarge')
				this.limits.maxBytes = Math.min(this.limits.maxBytes, Math.ceil(bytes / 2));
			return result.next;
		}
		const info = { request: part.request, attempts: part.attempts, bytes };
		if (result.ok) await this.accept(part, result.response, info);
		else await this.answer(batch, result, info);
		return undefined;
	}

	private async sendInTurn(
		part: Part<E>,
		turn: Turn,
	): Promise<Outcome<Accepted<E, A>> | Unfinished> {
		const { options, stats } = this;
		const { run, send, arePolls = false } = options;
		const { batch, bytes, policy, last } = part;
		// The run may have ended while this request waited for its turn.
		if (run.ended) return last ? finalFailure(last) : skippedFailure(run.ended);
		if (++part.attempts > 1) stats.increment('retries');
		if (part.request === 0 && !arePolls) {
			stats.increment('requests');
			part.request = stats.requests;
		}
		run.stats.inFlight++;
		const result = await outcomeOf(send(batch, bytes), turn, options, policy.failures).finally(
			() => run.stats.inFlight--,
		);
		// The limiter still treats this request as in flight while the failure is handled. Otherwise, a waiting request
		// could start before the failure has ended the run.
		if (!result.ok) return this.afterFailure(part, turn, result);
		const { response } = result;
		const accepted = { response, rejected: this.rejectedBy(response, part) };
		stats.increment('bytes', bytes);
		return { ok: true, response: accepted };
	}

	private afterFailure(
		part: Part<E>,
		{ sequence }: Turn,
		{
			reason,
			diagnosis,
			pausesAll,
		}: { reason: unknown } & Pick<FailedAttempt, 'diagnosis' | 'pausesAll'>,
	): Failed | Unfinished {
		const { run, withHistory, forEntry } = this.options;
		const { batch, policy, last } = part;
		const decision = policy.decide({ diagnosis, pausesAll, sequence, size: batch.length });
		let cause = last && withHistory ? withHistory(reason, last.reason) : reason;
		if (policy.isAtFault && forEntry) cause = forEntry(cause);
		const failure = failureOf(cause);
		failure.diagnosis = decision === 'end' ? { ...diagnosis, action: 'stop' } : diagnosis;
		part.last = failure;
		const isFinal = decision === 'fail' || decision === 'end';
		if (!isFinal && !run.ended) return { ...failure, next: decision };
		endRunAfter(run, finalFailure(failure));
		return finalFailure(failure);
	}

	private rejectedBy(response: A, { batch, last }: Part<E>): Accepted<E, A>['rejected'] {
		const { run, rejectionOf, withHistory } = this.options;
		const rejected = new Map<E, unknown>();
		if (rejectionOf === undefined) return rejected;
		for (const { entry } of batch) {
			const rejection = rejectionOf(response, entry);
			if (rejection === undefined) continue;
			const reason = withHistory ? withHistory(rejection, last?.reason) : rejection;
			rejected.set(entry, reason);
			endRunAfter(run, failureOf(reason));
		}
		return rejected;
	}

	private async accept(
		{ batch }: Part<E>,
		{ response, rejected }: Accepted<E, A>,
		info: RequestInfo,
	): Promise<void> {
		const entries = entriesOf(batch);
		const others = rejected.size > 0 ? entries.filter((each) => !rejected.has(each)) : entries;
		const answers = [this.answer(batch, { ok: true, response }, info, others)];
		for (const [entry, reason] of rejected)
			answers.push(this.answer(batch, failureOf(reason), info, [entry]));
		await Promise.all(answers);
	}

	/** Sends a random entry by itself. A fixed choice might always be the bad entry. */
	private singleOut(part: Part<E>): Array<Part<E>> {
		const { batch } = part;
		const at = Math.floor(this.options.run.random() * batch.length);
		return this.partsOf(part, [batch.slice(at, at + 1), batch.toSpliced(at, 1)]);
	}

	private halves(part: Part<E>): Array<Part<E>> {
		const { batch } = part;
		const middle = Math.ceil(batch.length / 2);
		return this.partsOf(part, [batch.slice(0, middle), batch.slice(middle)]);
	}

	private partsOf({ policy, last }: Part<E>, batches: Array<Batch<E>>): Array<Part<E>> {
		this.stats.increment('splits');
		return batches.map((batch) => this.newPart(batch, { policy: policy.forPart(), last }));
	}
}
