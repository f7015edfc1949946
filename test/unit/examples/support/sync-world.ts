/**
 * A model of everything around the Code nodes of a sync: n8n's data table, the index, the source, and runs that are
 * killed, suspended or work at the same time. The order of the steps is the order of the nodes in
 * `examples/src/parts/sync.ts`.
 */
import type {
	Batch,
	BatchRow,
	Entry,
	Fetched,
	Known,
	ListedDocument,
	Row,
	RunLock,
	RunPlan,
	Settings,
	Summary,
} from '../../../../examples/src/parts/types';
import { approved, LOCK, NOT_APPROVED } from './approvals';
import type { Code } from './code';
import { renewed, serviceAnswers, unlocked, type Scope } from './lock-nodes';

const LOCK_MINUTES = 15;

/** A document of the source. The text is a list of words, and each word becomes a chunk. */
export interface SourceDocument {
	id: string;
	version: number;
	/** What the source says about this version. An empty text has no chunks. */
	state: 'text' | 'problem' | 'gone';
	words: string[];
	/** Whether the list has the document. Otherwise, only Fetch finds it. */
	isListed: boolean;
	/** Whether the list says that the document waits for a later run. */
	isLater?: boolean;
}

export interface Shape {
	isChunked: boolean;
	/** Whether the list has versions, and the texts are fetched. */
	isFetched: boolean;
}

export interface RunOptions {
	list: SourceDocument[];
	confirmDeletes: boolean;
	pushAgain?: string[];
	/** Returns true if this step of the run fails. */
	fails(step: Step): boolean;
	/** Returns why the service rejects a document, or an empty text. */
	refuses?(id: string): string;
}

export type Step = 'fetch' | 'chunk' | 'push' | 'lostAnswer' | 'delete';

export type RunResult = Summary & Record<string, unknown>;

/** Fails the test: a promise was broken. */
export class BrokenPromise extends Error {}

type TableRow = Row & Partial<BatchRow>;

const MOST_DELETES = 2;

export class SyncWorld {
	readonly index = new Map<string, string>();
	rows: TableRow[] = [];
	now = 1000;
	/** Documents per batch. */
	batchSize = 2;
	private refuses: (id: string) => string = () => '';
	/** Settings of all runs. */
	settings: Partial<Settings> = {};
	/** Whether a run has done something after it had lost its lock. Then only the next run repairs the index. */
	wasSuspended = false;

	/** What has happened so far, such as a compaction. */
	readonly occurred = new Set<string>();

	/**
	 * Locks that other runs do not see yet, although they have their number. PostgreSQL commits a lock a moment later,
	 * before another run has planned its batches.
	 */
	private readonly uncommitted = new Set<TableRow>();
	private lastId = 0;
	private highestId = 0;
	/** The documents that the index has, by the version that the table knows. */
	private readonly contents = new Map<string, string>();

	constructor(
		private readonly code: Code,
		private readonly shape: Shape,
		/**
		 * Whether the database is SQLite, which gives the number of a deleted last row to the next row. PostgreSQL never
		 * does, but numbers a row before other runs can see it.
		 */
		private readonly reusesIds: boolean,
	) {}

