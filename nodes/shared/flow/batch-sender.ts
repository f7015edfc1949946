import {
	entriesOf,
	requestBytes,
	type BatchLimits,
	type Packed,
	type Packing,
	type Unsendable,
} from './batches';
import {
	deliver,
	endRunAfter,
	failed,
	skipped,
	type Failed,
	type Line,
	type Outcome,
} from './deliver';
import type { Verdict } from './verdict';

/** How entries are sent in bulk. */
export interface BulkOptions<E, R> extends Packing<E>, Line {
	/** Maximum of requests in flight. */
	concurrency: number;
	/** Sends one request. `attempt` counts from 1. */
	send: (batch: Array<Packed<E>>, attempt: number) => Promise<R>;
	/** Lets other executions have their turn; called before each entry is packed. */
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

/** A response with the entries that it rejects, and why. */
interface Sent<E, R> {
	response: R;
	rejected: ReadonlyMap<E, unknown>;
}

/** What answers say of the request they belong to. */
type RequestInfo = Pick<Answer<unknown, unknown>, 'request' | 'bytes'>;

const NEVER_SENT: RequestInfo = { request: 0, bytes: 0 };

/** Sends batches, splits those that the service does not take as a whole, and answers their entries. */
export class BatchSender<E, R> {
	/** Shrinks when the service finds a request too large. */
	readonly limits: BatchLimits;
	/** Entries the service has accepted. */
	private accepted = 0;
	/** Groups of which a whole batch was rejected, entry by entry: splitting others would be pointless. */
	private readonly rejectedGroups = new Set<string | undefined>();

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
	 * @returns whether the service rejected the content of every entry
	 */
	private async deliver(batch: Array<Packed<E>>, whole?: Failed): Promise<boolean> {
		const bytes = requestBytes(batch, this.limits);
		let request = 0;
		const outcome = await deliver(
			async (attempt, earlier) => {
				if (attempt === 1) request = ++this.options.run.stats.requests;
				return await this.attempt(batch, attempt, earlier);
			},
			this.options,
			{
				canSplit: (verdict) => this.canSplit(batch, whole !== undefined, verdict),
				earlier: whole,
			},
		);
		if (outcome.ok) {
			this.options.run.stats.bytes += bytes;
			const { response, rejected } = outcome.response;
			await this.done(batch, { ...outcome, response }, rejected, { request, bytes });
			return false;
		}
		if (outcome.verdict.action !== 'split') {
			await this.answer(entriesOf(batch), outcome, { request, bytes });
			return outcome.unsplit === true && outcome.verdict.tooLarge !== true;
		}
		const areAllRejected = await this.split(batch, bytes, outcome);
		if (whole === undefined && areAllRejected) this.rejectedGroups.add(this.groupOf(batch));
		return areAllRejected;
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
		batch: Array<Packed<E>>,
		outcome: Outcome<R>,
		rejected: ReadonlyMap<E, unknown>,
		info: RequestInfo,
	): Promise<void> {
		const all = entriesOf(batch);
		const accepted = rejected.size === 0 ? all : all.filter((entry) => !rejected.has(entry));
		this.accepted += accepted.length;
		const answers: Array<Promise<void>> = [];
		if (accepted.length > 0) answers.push(this.answer(accepted, outcome, info));
		for (const [entry, reason] of rejected) {
			answers.push(this.answer([entry], failed(reason, outcome.attempts), info));
		}
		await Promise.all(answers);
	}
}
