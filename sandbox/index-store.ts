import { Database, type Statement } from 'node-sqlite3-wasm';

import { breather } from './breathe';
import { claimDataFile } from './data-file';
import type { SearchHit } from './types';

/** A document of the interface (docs/service-interface.md, Push documents), checked. */
export interface PushDocument extends Record<string, unknown> {
	id: string;
	name: string;
}

/** Documents indexed for search in one transaction. */
const INDEX_SLICE = 100;

/** Characters of text shown around the first match. */
const SNIPPET_LENGTH = 160;

/**
 * Every stored version of a document has its own number `n`, rising. The full-text table is
 * contentless (texts are kept once, in `docs`) and filled later, up to `indexed_upto`: indexing
 * takes four times as long as storing, and a push should not wait for it. A search catches up
 * first, so it sees all that is committed.
 */
const SCHEMA = `
	CREATE TABLE IF NOT EXISTS docs (
		n INTEGER PRIMARY KEY AUTOINCREMENT,
		endpoint TEXT NOT NULL,
		id TEXT NOT NULL,
		json TEXT NOT NULL,
		UNIQUE (endpoint, id)
	);
	CREATE TABLE IF NOT EXISTS pending (
		endpoint TEXT NOT NULL,
		id TEXT NOT NULL,
		PRIMARY KEY (endpoint, id)
	) WITHOUT ROWID;
	CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL);
	INSERT OR IGNORE INTO meta VALUES ('indexed_upto', 0);
	CREATE VIRTUAL TABLE IF NOT EXISTS texts
		USING fts5(body, content='', contentless_delete=1, tokenize='unicode61');
`;

const STATEMENTS = {
	find: 'SELECT n FROM docs WHERE endpoint = ? AND id = ?',
	insert: 'INSERT INTO docs (endpoint, id, json) VALUES (?, ?, ?)',
	remove: 'DELETE FROM docs WHERE n = ?',
	list: 'SELECT json FROM docs WHERE endpoint = ? ORDER BY n',
	counts: 'SELECT endpoint, count(*) AS count FROM docs GROUP BY endpoint',
	addPending: 'INSERT OR IGNORE INTO pending VALUES (?, ?)',
	dropPending: 'DELETE FROM pending WHERE endpoint = ? AND id = ?',
	clearPending: 'DELETE FROM pending WHERE endpoint = ?',
	listPending: 'SELECT id FROM pending WHERE endpoint = ?',
	pendingCounts: 'SELECT endpoint, count(*) AS count FROM pending GROUP BY endpoint',
	indexedUpto: "SELECT value FROM meta WHERE key = 'indexed_upto'",
	setIndexedUpto: "UPDATE meta SET value = ? WHERE key = 'indexed_upto'",
	unindexed: 'SELECT n, json FROM docs WHERE n > ? ORDER BY n LIMIT ?',
	addText: 'INSERT INTO texts (rowid, body) VALUES (?, ?)',
	removeText: 'DELETE FROM texts WHERE rowid = ?',
	search: `SELECT docs.json, -bm25(texts) AS score FROM texts JOIN docs ON docs.n = texts.rowid
		WHERE texts MATCH ? AND docs.endpoint = ? ORDER BY score DESC LIMIT ?`,
	total: `SELECT count(*) AS count FROM texts JOIN docs ON docs.n = texts.rowid
		WHERE texts MATCH ? AND docs.endpoint = ?`,
} as const;

interface CountRow {
	endpoint: string;
	count: number;
}

interface HitRow {
	json: string;
	score: number;
}

/**
 * Ids are stored as JSON strings: the database's text ends at a NUL character and knows no lone
 * surrogates, and both are legal in a JSON string.
 */
const keyOf = (id: string) => JSON.stringify(id);

/** All texts of a document, one below the other. */
function textsOf(value: unknown): string {
	if (typeof value === 'string') return value;
	if (Array.isArray(value)) return value.map(textsOf).join('\n');
	if (typeof value === 'object' && value !== null) return textsOf(Object.values(value));
	return '';
}

