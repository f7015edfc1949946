import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { N8n } from '../e2e/n8n/process';
import { startN8n } from '../e2e/n8n/process';
import { installN8n } from '../e2e/n8n/install';
import type { PackedPackage } from '../e2e/n8n/package';
import { installPackage, packPackage } from '../e2e/n8n/package';
import type { WorkflowNode } from '../e2e/n8n/workflow';
import { postgresCredential, WEBHOOK_HEADER } from '../e2e/service/credentials';
import { startPostgres } from '../e2e/service/postgres';
import type { Credentials } from '../e2e/service/templates';
import { readTemplate, saveCredentials } from '../e2e/service/templates';
import { Command } from '../e2e/shared/command';
import { CACHE, EXAMPLES, ROOT } from '../e2e/shared/paths';
import { freePort } from '../e2e/shared/ports';
import { until } from '../e2e/shared/wait';
import { webhook } from '../examples/src/parts/nodes';
import { sync as syncOf } from '../examples/src/parts/sync';
import { idOf, node } from '../examples/src/parts/workflow';
import type { Sandbox } from '../sandbox';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { Usage } from './lib/usage';
import { measureUsage } from './lib/usage';
import type { BenchOptions } from './lib/options';
import { print, table, whole, type Cell } from './lib/table';

/** The examples of this commit are the old ones. They push row by row, and compare in one expression. */
const OLD_COMMIT = 'c65b1c26';

const LATENCY_MS = 5;

/** Every hundredth document changes. */
const CHANGED = 100;

const WEBHOOK = 'n8n-nodes-base.webhook';

const PUBLISHED_MS = 30_000;

const HEADERS = { [WEBHOOK_HEADER.name]: WEBHOOK_HEADER.value };

/** More than the 16 MB that n8n accepts by default, so that all rows can use the same source. */
const LARGEST_CALL_MB = 256;

const MB = 1024 ** 2;

const HEAD = 'Example,Documents,KB,Run,Seconds,CPU s,n8n MB,Runner MB,Both MB'.split(',');

/** One n8n runs these one after the other: a first run, an unchanged one, and one with 1 % changed. */
interface Series {
	example: string;
	isOld?: boolean;
	documents: number;
	kilobytes: number;
	/** Documents that earlier runs have pushed, so that the first run is left out. */
	isLoaded?: boolean;
	/** If a node of the workflow makes the list. Otherwise, a call contains it. */
	isInWorkflow?: boolean;
	/** The largest call that n8n accepts. Such a row measures only the first run, with as many documents as fit. */
	callMb?: number;
	/** V8's limit for n8n's heap. */
	heapMb?: number;
}

const LIST = 'sync-by-source';
const CHUNKS = 'sync-chunks-by-source';
const DATABASE = 'sync-of-a-database';
const DATABASE_CHUNKS = 'sync-chunks-of-a-database';

const SERIES: Series[] = [
	{ example: LIST, isOld: true, documents: 2_000, kilobytes: 0.4 },
	{ example: LIST, documents: 2_000, kilobytes: 0.4 },
	{ example: LIST, documents: 10_000, kilobytes: 0.4 },
	{ example: LIST, documents: 100_000, kilobytes: 0.4 },
	{ example: LIST, isOld: true, documents: 2_000, kilobytes: 4 },
	{ example: LIST, documents: 2_000, kilobytes: 4 },
	{ example: LIST, isOld: true, documents: 2_000, kilobytes: 20 },
	{ example: LIST, documents: 2_000, kilobytes: 20 },
	{ example: CHUNKS, isOld: true, documents: 2_000, kilobytes: 0.4 },
	{ example: CHUNKS, documents: 2_000, kilobytes: 0.4 },
	{ example: DATABASE, documents: 100_000, kilobytes: 0.4 },
	{ example: DATABASE, documents: 1_000_000, kilobytes: 0.4, isLoaded: true },
	{ example: DATABASE_CHUNKS, documents: 2_000, kilobytes: 0.4 },
	{ example: LIST, documents: fitting(16), kilobytes: 0.4, callMb: 16, heapMb: 2048 },
	{ example: LIST, documents: fitting(64), kilobytes: 0.4, callMb: 64, heapMb: 2048 },
	{ example: LIST, documents: 200_000, kilobytes: 0.4, isInWorkflow: true, heapMb: 2048 },
];

