/** How entries are packed into requests, and what the node does after each answer of the service. */
import type { Entry, Failure, Fault, Figures, Given, Sent } from './model';
import { bytesOf } from './model';

export interface Limits {
	/** Entries in one request. */
	count: number;
	/** Bytes of the body of one request. */
	bytes: number;
}

/** An answer of the service that is not a status of 400 or more. */
export interface Accepted {
	/** IDs that the response reports as failed. */
	rejected: string[];
	isComplaint: boolean;
	/** What the output shows as the response to an entry. */
	responseOf: (id: string) => unknown;
}

export interface Service {
	fault: Fault;
	/** Returns true if the fault applies to a request with these entries. */
	isHit: (batch: Entry[]) => boolean;
	/** The answer without a fault: a status of an error, or what an accepted request returns. */
	answer: (batch: Entry[], isCommit: boolean) => number | Accepted;
	/** Bytes of a body above which the status is 413. */
	bodyLimit: number;
}

/** What the requests of a node look like. */
export interface Protocol {
	/** The body of a request, or nothing if it has none. */
	bodyOf: (batch: Entry[]) => unknown;
	/** What a request contains, as the tests compare it. */
	contentOf: (batch: Entry[]) => unknown;
	/** Bytes that count for the limits. Without it, the bytes of the body. */
	sizeOf?: (batch: Entry[]) => number;
	/** A request can contain several entries with the same ID. */
	isEachSent?: true;
	/** How often a request is sent until a 401 counts. */
	attemptsWith401?: number;
	/** What 404 means if the node asked for something that may not exist: a failure, or a success of its own kind. */
	notFound?: 'fails' | 'succeeds';
	/** Which requests ask for a commit. The last one waits until all others have an answer. */
	commits?: 'no' | 'each' | 'last';
}

interface Batch {
	entries: Entry[];
	/** A part of a batch that was split. */
	isPart: boolean;
	/** The outcome of an earlier attempt is unknown. */
	isUncertain: boolean;
}

/** Statuses after which a rejected batch is split, because one of its entries may be the cause. */
const SPLITS = [400, 403, 413, 422];
/** Statuses that every later request would have too. */
const ENDS = [401, 302];
const REJECTED_IN_A_ROW = 10;
const REFUSED_IN_A_ROW = 3;

export class Sending {
	readonly sent: Sent[] = [];
	readonly figures: Figures = { requests: 0, retries: 0, splits: 0, throttled: 0, bytes: 0 };
	/** The failure that ended the run. All entries that were not sent fail for the same reason. */
	ended?: Failure;
	/** The first entry that failed in a request. */
	firstFailed?: Entry;
	private batch: Entry[] = [];
	private accepted = 0;
	private rejected = 0;
	private refused = 0;
	private hasSucceeded = false;
	private limitOf413 = Infinity;
	private hasFaultStruck = false;
	private held?: Entry;
	private isLast = false;
	/** The service accepted a commit after the last delete. */
	isCommitted = false;

	constructor(
		private readonly given: Pick<Given, 'onError' | 'dryRun'>,
		private readonly limits: Limits,
		private readonly service: Service,
		private readonly protocol: Protocol,
	) {}

	/** Adds an entry to the current request, or first sends the request if the entry no longer fits. */
	add(entry: Entry): void {
		if (this.ended) return;
		if (this.sizeOf([entry]) > this.limits.bytes) {
			this.fail([entry], { claim: 'not' });
			return;
		}
		const same =
			this.limits.count === 1 || this.protocol.isEachSent
				? -1
				: this.batch.findIndex(({ id }) => id === entry.id);
		const bytes = Math.min(this.limits.bytes, this.limitOf413);
		const joined = same < 0 ? [...this.batch, entry] : this.batch.with(same, entry);
		if (
			this.batch.length > 0 &&
			(joined.length > this.limits.count || this.sizeOf(joined) > bytes)
		) {
			this.flush();
			if (this.ended) return;
			this.batch = [entry];
		} else {
			// Of documents with the same ID, a request contains only the last one.
			const earlier = this.batch[same];
			if (earlier) {
				earlier.fate = { is: 'replaced' };
				replacedBy.set(earlier, entry);
			}
			this.batch = joined;
		}
		if (this.limits.count === 1) this.flush();
	}