/** A text as the database takes it: no NUL characters, no lone surrogates. */
function storable(text: string): string {
	return Buffer.from(text.replaceAll('\0', ' ')).toString();
}

/** Words of a query, each quoted so that none is read as an FTS5 operator. */
function wordsOf(query: string): string[] {
	return query.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
}

/** The documents of all data sources, with full-text search; see SCHEMA. */
export class IndexStore {
	private readonly db: Database;

	private readonly statements = new Map<string, Statement>();

	private readonly release: () => void;

	/** Numbers of replaced or deleted versions still in the full-text table. */
	private stale: number[] = [];

	/**
	 * @param dataFile path of the database file, or ':memory:'
	 * @throws Error when another process uses the file
	 */
	constructor(dataFile: string) {
		this.release = claimDataFile(dataFile);
		this.db = new Database(dataFile);
		// A killed process loses nothing with these; only a power cut might.
		this.db.exec('PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF');
		this.db.exec('PRAGMA cache_size = -32000');
		this.db.exec(SCHEMA);
	}

	/**
	 * Stores documents in one transaction, replacing those of the same id (within the list too:
	 * the last one stays), and commits at once. A pending delete of an id is void then.
	 * @returns for each document whether it was new
	 */
	upsert(endpoint: string, documents: readonly PushDocument[]): boolean[] {
		return this.transaction(() =>
			documents.map((document) => {
				const id = keyOf(document.id);
				const isNew = !this.removeKey(endpoint, id);
				this.run('insert', [endpoint, id, JSON.stringify(document)]);
				this.run('dropPending', [endpoint, id]);
				return isNew;
			}),
		);
	}

	/** True when a committed document has this id. */
	has(endpoint: string, id: string): boolean {
		return this.all('find', [endpoint, keyOf(id)]).length > 0;
	}

	/** Notes a delete for the next commit. */
	addPending(endpoint: string, id: string): void {
		this.run('addPending', [endpoint, keyOf(id)]);
	}

	/** Ids whose delete waits for the next commit. */
	pending(endpoint: string): string[] {
		return this.all<{ id: string }>('listPending', [endpoint]).map(
			({ id }) => JSON.parse(id) as string,
		);
	}

	/** Pending deletes per data source. */
	pendingCounts(): Record<string, number> {
		return countsOf(this.all<CountRow>('pendingCounts', []));
	}

	/** Commits the pending deletes of one data source, or of all. */
	commit(endpoint?: string): void {
		const endpoints = endpoint === undefined ? Object.keys(this.pendingCounts()) : [endpoint];
		for (const each of endpoints) {
			this.transaction(() => {
				const rows = this.all<{ id: string }>('listPending', [each]);
				for (const { id } of rows) this.removeKey(each, id);
				this.run('clearPending', [each]);
			});
		}
	}

	/** Committed documents of a data source, in the order of their last push. */
	documents(endpoint: string): Array<Record<string, unknown>> {
		return this.all<{ json: string }>('list', [endpoint]).map(
			({ json }) => JSON.parse(json) as Record<string, unknown>,
		);
	}

	/** Committed documents per data source. */
	counts(): Record<string, number> {
		return countsOf(this.all<CountRow>('counts', []));
	}

	/**
	 * Documents that contain all words of the query (or any, when none has all), best first.
	 * @param limit hits returned at most
	 */
	search(endpoint: string, query: string, limit = 20): { total: number; hits: SearchHit[] } {
		while (this.indexSlice());
		const words = wordsOf(query);
		if (words.length === 0) return { total: 0, hits: [] };
		for (const operator of [' AND ', ' OR ']) {
			const match = words.map((word) => `"${word}"`).join(operator);
			const total = this.all<{ count: number }>('total', [match, endpoint])[0]?.count ?? 0;
			if (total === 0) continue;
			const rows = this.all<HitRow>('search', [match, endpoint, limit]);
			return { total, hits: rows.map((row) => hitOf(row, words)) };
		}
		return { total: 0, hits: [] };
	}