	/** One run as steps. Between two steps, the run may be killed or suspended. */
	*run({
		list,
		confirmDeletes,
		pushAgain = [],
		...options
	}: RunOptions): Generator<string, RunResult> {
		const { code, shape } = this;
		const fails: RunOptions['fails'] = (step) => {
			const hasFailed = options.fails(step);
			if (hasFailed) this.occurred.add(`failed: ${step}`);
			return hasFailed;
		};
		yield 'Lock';
		const lock = this.numbered({ lockedUntil: this.date(LOCK_MINUTES) });
		this.uncommitted.add(lock);
		if (!this.reusesIds) yield 'Commit';
		this.commit(lock);
		yield 'Read State Table';
		const rows = this.rows.map((row) => ({ ...row }));
		const [{ json: known }] = code.known({ rows, lock, now: this.date(0, true), mostRows: 4 });
		const items = this.planned(
			list,
			known,
			{ ...LOCK, run: lock.id },
			confirmDeletes,
			pushAgain,
		);
		const { summary = {} as Summary } = items[0].json;
		const oldest = rows.find((row) => this.isValid(row));
		if ((oldest?.id === lock.id) === (summary.status === 409)) {
			throw new BrokenPromise(
				`status ${summary.status}, and the oldest lock is ${oldest?.id}`,
			);
		}
		const batches = items.map((item) => item.json).filter(({ batch }) => batch > 0) as Batch[];
		const results: Array<Partial<BatchRow & Row>> = [];
		const deleted = new Set<string>();
		for (const batch of batches) {
			if (!serviceAnswers(results)) {
				results.push({ notDone: batch.work.length });
				continue;
			}
			this.refuses = options.refuses ?? (() => '');
			results.push(yield* this.apply(batch, list, fails, deleted));
		}
		yield 'Unlock';
		const unlocking = this.scope([results[0] ?? items[0].json], {
			Lock: lock,
			'Plan the Batches': items[0].json,
		});
		const rest = unlocked(this.rows, unlocking);
		if (rest.length < this.rows.length - 1) this.occurred.add('a compaction');
		if (summary.status === 409) this.occurred.add('a run that was refused');
		if (summary.withheld > 0) this.occurred.add('deletes that were withheld');
		this.rows = rest;
		if (!confirmDeletes && deleted.size > MOST_DELETES) {
			throw new BrokenPromise(`${deleted.size} documents were deleted`);
		}
		const [end] = code.result({
			...{ summary, batches: results, isChunked: shape.isChunked, howToDelete: 'confirm' },
			approval: confirmDeletes ? approved(1e9) : NOT_APPROVED,
		});
		return { ...summary, ...end.json };
	}

	/** What a run would do with a list, as *Show the Plan* returns it. */
	plan(list: SourceDocument[], confirmDeletes: boolean, pushAgain: string[] = []): RunPlan {
		const rows = this.rows.map((row) => ({ ...row }));
		const inputs = { rows, lock: null, now: this.date(0, true), mostRows: 4 };
		const [{ json: known }] = this.code.known(inputs);
		const [{ json }, ...others] = this.planned(list, known, null, confirmDeletes, pushAgain);
		if (!json.plan || others.length > 0) throw new BrokenPromise('there is not one plan');
		return json.plan;
	}

	/** Carries out Compute Versions and Plan the Batches. */
	private planned(
		list: SourceDocument[],
		known: Known,
		lock: RunLock | null,
		confirmDeletes: boolean,
		pushAgain: string[],
	) {
		const { code, shape } = this;
		const listed = list.filter(({ isListed }) => isListed);
		const documents = listed.map((document) => this.listed(document));
		const fields = shape.isChunked ? ['name', 'url', 'text', 'version', 'problem'] : null;
		const [{ json }] = code.versions({
			list: documents,
			fields,
			ignoredFields: '',
			formerSplit: 'headings',
			settings: '{}',
		});
		for (const [at, version] of json.versions.entries()) {
			this.contents.set(`${listed[at].id}/${version}`, this.contentOf(listed[at]));
		}
		return code.plan({
			list: documents,
			versions: json.versions,
			known,
			settings: {
				mostDeletes: MOST_DELETES,
				mostDeletesPercent: 5,
				pushAgain,
				...this.settings,
			},
			approval: confirmDeletes ? approved(1e9) : NOT_APPROVED,
			lock,
			batchSize: this.batchSize,
			...{ isAsked: shape.isFetched, asksForMissing: true, areAddresses: false },
			isChunked: shape.isChunked,
		});
	}