const QUICK: Series[] = [
	{ example: LIST, isOld: true, documents: 100, kilobytes: 0.4 },
	{ example: LIST, documents: 100, kilobytes: 0.4 },
	{ example: LIST, documents: 100, kilobytes: 0.4, isInWorkflow: true, heapMb: 2048 },
	{ example: CHUNKS, documents: 100, kilobytes: 0.4 },
	{ example: DATABASE, documents: 2_000, kilobytes: 0.4 },
	{ example: DATABASE, documents: 2_000, kilobytes: 0.4, isLoaded: true },
	{ example: DATABASE_CHUNKS, documents: 100, kilobytes: 0.4 },
];

interface Counts {
	pushed: number;
	unchanged: number;
}

/** A source whose documents change, and one call that syncs it. */
interface Source {
	/** Writes down that all documents have been pushed, without pushing them. */
	pretend?(): Promise<void>;
	change(): Promise<void>;
	sync(): Promise<Counts>;
}

/**
 * Measures the syncs in a real n8n, beside the earlier examples. Each series has an n8n of its own.
 * `--rows 'database.*first'` chooses the rows.
 */
export async function sync({ quick, rows }: BenchOptions): Promise<string> {
	const command = new Command();
	try {
		await installN8n();
		const packed = await packPackage();
		const shown: Cell[][] = [];
		for (const series of (quick ? QUICK : SERIES).filter((one) => isChosen(one, rows))) {
			shown.push(...(await measure(command, packed, series)));
		}
		print(table(HEAD, shown));
		return 'each run has pushed exactly what was new or had changed.';
	} finally {
		await command.stop();
	}
}

function titleOf({ example, isOld, isInWorkflow, callMb, heapMb }: Series): string {
	const limits = [
		isInWorkflow && 'list in the workflow',
		callMb && `calls of ${callMb} MB`,
		heapMb && `heap of ${heapMb} MB`,
	];
	return [isOld ? `${example} (${OLD_COMMIT})` : example, ...limits].filter(Boolean).join(', ');
}

const isChosen = (series: Series, rows: string): boolean =>
	new RegExp(rows).test(`${titleOf(series)} ${series.documents} ${series.kilobytes} KB`);

async function measure(command: Command, packed: PackedPackage, series: Series): Promise<Cell[][]> {
	const service = await startService('sandbox');
	const folder = await command.temporaryFolder('bench');
	await installPackage(packed, folder);
	const n8n = await startN8n(folder, await freePort(), {
		settings: {
			N8N_PAYLOAD_SIZE_MAX: String(series.callMb ?? LARGEST_CALL_MB),
			...(series.heapMb && { NODE_OPTIONS: `--max-old-space-size=${series.heapMb}` }),
		},
		logFile: path.join(CACHE, 'bench', 'n8n.log'),
	});
	try {
		await service.reset(LATENCY_MS);
		const isDatabase = series.example.endsWith('database');
		const source = isDatabase
			? await databaseSource(command, n8n, service, series)
			: await listSource(n8n, service, series);
		const { documents } = series;
		const changed = Math.floor(documents / CHANGED);
		const row = async (run: string, pushed: number): Promise<Cell[]> => {
			const { seconds, usage } = await timed(n8n, source, {
				pushed,
				unchanged: documents - pushed,
			});
			const { cpuSeconds, n8n: own, runner, both } = usage;
			print(`${titleOf(series)}, ${whole(documents)}, ${run}: ${seconds.toFixed(1)} s`);
			return [
				...[titleOf(series), whole(documents), series.kilobytes, run, seconds.toFixed(1)],
				...[cpuSeconds.toFixed(1), whole(own), whole(runner), whole(both)],
			];
		};
		const rows: Cell[][] = [];
		if (series.isLoaded) await source.pretend?.();
		else rows.push(await row('first', documents));
		if (series.callMb) return rows;
		rows.push(await row('unchanged', 0));
		await source.change();
		rows.push(await row('1 % changed', changed));
		return rows;
	} finally {
		await n8n.process.stop();
		service.close();
	}
}

