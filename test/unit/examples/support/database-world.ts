/** Runs the nodes of the built database syncs in their order, with a real PostgreSQL (PGlite) and an index in memory. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { PGlite } from '@electric-sql/pglite';

import { ROOT } from '../../../../support/manifest';

import type { Approval } from '../../../../examples/src/parts/types';
import { NOT_APPROVED } from './approvals';
import { serviceAnswers } from './lock-nodes';
import type { Scope } from './expressions';
import { evaluate, parametersOf, runCodeNode } from './expressions';

export type Row = Record<string, unknown>;

export interface RunOptions {
	workflow?: string;
	/** What the user enters in *Your Query*. */
	query: string;
	batchSize?: number;
	settings?: Row;
	approval?: Approval;
	/** Parameters of *Push Documents* and *Chunk Text*. */
	push?: Row;
	chunk?: Row;
	/** Returns the error of the service about a document, or an empty text. */
	refuses?: (id: string) => string;
	/** Runs before each batch is read. */
	meanwhile?: () => Promise<unknown>;
}

const SETTINGS = { mostDeletes: 10, mostDeletesPercent: 5, pushAgain: [] };

/** A node without items was not executed. */
type Outputs = Record<string, unknown[] | undefined>;

const WORKFLOW = 'w';

const { devDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
	devDependencies: Record<string, string>;
};
const COPY = path.join(ROOT, '.cache', `pglite-${devDependencies['@electric-sql/pglite']}.tar`);

/** n8n returns bigint (type 20) as text. */
const PARSERS = { 20: (value: string) => value };

/** Returns a value as n8n's Postgres node writes it into a statement. With `:raw`, a text is written as it is. */
function literal(value: unknown, isRaw: boolean): string {
	if (isRaw && typeof value === 'string') return value;
	if (isRaw) throw new Error(`${String(value)} is no raw text`);
	if (value === null || value === undefined) return 'null';
	if (typeof value === 'number') return String(value);
	if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
	throw new Error(`no parameter is ${typeof value}`);
}

/** Runs one statement after another. Each one is a transaction. */
export class DatabaseWorld {
	/** What was pushed, by ID. */
	readonly index = new Map<string, unknown>();
	private readonly file: string;

	private constructor(
		readonly db: PGlite,
		readonly isChunked: boolean,
	) {
		this.file = isChunked ? 'sync-chunks-of-a-database.json' : 'sync-of-a-database.json';
	}

	/** Starts PostgreSQL from a copy of a new database, because creating one takes four times as long. */
	static async start(): Promise<PGlite> {
		if (existsSync(COPY)) {
			return await PGlite.create({ loadDataDir: new Blob([readFileSync(COPY)]) });
		}
		const db = await PGlite.create();
		const copy = await db.dumpDataDir('none');
		mkdirSync(path.dirname(COPY), { recursive: true });
		// Another worker may do the same.
		writeFileSync(`${COPY}.${process.pid}`, Buffer.from(await copy.arrayBuffer()));
		renameSync(`${COPY}.${process.pid}`, COPY);
		return db;
	}

	/** Returns a world without tables. */
	static async empty(db: PGlite, isChunked: boolean): Promise<DatabaseWorld> {
		await db.exec('drop schema public cascade; create schema public; reset all');
		return new DatabaseWorld(db, isChunked);
	}

	async query(sql: string): Promise<Row[]> {
		const results = await this.db.exec(sql, { parsers: PARSERS });
		return results.flatMap(({ rows }) => rows as Row[]);
	}

	/** Returns the text that a node sends. */
	text(name: string, scope: Scope, values: Record<number, unknown> = {}): string {
		const { query, options } = parametersOf(this.file, name) as {
			query: string;
			options: { queryReplacement?: string };
		};
		const owner = scope.workflow ?? WORKFLOW;
		const inside: Scope = {
			...{ ...scope, workflow: owner },
			outputs: {
				...scope.outputs,
				'Check the Run': [
					{ table: owner, ...Object(scope.outputs?.['Check the Run']?.[0]) },
				],
				'When Called by Itself': [
					{ owner, ...Object(scope.outputs?.['When Called by Itself']?.[0]) },
				],
			},
		};
		const filled = query.replace(/\{\{.*?\}\}/gs, (each) =>
			String(evaluate(`=${each}`, inside)),
		);
		const { queryReplacement } = options;
		if (queryReplacement === undefined) return filled;
		const given = evaluate(queryReplacement, inside) as unknown[];
		return filled.replace(
			/\$([1-9][0-9]*)(:raw)?/g,
			(_, number: string, raw: string | undefined) =>
				literal(values[Number(number)] ?? given[Number(number) - 1], raw !== undefined),
		);
	}

	/** Runs the statement of a node. Returns its items. */
	async statement(
		name: string,
		scope: Scope = {},
		values: Record<number, unknown> = {},
	): Promise<Row[]> {
		const rows = await this.query(this.text(name, scope, values));
		return rows.length > 0 ? rows : [{ success: true }];
	}

