/**
 * An updated sync pushes nothing. The fixtures are tables that the syncs of an earlier version (c2e7fdfc) have written: its
 * Code nodes and statements ran with the source of the fixture until nothing changed any more. So the rows stay as they
 * are. If a test fails, the next release pushes the documents of all users again, and CHANGELOG has to say so.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { PGlite } from '@electric-sql/pglite';
import type { IDataObject } from 'n8n-workflow';

import type { Batch, BatchDocument, Summary } from '../../../examples/src/parts/types';
import { ChunkText } from '../../../nodes/ChunkText/ChunkText.node';
import { PushDocuments } from '../../../nodes/PushDocuments/PushDocuments.node';
import { DatabaseWorld, type Row } from './support/database-world';
import type { Scope } from './support/expressions';
import { evaluate, nodesOf, parametersOf, runCodeNode } from './support/expressions';
import { withDefaults } from './support/node-parameters';

const read = <Content>(name: string): Content =>
	JSON.parse(
		readFileSync(path.join(__dirname, 'fixtures', 'earlier', `${name}.json`), 'utf8'),
	) as Content;

const paramsOf = (file: string, isChunked: boolean): Record<string, IDataObject> => ({
	...(isChunked && {
		'Chunk Text': withDefaults(new ChunkText(), parametersOf(file, 'Chunk Text')),
	}),
	'Push Documents': withDefaults(new PushDocuments(), parametersOf(file, 'Push Documents')),
});

describe('with a data table', () => {
	interface Fixture {
		now: string;
		/** What the user had entered. */
		settings: IDataObject;
		/** What the nodes return that read the source. */
		source: Record<string, unknown[]>;
		/** The data table. */
		rows: Row[];
	}

	/** The nodes that make the list of what the source returns. */
	const LIST = [
		...['Pages of the Website', 'Folders Below', 'Choose Files'],
		...['Where the List Is', 'One Item per Entry', 'Map Fields'],
	];

	/** Runs the nodes up to the plan, and Documents for each batch. */
	function run(file: string, { now, settings, source, rows }: Fixture) {
		class Frozen extends Date {
			constructor(value: number | string = now) {
				super(value);
			}
		}
		const variables = {
			...{ Date: Frozen, $workflow: { id: 'w', name: 'A sync' } },
			$execution: { id: '1', mode: 'trigger' },
		};
		const lockedUntil = new Frozen(Date.parse(now) + 60_000).toISOString();
		const lock = { id: 1000, lockedUntil };
		const outputs: Record<string, unknown[] | undefined> = {
			...{ ...source, 'Delete What Is Missing': undefined, 'Show the Plan': undefined },
			'Read Runs': [],
			'Tables of n8n': [{ name: 'Synced Documents w' }],
			...{ 'State Table': [{ id: 'table' }], Lock: [lock] },
			'Read State Table': [...rows, lock],
		};
		const nodes = nodesOf(file).map(({ name }) => name);
		const params = paramsOf(file, nodes.includes('Chunk Text'));
		const scope = ($json?: unknown): Scope => ({ outputs, params, variables, $json });
		const code = <Json>(name: string) =>
			(runCodeNode(file, name, scope()) as Array<{ json: Json }>).map(({ json }) => json);
		const value = (parameter: unknown, $json: unknown) =>
			String(parameter).startsWith('=') ? evaluate(parameter, scope($json)) : parameter;
		const { assignments } = parametersOf(file, 'Settings').assignments as {
			assignments: Array<{ name: string; value: unknown }>;
		};
		const [[first]] = Object.values(source);
		const defaults = assignments.map((each) => [each.name, value(each.value, first)]);
		outputs.Settings = [{ ...Object.fromEntries(defaults), ...settings }];
		outputs['Check the Run'] = code('Check the Run');
		for (const name of nodes.filter((each) => LIST.includes(each))) {
			const { jsonOutput } = parametersOf(file, name);
			outputs[name] =
				jsonOutput === undefined
					? code(name)
					: outputs['One Item per Entry']?.map((json) => value(jsonOutput, json));
		}
		outputs['Known Documents'] = code('Known Documents');
		outputs['Compute Versions'] = code('Compute Versions');
		const batches = code<Batch & { summary?: Summary }>('Plan the Batches');
		const work = batches.filter(({ batch }) => batch > 0);
		const documents = work.flatMap((batch) => {
			outputs['When Called by Itself'] = [batch];
			// Fetched returns the problem of a document that need not be fetched.
			outputs.Fetched = batch.work.map(({ id, document }) => ({
				...{ id, problem: document?.problem, text: 'A text' },
			}));
			return code<BatchDocument>('Documents');
		});
		const { status, problem, unchanged, unreadable, missing } = batches[0].summary as Summary;
		return {
			...{ status, problem, unchanged, unreadable, missing },
			pushed: documents
				.filter(({ text, documents: pushed }) => text || pushed.length > 0)
				.map(({ id }) => id),
			unreadableAgain: documents
				.filter((document) => document.problem !== '')
				.map(({ id }) => id),
			planned: documents.length,
		};
	}

	const GREEN = {
		status: 200,
		problem: '',
		missing: 0,
		pushed: [],
		unreadableAgain: [],
		planned: 0,
	};

	test.each<[example: string, unchanged: number, unreadable: number]>([
		['sync-by-source', 5, 0],
		['sync-chunks-by-source', 4, 2],
		['sync-from-an-api', 4, 1],
		['sync-of-a-website', 5, 1],
	])('%s does nothing after an update', (example, unchanged, unreadable) => {
		const result = run(`${example}.json`, read(example));
		expect(result).toEqual({ ...GREEN, unchanged, unreadable });
	});

	// The reason names 'Settings' in place of the former node, so it is another one.
	test.each([
		['sync-of-a-folder', 'files/huge.csv'],
		['sync-from-google-drive', '5Big'],
	])('%s only says again which file is too large', (example, large) => {
		const result = run(`${example}.json`, read(example));
		const again = { unreadableAgain: [large], planned: 1 };
		expect(result).toEqual({ ...GREEN, unchanged: 4, unreadable: 1, ...again });
	});

	test('sync-from-an-api chunks again what is written in another way now', () => {
		const result = run('sync-from-an-api.json', read('sync-from-an-api.html'));
		// Paragraphs, headings and an empty text stay as they are. Links and lists, a table, letters in bold, and an
		// address that begins with two slashes do not. CHANGELOG says so.
		const again = { pushed: ['4', '5', '6', '8'], planned: 4 };
		expect(result).toEqual({ ...GREEN, unchanged: 4, unreadable: 0, ...again });
	});
});