	/** Sends what is left at the end of a run. */
	finish(): void {
		this.flush();
		const { held } = this;
		if (held === undefined || this.ended) return;
		this.held = undefined;
		this.isLast = true;
		this.deliver({ entries: [held], isPart: false, isUncertain: false });
	}

	/** Sends what is left of a file. Requests never contain entries of two files. */
	flush(): void {
		const entries = this.batch;
		this.batch = [];
		const [entry] = entries;
		if (entry === undefined) return;
		if (this.protocol.commits !== 'last') {
			this.deliver({ entries, isPart: false, isUncertain: false });
			return;
		}
		const { held } = this;
		this.held = entry;
		if (held) this.deliver({ entries: [held], isPart: false, isUncertain: false });
	}

	/** Sends entries once more in a request of their own. */
	again(entries: Entry[]): void {
		for (const entry of entries) delete entry.fate;
		this.deliver({ entries, isPart: true, isUncertain: false });
	}

	private isCommit(): boolean {
		return this.protocol.commits === 'each' || this.isLast;
	}

	private sizeOf(entries: Entry[]): number {
		return this.protocol.sizeOf?.(entries) ?? this.bodySizeOf(entries);
	}

	private bodySizeOf(entries: Entry[]): number {
		const body = this.protocol.bodyOf(entries);
		return body === undefined ? 0 : bytesOf(body);
	}

	private deliver(batch: Batch): void {
		const { entries } = batch;
		if (this.ended) {
			this.fail(entries, this.ended);
			return;
		}
		const { figures, service } = this;
		const request = ++figures.requests;
		if (this.given.dryRun) {
			figures.bytes += this.sizeOf(entries);
			for (const entry of entries)
				entry.fate = {
					is: 'done',
					shown: {
						request,
						...(entry.payload !== undefined && { bytes: bytesOf(entry.payload) }),
					},
				};
			return;
		}
		const isHit = service.fault !== 'nothing' && service.isHit(entries);
		let attempts = 1;
		let { isUncertain } = batch;
		if (
			isHit &&
			typeof service.fault === 'string' &&
			service.fault.startsWith('once') &&
			!this.hasFaultStruck
		) {
			this.hasFaultStruck = true;
			const status = { 'once 429': 429, 'once 500': 500, 'once lost': 0 }[
				service.fault as 'once 429'
			];
			this.record(entries, status, status === 0);
			// A response that is lost does not undo the work of the service.
			if (status === 0) service.answer(entries, this.isCommit());
			if (status === 429) figures.throttled++;
			else isUncertain = true;
			figures.retries++;
			attempts = 2;
		}
		if (isHit && service.fault === 503) {
			// The node repeats and splits the request until only the entries that are struck have failed.
			const struck = entries.filter((entry) => service.isHit([entry]));
			this.fail(struck, { claim: 'unknown', httpStatus: 503 });
			const others = entries.filter((entry) => !struck.includes(entry));
			if (others.length > 0)
				this.succeed(others, this.service.answer(others, this.isCommit()) as Accepted, {
					request,
				});
			return;
		}
		const status = isHit && typeof service.fault === 'number' ? service.fault : undefined;
		const answer =
			status ??
			(this.sizeOf(entries) > service.bodyLimit ? 413 : this.faulty(entries, isHit));
		if (typeof answer === 'number') {
			const { attemptsWith401 = 1 } = this.protocol;
			for (let at = 0; at < (answer === 401 ? attemptsWith401 : 1); at++)
				this.record(entries, answer, false);
			this.react(answer, { ...batch, isUncertain });
			return;
		}
		this.record(
			entries,
			200,
			!isHit ||
				['nothing', 'once 429', 'once 500', 'once lost'].includes(String(service.fault)),
		);
		this.succeed(entries, answer, { request, ...(attempts > 1 && { attempts }) });
	}

	/** Returns the answer to a request whose status is 200. */
	private faulty(entries: Entry[], isHit: boolean): number | Accepted {
		const { fault, answer } = this.service;
		if (isHit && fault === 'page') return 200;
		if (isHit && fault === 'complains')
			return { rejected: [], isComplaint: true, responseOf: () => undefined };
		if (isHit && fault === 'rejects') {
			const all = { items: [{ id: 'hit', status: 422, message: 'Too odd' }] };
			return {
				rejected: ['hit'],
				isComplaint: !entries.some(({ id }) => id === 'hit'),
				responseOf: () => all,
			};
		}
		return answer(entries, this.isCommit());
	}