	/** Brings the full-text table up to date without holding up other requests. */
	async catchUp(): Promise<void> {
		const breathe = breather();
		while (this.db.isOpen && this.indexSlice()) await breathe();
	}

	/**
	 * Indexes some of the documents that are not yet.
	 * @returns whether there may be more
	 */
	indexSlice(): boolean {
		const upto = this.all<{ value: number }>('indexedUpto', [])[0]?.value ?? 0;
		const rows = this.all<{ n: number; json: string }>('unindexed', [upto, INDEX_SLICE]);
		const { stale } = this;
		if (rows.length === 0 && stale.length === 0) return false;
		this.stale = [];
		this.transaction(() => {
			for (const n of stale) if (n <= upto) this.run('removeText', [n]);
			for (const { n, json } of rows) {
				this.run('addText', [n, storable(textsOf(JSON.parse(json)))]);
			}
			const last = rows.at(-1);
			if (last) this.run('setIndexedUpto', [last.n]);
		});
		return rows.length === INDEX_SLICE;
	}

	/** Removes everything. */
	clear(): void {
		this.stale = [];
		this.transaction(() => {
			this.db.exec('DELETE FROM docs; DELETE FROM pending');
			this.db.exec("INSERT INTO texts (texts) VALUES ('delete-all')");
		});
	}

	close(): void {
		if (!this.db.isOpen) return;
		for (const statement of this.statements.values()) statement.finalize();
		this.db.close();
		this.release();
	}

	/** Deletes the document of a stored key; false when there is none. */
	private removeKey(endpoint: string, key: string): boolean {
		const [found] = this.all<{ n: number }>('find', [endpoint, key]);
		if (!found) return false;
		this.run('remove', [found.n]);
		this.stale.push(found.n);
		return true;
	}

	private transaction<T>(work: () => T): T {
		this.db.exec('BEGIN');
		try {
			const result = work();
			this.db.exec('COMMIT');
			return result;
		} catch (error) {
			if (this.db.inTransaction) this.db.exec('ROLLBACK');
			throw error;
		}
	}

	private statement(name: keyof typeof STATEMENTS): Statement {
		let statement = this.statements.get(name);
		if (!statement) {
			statement = this.db.prepare(STATEMENTS[name]);
			this.statements.set(name, statement);
		}
		return statement;
	}

	/** All rows; `Statement.get` would leave the statement open and so block the commit. */
	private all<Row>(name: keyof typeof STATEMENTS, values: Array<string | number>): Row[] {
		return this.statement(name).all(values) as Row[];
	}

	private run(name: keyof typeof STATEMENTS, values: Array<string | number>): void {
		this.statement(name).run(values);
	}
}

function countsOf(rows: CountRow[]): Record<string, number> {
	return Object.fromEntries(rows.map(({ endpoint, count }) => [endpoint, count]));
}

/** A hit with the text around its first match. */
function hitOf(row: HitRow, words: readonly string[]): SearchHit {
	const document = JSON.parse(row.json) as PushDocument;
	// Name and id are shown anyway; the snippet comes from the other texts where it can.
	const { id, name, ...rest } = document;
	const lower = words.map((word) => word.toLowerCase());
	const find = (text: string) => {
		const haystack = text.toLowerCase();
		const found = lower.map((word) => haystack.indexOf(word)).filter((at) => at >= 0);
		return found.length > 0 ? Math.min(...found) : -1;
	};
	let text = textsOf(rest).replace(/\s+/g, ' ');
	if (find(text) < 0) text = textsOf(document).replace(/\s+/g, ' ');
	const start = Math.max(0, find(text) - SNIPPET_LENGTH / 4);
	const end = start + SNIPPET_LENGTH;
	const snippet = `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
	return { id, name, score: row.score, snippet };
}