	/** Runs the whole workflow once. Returns what *Result* returns. */
	async run(options: RunOptions): Promise<Row> {
		const {
			workflow = WORKFLOW,
			query,
			batchSize,
			settings,
			push = {},
			chunk = {},
			meanwhile,
		} = options;
		const outputs: Outputs = {
			Settings: [{ ...SETTINGS, ...settings }],
			'Check the Run': [{ table: workflow, approval: options.approval ?? NOT_APPROVED }],
			...{ 'Runs Table': [{ id: 'runs' }], 'Note the Beginning': [{ id: 3 }] },
		};
		const params = { 'Push Documents': push, 'Chunk Text': chunk, 'Your Query': { query } };
		const scope = (more: Scope = {}): Scope => ({ workflow, outputs, params, ...more });
		const code = (name: string, more: Scope = {}) =>
			(runCodeNode(this.file, name, scope(more)) as Array<{ json: Row }>).map(
				({ json }) => json,
			);
		await this.statement('Tables', scope());
		outputs['Prepare the Query'] = code('Prepare the Query');
		outputs.Lock = await this.statement('Lock', scope());
		try {
			const values = batchSize === undefined ? {} : { 6: batchSize };
			outputs.Compare = await this.statement(
				'Compare',
				scope({ $json: outputs.Lock[0] }),
				values,
			);
		} catch (error) {
			outputs.Compare = [{ message: (error as Error).message }];
		}
		outputs['Plan the Batches'] = code('Plan the Batches');
		const batches: Row[] = [];
		for (const batch of outputs['Plan the Batches'] as Row[]) {
			if (batch.batch === 0) continue;
			if (!serviceAnswers(batches)) {
				batches.push({ notDone: batch.documents });
				continue;
			}
			await meanwhile?.();
			batches.push(await this.apply(batch, options));
		}
		outputs['Loop Over Batches'] = batches;
		const [result] = code('Result');
		const [end] = await this.statement('Unlock', scope({ $json: result }));
		expect(end.error).toBe(String(result.error).toWellFormed().replaceAll('\0', '\ufffd'));
		return result;
	}

	/** Runs the workflow until it has its plan. Returns the plan. */
	async plan(options: RunOptions): Promise<Row> {
		const { workflow = WORKFLOW, query, settings, push = {} } = options;
		const outputs: Outputs = {
			Settings: [{ ...SETTINGS, ...settings }],
			'Check the Run': [{ table: workflow, approval: options.approval ?? NOT_APPROVED }],
			...{ Lock: undefined, Compare: undefined, 'Note the Beginning': undefined },
		};
		const params = { 'Push Documents': push, 'Chunk Text': {}, 'Your Query': { query } };
		const scope = (more: Scope = {}): Scope => ({ workflow, outputs, params, ...more });
		const code = (name: string) =>
			(runCodeNode(this.file, name, scope()) as Array<{ json: Row }>).map(({ json }) => json);
		outputs['Prepare the Query'] = code('Prepare the Query');
		const [known] = await this.statement('Look for Tables', scope());
		try {
			const name = 'Compare Without Lock';
			outputs[name] = await this.statement(name, scope({ $json: known }));
		} catch (error) {
			outputs['Compare Without Lock'] = [{ message: (error as Error).message }];
		}
		const [item, ...others] = code('Plan the Batches');
		expect(others).toEqual([]);
		return item.plan as Row;
	}

	/** Returns what *Remember* returns, or the error of the batch. */
	private async apply(batch: Row, { workflow, refuses }: RunOptions): Promise<Row> {
		const outputs: Record<string, unknown[]> = { 'When Called by Itself': [batch] };
		const notRun = Object.fromEntries(
			['Documents', 'Chunk Text', 'Push Documents', 'Delete Document'].map((name) => [
				name,
				undefined,
			]),
		);
		const scope = (more: Scope = {}): Scope => ({
			...{ workflow, outputs: { ...notRun, ...outputs } },
			...more,
		});
		const code = (name: string) =>
			(runCodeNode(this.file, name, scope()) as Array<{ json: Row }>).map(({ json }) => json);
		const isTrue = (name: string, $json: unknown) => {
			const { conditions } = parametersOf(this.file, name).conditions as {
				conditions: Array<{ leftValue: string }>;
			};
			return Boolean(evaluate(conditions[0].leftValue, scope({ $json })));
		};
		try {
			outputs.Read = await this.statement('Read', scope({ $json: batch }));
			if (!isTrue('Lock Is Mine', outputs.Read[0])) return {};
			if (isTrue('Anything Left', outputs.Read[0])) {
				outputs.Documents = code('Documents');
				if (this.isChunked) outputs['Chunk Text'] = outputs.Documents.map(chunked);
				const [planned] = code('List Planned Changes');
				const noted = await this.statement(
					'Note Planned Changes',
					scope({ $json: planned }),
				);
				if (!isTrue('Lock Is Still Mine', noted[0])) return {};
				this.push((outputs['Chunk Text'] ?? outputs.Documents) as Work[], outputs, refuses);
			}
			const [sum] = code('Sum Up the Batch');
			const [row] = await this.statement('Remember', scope({ $json: sum }));
			return row;
		} catch (error) {
			return { error: (error as Error).message };
		}
	}

	private push(work: Work[], outputs: Outputs, refuses: RunOptions['refuses'] = () => ''): void {
		outputs['Push Documents'] = work.map(({ id, documents }) => {
			const error = documents.length > 0 ? refuses(id) : '';
			if (error) return { id, error };
			for (const document of documents) this.index.set(document.id, document);
			return { id, pushed: documents.length };
		});
		outputs['Delete Document'] = work.map(({ id, removedIds }) => {
			for (const removed of removedIds) this.index.delete(removed);
			return { id, deleted: removedIds.length };
		});
	}
}

interface Work {
	id: string;
	documents: Array<{ id: string }>;
	removedIds: string[];
}

/** Chunk Text with One Item per Document: each line is a chunk. */
function chunked(document: unknown): object {
	const { id, text, previousChunkCount } = document as {
		id: string;
		text: string;
		previousChunkCount: number;
	};
	const lines = text === '' ? [] : text.split('\n');
	const removed = Math.max(0, previousChunkCount - lines.length);
	return {
		...{ id, chunkCount: lines.length, removalsKnown: true, missingCharacters: 0 },
		documents: lines.map((line, at) => ({ id: `${id}#${at}`, text: line })),
		removedIds: Array.from({ length: removed }, (_, at) => `${id}#${lines.length + at}`),
	};
}
