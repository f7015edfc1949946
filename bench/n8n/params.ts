import { longestOf } from '../../e2e/n8n/measure';
import { timeWithin } from '../../e2e/n8n/profile';
import { print, ratio, table, whole } from '../lib/table';
import { documentsFile } from './data-files';
import { MAX_BLOCK_MS, warmServer } from './push';
import { msOf, type MeasuredRun } from './server';
import type { Stage } from './stage';
import { blockText, milliseconds, seconds } from './stage';
import { chunk, CREDENTIALS, getItems, push, type Step } from './workflows';

const MAX_RATIO = 1.3;
const MAX_READING_MS = 1000;
const ROUNDS = 3;

const FIELDS = ['id', 'name', 'description', 'url'] as const;
const expressionOf = (field: string): string => `={{ $json.${field} }}`;

const WHOLE_ITEM = push({ documentSource: 'wholeItem' });
const MAPPED_FIELDS = push({
	documentSource: 'fields',
	documentId: expressionOf('id'),
	documentName: expressionOf('name'),
	documentDescription: expressionOf('description'),
	documentUrl: expressionOf('url'),
});

/** n8n's own node, with the same expressions. */
const EDIT_FIELDS: Step = {
	name: 'Edit Fields',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		assignments: {
			assignments: FIELDS.map((name) => ({
				id: name,
				name,
				type: 'string',
				value: expressionOf(name),
			})),
		},
		options: {},
	},
};

/** The four nodes, with as many expressions as they have fields for. */
const NODES: Array<[step: Step, expressions: number]> = [
	[MAPPED_FIELDS, 4],
	[
		{
			name: 'Delete Document',
			type: 'n8n-nodes-search-ingest.deleteDocument',
			parameters: { documentId: expressionOf('id') },
			credentials: { pushEndpointApi: CREDENTIALS.push },
		},
		1,
	],
	[
		chunk(
			{
				text: expressionOf('body'),
				documentId: expressionOf('id'),
				documentName: expressionOf('name'),
				vectors: 'none',
			},
			{
				documentDescription: expressionOf('description'),
				documentUrl: expressionOf('url'),
				previousChunkCount: '={{ $json.previousChunks }}',
			},
		),
		6,
	],
	[
		{
			name: 'Migrate Blobs',
			type: 'n8n-nodes-search-ingest.migrateBlobs',
			parameters: { confirm: true },
			credentials: { blobServiceApi: CREDENTIALS.blobs },
		},
		0,
	],
];

/** Functions of the nodes and of n8n that read parameters. */
const isReading = ({ functionName, url }: { functionName: string; url: string }): boolean =>
	/\/shared\/n8n\/(parameter|plain-path)/.test(url) ||
	/^_?(getNodeParameter|getParameterValue)$/.test(functionName);

/** Parameters of many items: what reading them takes, and how long it blocks n8n. */
export async function benchParams(stage: Stage): Promise<void> {
	const { folder, options, server, stub } = stage;
	const count = options.parameters;
	const file = await documentsFile(folder, count, 'json');
	const source = getItems(`${stub.files}/${file}`);
	await warmServer(stage);
	await server.run('Warm up', [source, MAPPED_FIELDS]);
	await compare(stage, source);
	const rows = [];
	for (const [step, expressions] of NODES) {
		const profile = await server.profile(step.name, [source, step]);
		const ms = timeWithin(profile, isReading);
		rows.push([step.name, expressions, milliseconds(ms)]);
		stage.goals.atMost(
			`${step.name}: reading the parameters of ${whole(count)} items`,
			ms,
			MAX_READING_MS,
			milliseconds,
		);
	}
	print(
		'',
		`### Reading the parameters of ${whole(count)} items, under V8's profiler`,
		'',
		table(['', 'expressions', 'time'], rows),
	);
	await stub.reset();
}

/** Whole items and mapped fields in turns, then n8n's Edit Fields. */
async function compare({ options, server, goals }: Stage, source: Step): Promise<void> {
	const count = whole(options.parameters);
	const runs: Record<'whole' | 'mapped', MeasuredRun[]> = { whole: [], mapped: [] };
	for (let round = 0; round < ROUNDS; round++) {
		runs.whole.push(await server.measure('Whole Item', [source, WHOLE_ITEM]));
		runs.mapped.push(await server.measure('Mapped Fields', [source, MAPPED_FIELDS]));
	}
	const edited = await server.measure('Edit Fields', [source, EDIT_FIELDS]);
	const row = (what: string, node: string, all: MeasuredRun[]) => {
		const times = all.map((run) => msOf(run, node)).sort((one, other) => one - other);
		const ms = times[Math.floor(times.length / 2)];
		const block = longestOf(all.map((run) => run.blockWithin(node)));
		return { what, ms, block };
	};
	const wholeItem = row('Push Documents, Whole Item', WHOLE_ITEM.name, runs.whole);
	const mapped = row('Push Documents, Mapped Fields', MAPPED_FIELDS.name, runs.mapped);
	const peer = row("n8n's Edit Fields, which sends nothing", EDIT_FIELDS.name, [edited]);
	print(
		'',
		`### ${count} items, four expressions`,
		'',
		table(
			['', 'time', 'of Whole Item', 'longest block: busy (in all)'],
			[wholeItem, mapped, peer].map(({ what, ms, block }) => [
				what,
				seconds(ms),
				ratio(ms / wholeItem.ms),
				blockText(block),
			]),
		),
	);
	goals.atMost(
		`${count} documents: Mapped Fields / Whole Item`,
		mapped.ms / wholeItem.ms,
		MAX_RATIO,
		ratio,
	);
	for (const { what, block } of [wholeItem, mapped]) {
		goals.atMost(
			`${count} items: longest time busy in one block in ${what}`,
			block.cpuMs,
			MAX_BLOCK_MS,
			milliseconds,
		);
	}
}