async function timed(
	n8n: N8n,
	source: Source,
	expected: Counts,
): Promise<{ seconds: number; usage: Usage }> {
	const meter = measureUsage(n8n.process.pid ?? 0);
	const startedAt = performance.now();
	const { pushed, unchanged } = await source.sync();
	const seconds = (performance.now() - startedAt) / 1000;
	const usage = meter.stop();
	if (pushed !== expected.pushed || unchanged !== expected.unchanged) {
		throw new Error(
			`${pushed} pushed and ${unchanged} unchanged instead of ${expected.pushed} and ${expected.unchanged}`,
		);
	}
	return { seconds, usage };
}

/** Stores and publishes an example. Returns its ID. */
async function publish(
	n8n: N8n,
	service: Service,
	file: string,
	change: (node: WorkflowNode, credentials: Credentials) => WorkflowNode = (node) => node,
): Promise<string> {
	const sandbox = { url: service.urls.baseUrl, urls: service.urls } as Sandbox;
	const credentials = await saveCredentials(n8n.api, sandbox);
	const { nodes, ...workflow } = readTemplate(file, credentials, sandbox);
	const saved = await n8n.api.saveWorkflow({
		...workflow,
		nodes: nodes.map((node) => change(node, credentials)),
	});
	await n8n.api.activate(saved);
	const webhook = saved.nodes.find(({ type }) => type === WEBHOOK);
	// As soon as a workflow is published, its webhook returns 403 for a call without the key.
	const isThere = async () =>
		(await n8n.api.postWebhook(String(webhook?.parameters.path), {})).status === 403;
	if (!(await until(isThere, PUBLISHED_MS))) throw new Error(`${saved.name} is not published`);
	return saved.id;
}

async function listSource(n8n: N8n, service: Service, series: Series): Promise<Source> {
	const { example, isOld, isInWorkflow, documents: count, kilobytes } = series;
	if (isInWorkflow) return await sourceInWorkflow(n8n, service, series);
	await publish(
		n8n,
		service,
		isOld ? oldExample(example) : path.join(EXAMPLES, `${example}.json`),
	);
	const documents = Array.from({ length: count }, (_, at) => documentOf(at, kilobytes));
	return {
		change: async () => {
			for (let at = 0; at < count; at += CHANGED) documents[at].text += ' again';
		},
		sync: async () => {
			const { status, body } = await n8n.api.postWebhook(example, { documents }, HEADERS);
			if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
			return body as Counts;
		},
	};
}

/** A node of the workflow makes the list. The call only says whether documents have changed. */
async function sourceInWorkflow(n8n: N8n, service: Service, series: Series): Promise<Source> {
	const { example, documents, kilobytes } = series;
	const jsCode = [
		`const documentOf = ${documentOf.toString()};`,
		"const end = $('List Arrives').first().json.body.isChanged ? ' again' : '';",
		`const documents = Array.from({ length: ${documents} }, (_, at) => documentOf(at, ${kilobytes}));`,
		`for (let at = 0; at < ${documents}; at += ${CHANGED}) documents[at].text += end;`,
		'return documents.map((json) => ({ json }));',
	].join('\n');
	const workflow = syncOf({
		name: example,
		about: { content: '', protection: '', height: 100 },
		triggers: [webhook('List Arrives', example, [0, 0], idOf(example, 'webhook'))],
		settings: {
			startedBy: "'webhook'",
			confirmed: 'undefined',
			...{ isPlanOnly: 'false', howToDelete: '' },
			pushAgain: [],
		},
		list: {
			nodes: [node('Map Fields', 'code', 2, [0, 0], { jsCode })],
			documents: "$('Map Fields').all().map(({ json }) => json)",
		},
		...{ isChunked: false, isAnswered: true },
	});
	const file = path.join(CACHE, 'bench', `${example}.json`);
	mkdirSync(path.dirname(file), { recursive: true });
	writeFileSync(file, JSON.stringify(workflow));
	await publish(n8n, service, file);
	let isChanged = false;
	return {
		change: async () => {
			isChanged = true;
		},
		sync: async () => {
			const { status, body } = await n8n.api.postWebhook(example, { isChanged }, HEADERS);
			if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
			return body as Counts;
		},
	};
}

function oldExample(example: string): string {
	const file = path.join(CACHE, 'bench', `${example}.json`);
	mkdirSync(path.dirname(file), { recursive: true });
	const args = ['show', `${OLD_COMMIT}:examples/${example}.json`];
	writeFileSync(file, execFileSync('git', args, { cwd: ROOT }));
	return file;
}