	private succeed(
		entries: Entry[],
		{ rejected, isComplaint, responseOf }: Accepted,
		shown: object,
	): void {
		this.figures.bytes += this.sizeOf(entries);
		for (const entry of entries) {
			const { id = '' } = entry;
			const response = responseOf(id);
			if (rejected.includes(id)) this.fail([entry], { claim: 'not', httpStatus: 422 });
			else if (isComplaint) this.fail([entry], { claim: 'unknown' });
			else
				entry.fate = {
					is: 'done',
					shown: {
						...shown,
						...(response !== undefined && { response: response as never }),
					},
				};
		}
		this.hasSucceeded = true;
		// Each accepted delete with a commit also commits the deletes before it.
		if (this.isCommit() && entries.some(({ fate }) => fate?.is === 'done'))
			this.isCommitted = true;
		this.accepted += entries.length;
		this.refused = 0;
	}

	/** What the node does after a status that does not mean success. */
	private react(status: number, batch: Batch): void {
		const { entries, isPart, isUncertain } = batch;
		const claim = isUncertain || status === 200 || status >= 500 ? 'unknown' : 'not';
		const failure: Failure = { claim, ...(status !== 200 && { httpStatus: status }) };
		const [first] = entries;
		if (status === 404 && this.protocol.notFound) {
			// Some proxies answer with 404 to an encoded slash.
			const isProxy = entries.some(({ id }) => id?.includes('/'));
			// An earlier attempt may have deleted the document.
			if (isUncertain && !isProxy)
				for (const entry of entries) entry.fate = { is: 'done', shown: {} };
			else if (isProxy || this.protocol.notFound === 'fails')
				this.fail(entries, { claim: isProxy ? 'unknown' : 'not', httpStatus: 404 });
			else for (const entry of entries) entry.fate = { is: 'notFound' };
			return;
		}
		if (ENDS.includes(status)) this.ended ??= failure;
		if (status === 413 && entries.length > 1)
			this.limitOf413 = Math.min(this.limitOf413, Math.ceil(this.sizeOf(entries) / 2));
		const isHopeless = this.rejected >= REJECTED_IN_A_ROW && this.accepted === 0 && !isPart;
		const isWhole =
			entries.length === 1 ||
			!SPLITS.includes(status) ||
			(isHopeless && [400, 422].includes(status));
		const wasWorking = this.hasSucceeded;
		if (status === 403) this.hasSucceeded = false;
		if (isWhole || first === undefined) {
			if ([400, 422].includes(status)) this.rejected += entries.length;
			if (status === 403 && ++this.refused >= REFUSED_IN_A_ROW) this.ended ??= failure;
			this.fail(entries, failure);
			return;
		}
		this.figures.splits++;
		// After 403, one entry alone shows whether the service still accepts anything.
		const half = status === 403 && !(isPart && wasWorking) ? 1 : Math.ceil(entries.length / 2);
		for (const part of [entries.slice(0, half), entries.slice(half)])
			this.deliver({ entries: part, isPart: true, isUncertain });
	}

	/** With Stop Workflow, the first failure ends the run. */
	private fail(entries: Entry[], failure: Failure): void {
		for (const entry of entries) {
			this.firstFailed ??= entry;
			entry.fate ??= {
				is: 'failed',
				failure: { ...failure, ...(entry.id !== undefined && { id: entry.id }) },
			};
			if (this.given.onError === 'stopWorkflow') this.ended ??= failure;
		}
	}

	private record(entries: Entry[], status: number, isRead: boolean): void {
		const { bodyOf, contentOf } = this.protocol;
		// An ID is in the path, so it is always known.
		const isKnown = isRead || bodyOf(entries) === undefined;
		this.sent.push({
			status,
			bytes: this.bodySizeOf(entries),
			...(isKnown && { content: contentOf(entries) }),
			...(this.isCommit() && { commit: true }),
		});
	}
}

/** The entry that was sent instead of an earlier one with the same ID. */
export const replacedBy = new WeakMap<Entry, Entry>();