	private *apply(
		batch: Batch,
		list: SourceDocument[],
		fails: RunOptions['fails'],
		deleted: Set<string>,
	): Generator<string, Partial<BatchRow & Row>> {
		const { code, shape } = this;
		const { isChunked, isFetched } = shape;
		const source = new Map(list.map((document) => [document.id, document]));
		yield 'Renew Lock';
		if (!this.renew(batch, ['Renew Lock', 'Lock Is Mine'])) return {};
		const fetched = isFetched
			? batch.work.flatMap(({ id }) => this.fetch(id, source, fails))
			: null;
		yield 'Documents';
		const documents = code.documents({ batch, fetched, isChunked }).map(({ json }) => json);
		const texts = documents.map(({ text, previousChunkCount, id }) =>
			this.chunked(id, String(text ?? ''), previousChunkCount, fails),
		);
		if (isChunked) {
			yield 'Renew Lock Again';
			if (!this.renew(batch, ['Renew Lock Again', 'Lock Is Still Mine'])) return {};
		}
		// Results are found by the ID of their document, so their order does not matter.
		const chunked = isChunked ? [...texts].reverse() : null;
		const [note] = code['planned-changes']({ batch, documents, texts: chunked });
		yield 'Note Planned Changes';
		this.insert(note.json);
		const pushes: object[] = [];
		const deletes: object[] = [];
		for (const [at, document] of documents.entries()) {
			const pushed = isChunked
				? (texts[at].documents ?? [])
				: document.documents.map(contentIn);
			const push = yield* this.push(pushed, batch.run, fails);
			pushes.push({ id: document.id, ...push });
		}
		let removed = 0;
		for (const [at, document] of documents.entries()) {
			const hasFailed = isChunked && 'error' in pushes[at];
			const ids = isChunked ? (texts[at].removedIds ?? []) : document.removedIds;
			if (ids.length > 0) removed += 1;
			if (document.isDeleted && ids.length > 0) {
				deleted.add(document.id);
				const answer = fetched?.find(({ id }) => id === document.id);
				if (fetched && (!answer || answer.error || answer.problem)) {
					throw new BrokenPromise(`'${document.id}' could not be read and was deleted`);
				}
				const inList = source.get(document.id);
				if (inList?.isListed && inList.state !== 'gone') {
					throw new BrokenPromise(`'${document.id}' is in the list and was deleted`);
				}
			}
			const deletion = yield* this.delete(hasFailed ? [] : ids, batch.run, fails);
			deletes.push({ id: document.id, ...deletion });
		}
		yield 'Sum Up the Batch';
		const [row] = code['batch-row']({
			...{ batch, documents, texts: chunked },
			...{ pushes: pushes.reverse(), deletes: deletes.reverse() },
		});
		if (row.json.deleted > removed) {
			throw new BrokenPromise('a document that the index never had is called deleted');
		}
		yield 'Remember';
		return this.insert(row.json);
	}

	/** What the list says about a document. */
	private listed({ id, version, state, words, isLater }: SourceDocument): ListedDocument {
		if (this.shape.isFetched) return { id, name: id, version, ...(isLater && { later: true }) };
		return state === 'problem' && this.shape.isChunked
			? { id, name: id, problem: 'is encrypted' }
			: { id, name: id, text: words.join(' ') };
	}

	/** Fetch answers, has no answer, or loses an entry. */
	private fetch(
		id: string,
		source: Map<string, SourceDocument>,
		fails: RunOptions['fails'],
	): Fetched[] {
		if (fails('lostAnswer')) return [];
		if (fails('fetch')) return [{ id, error: { message: 'no answer' } }];
		const document = source.get(id);
		if (!document || document.state === 'gone') return [{ id, gone: true }];
		if (document.state === 'problem') return [{ id, problem: 'is encrypted' }];
		return [{ id, text: document.words.join(' ') }];
	}

	/** Chunk Text with One Item per Document. */
	private chunked(
		id: string,
		text: string,
		previous: number,
		fails: RunOptions['fails'],
	): Chunked {
		if (text !== '' && fails('chunk')) return { id, error: 'The service rejected the text.' };
		const words = text === '' ? [] : text.split(' ');
		const removed = Math.max(0, previous - words.length);
		return {
			...{ id, chunkCount: words.length, removalsKnown: true, missingCharacters: 0 },
			documents: words.map((word, at) => [`${id}#${at}`, word] as [string, string]),
			removedIds: Array.from({ length: removed }, (_, at) => `${id}#${words.length + at}`),
		};
	}

	/** Push Documents with One Item per Input Item. A lost answer means that the push has taken effect. */
	private *push(documents: Array<[string, string]>, run: number, fails: RunOptions['fails']) {
		for (const [id, content] of documents) {
			yield 'push';
			this.noteSuspended(run);
			if (fails('push')) return { error: `'${id}' was not pushed.` };
			const refusal = this.refuses(id.split('#')[0]);
			if (refusal) return { error: refusal };
			this.index.set(id, content);
			if (fails('lostAnswer')) return { error: `It is unknown whether '${id}' was pushed.` };
		}
		return { pushed: documents.length };
	}

	/** Delete Document with Ignore Not Found. */
	private *delete(ids: string[], run: number, fails: RunOptions['fails']) {
		const counts = { deleted: 0, notFound: 0 };
		for (const id of ids) {
			yield 'delete';
			this.noteSuspended(run);
			if (fails('delete')) return { error: `'${id}' was not deleted.` };
			if (this.index.delete(id)) counts.deleted += 1;
			else counts.notFound += 1;
			if (fails('lostAnswer')) return { error: `It is unknown whether '${id}' was deleted.` };
		}
		return counts;
	}