describe('with a database', () => {
	interface Fixture {
		/** The tables and rows of the source. */
		source: string[];
		query: string[];
		/** What the earlier version has created, and its rows. */
		tables: string[];
		rows: Record<string, Row[]>;
	}

	let db: PGlite;

	// The first start creates a database.
	beforeAll(async () => {
		db = await DatabaseWorld.start();
	}, 180_000);

	afterAll(async () => {
		await db.close();
	});

	test.each<[example: string, unchanged: number, unreadable: number]>([
		['sync-of-a-database', 5, 0],
		['sync-chunks-of-a-database', 4, 1],
	])('%s does nothing after an update', async (example, unchanged, unreadable) => {
		const { source, query, tables, rows } = read<Fixture>(example);
		const isChunked = unreadable > 0;
		const world = await DatabaseWorld.empty(db, isChunked);
		await world.query([...source, ...tables].join('\n').replaceAll('{{ $workflow.id }}', 'w'));
		for (const [table, all] of Object.entries(rows)) {
			await db.query(
				`insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1)`,
				[JSON.stringify(all)],
			);
		}
		await world.query("select setval('search_sync_runs_run_seq', 100)");
		const before = await world.query('select * from search_sync_documents order by id');
		const params = paramsOf(`${example}.json`, isChunked);
		const result = await world.run({
			query: query.join('\n'),
			...{ push: params['Push Documents'], chunk: params['Chunk Text'] },
		});
		expect(result).toMatchObject({ unchanged, unreadable, pushed: 0, deleted: 0, failed: 0 });
		expect(world.index.size).toBe(0);
		expect(await world.query('select * from search_sync_documents order by id')).toEqual(
			before,
		);
		const [{ views }] = await world.query(
			"select count(*)::int as views from pg_views where schemaname = 'public'",
		);
		expect(views).toBe(0);
	});
});