/** Returns how many documents of 0.4 KB a call of this size may contain. */
function fitting(callMb: number): number {
	const bytes = JSON.stringify(documentOf(999_999, 0.4)).length + 1;
	return Math.floor((callMb * MB - 100) / bytes);
}

/** Makes a document with three sections. Each section becomes a chunk. */
function documentOf(at: number, kilobytes: number) {
	const id = `document-${at}`;
	const sentence = `What document ${at} has to say about this. `;
	const length = Math.max(1, Math.round((kilobytes * 1000 - 100) / 3));
	const section = sentence
		.repeat(Math.ceil(length / sentence.length))
		.slice(0, length)
		.trim();
	const text = ['One', 'Two', 'Three'].map((title) => `# ${title}\n${section}`).join('\n');
	return { id, name: `Document ${at}`, url: `https://example.com/${id}`, text };
}

async function databaseSource(
	command: Command,
	n8n: N8n,
	service: Service,
	series: Series,
): Promise<Source> {
	const { example, documents, kilobytes } = series;
	const postgres = await startPostgres(command, path.join(CACHE, 'bench'));
	const file = path.join(EXAMPLES, `${example}.json`);
	const workflowId = await publish(n8n, service, file, (node, credentials) =>
		node.name === 'Every Night' ? webhookOf(node, credentials) : node,
	);
	await n8n.api.saveCredential(postgresCredential(postgres));
	const name = example === DATABASE ? 'products' : 'articles';
	const sentences = Math.max(1, Math.round((kilobytes * 1000 - 100) / 90));
	const section = `repeat('What document ' || n || ' has to say. ', ${sentences})`;
	await postgres.query(
		`create table ${name} (id bigint primary key, title text, body text, price numeric)`,
	);
	const fill = async (from: number) =>
		await postgres.query(`
			insert into ${name} select n, 'Document ' || n,
				E'# One\\n' || ${section} || E'\\n# Two\\n' || ${section} || E'\\n# Three\\n' || ${section},
				n / 7.0
			from generate_series(${from}, ${documents}) n;
			analyze`);
	if (!series.isLoaded) await fill(1);
	return {
		pretend: async () => {
			await postgres.query(`insert into ${name} values (1, 'First', '# First', 1)`);
			// An execution that is started by hand is stored, and says which settings are part of each version.
			const first = await n8n.api.runManually(workflowId, 'Delete What Is Missing');
			const settings = String(first.items('Compare')[0].json.settings);
			await fill(2);
			await postgres.query(`
				set time zone 'UTC';
				insert into search_sync_documents (workflow, id, version, chunks)
				select '${workflowId}', id, md5('${settings}' || document::text), 1
				from (${queryIn(file)}) d where id <> '1';
				analyze`);
		},
		change: async () => {
			await postgres.query(
				`update ${name} set body = body || ' again' where id % ${CHANGED} = 0`,
			);
		},
		sync: async () => {
			const { status, body } = await n8n.api.postWebhook(BENCH_PATH, {}, HEADERS);
			if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
			const counts = await postgres.query(`
				select json_build_object('pushed', pushed, 'unchanged', (
					select count(*) from search_sync_documents where version <> ''
				) - pushed)
				from search_sync_runs order by run desc limit 1`);
			return JSON.parse(counts) as Counts;
		},
	};
}

/** Returns the query of a database sync. Earlier examples made a view of it. */
function queryIn(file: string): string {
	const { nodes } = JSON.parse(readFileSync(file, 'utf8')) as { nodes: WorkflowNode[] };
	const node = nodes.find(({ name }) => ['Your Query', 'Documents View'].includes(name));
	return String(node?.parameters.query).replace(/^.*?(?=^select)|;$/gms, '');
}

const BENCH_PATH = 'bench-database';

/** A schedule cannot be called. An execution that is started by hand stores more than a published workflow does. */
const webhookOf = (node: WorkflowNode, credentials: Credentials): WorkflowNode => ({
	...node,
	...{ type: WEBHOOK, typeVersion: 2.1, webhookId: BENCH_PATH },
	credentials: { httpHeaderAuth: credentials['Demo Webhook'] },
	parameters: {
		...{ httpMethod: 'POST', path: BENCH_PATH, authentication: 'headerAuth' },
		...{ responseMode: 'lastNode', options: {} },
	},
});