	private noteSuspended(run: number): void {
		if (this.owns(run)) return;
		this.wasSuspended = true;
		this.occurred.add('a push or delete without a lock');
	}

	private isValid({ lockedUntil }: Row): boolean {
		return Boolean(lockedUntil && new Date(lockedUntil) > this.date(0, true));
	}

	/** Returns true if the lock of this run is valid, and no older one is. */
	private owns(run: number): boolean {
		const valid = this.rows.filter((row) => row.id <= run && this.isValid(row));
		return valid.length === 1 && valid[0].id === run;
	}

	private renew(batch: Batch, nodes: [renew: string, filter: string]): boolean {
		for (const lock of this.uncommitted) this.commit(lock);
		const scope = this.scope([], { 'When Called by Itself': batch });
		const { rows, goesOn } = renewed(this.rows, nodes, scope);
		if (goesOn !== this.owns(batch.run)) {
			throw new BrokenPromise(
				`run ${batch.run} ${goesOn ? 'works without' : 'does not work with'} the lock`,
			);
		}
		this.rows = rows;
		if (!goesOn) this.occurred.add('a lost lock');
		return goesOn;
	}

	private scope(input: object[], outputs: Record<string, object>): Scope {
		return { input, outputs, inMinutes: (minutes) => this.date(minutes) };
	}

	private insert<New extends object>(row: New): New & { id: number } {
		const inserted = this.numbered(row);
		if (this.isLate(inserted)) this.occurred.add('a late row');
		this.rows.push(inserted);
		return inserted;
	}

	/** Whether a newer run than this row's has written to the table. */
	private isLate(inserted: { id: number; run?: number }): boolean {
		const { run = Infinity } = inserted;
		return this.rows.some((row) => (row.run ?? 0) > run);
	}

	private numbered<New extends object>(row: New): New & { id: number } {
		this.lastId = this.reusesIds ? Math.max(0, ...this.rows.map(({ id }) => id)) : this.lastId;
		this.lastId += 1;
		if (this.lastId <= this.highestId) this.occurred.add('an ID of a row that was used before');
		this.highestId = Math.max(this.highestId, this.lastId);
		return { id: this.lastId, ...row };
	}

	private commit(lock: TableRow): void {
		if (!this.uncommitted.delete(lock)) return;
		this.rows.push(lock);
		this.rows.sort((one, other) => one.id - other.id);
	}

	private date(later: number): string;
	private date(later: number, asDate: true): Date;
	private date(later: number, asDate = false): string | Date {
		const date = new Date((this.now + later) * 1000);
		return asDate ? date : date.toISOString();
	}

	/** What the table says. */
	known(): Entry[] {
		const inputs = { rows: this.rows, lock: { id: 0 }, now: this.date(0, true), mostRows: 1e9 };
		return this.code.known(inputs)[0].json.entries;
	}

	/** Checks that the index contains exactly what the table calls confirmed. */
	checkConfirmed(): void {
		const entries = this.known();
		for (const [id, version, , , problem] of entries) {
			if (!version || problem) continue;
			const expected = this.contents.get(`${id}/${version}`);
			const found = this.contentInIndex(id);
			if (found !== expected) {
				throw new BrokenPromise(
					`'${id}' is called confirmed as '${expected}', but the index has '${found}'`,
				);
			}
		}
		const ids = new Set(entries.map(([id]) => id));
		const strange = [...this.index.keys()].filter((id) => !ids.has(id.split('#')[0]));
		if (strange.length > 0) throw new BrokenPromise(`nothing is known about ${strange.join()}`);
	}

	/** Returns the index's content of a document, or an empty text. */
	contentInIndex(id: string): string {
		return [...this.index]
			.filter(([key]) => key.split('#')[0] === id)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([, content]) => content)
			.join(' ');
	}

	/** Returns what the index should have of a document that can be read. */
	contentOf({ state, words, isListed }: SourceDocument): string {
		return state === 'gone' || !isListed ? '' : words.join(' ');
	}
}

const contentIn = ({ id, text }: ListedDocument): [string, string] => [String(id), String(text)];

interface Chunked {
	id: string;
	error?: string;
	chunkCount?: number;
	removalsKnown?: boolean;
	missingCharacters?: number;
	documents?: Array<[string, string]>;
	removedIds?: string[];
}
