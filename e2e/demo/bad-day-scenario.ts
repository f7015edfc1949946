import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { WorkflowNode } from '../n8n/workflow';
import { until } from '../shared/wait';
import { storeFile } from './csv-scenarios';
import type { NodeChanges, Stage } from './stage';

const FAN_OUT = 'fan-out-over-workers';

const WHOLE_TEXT = { regex: '[\\s\\S]+' };

/** The separator matches the whole text, so the text produces no chunks. Syncs name their chunker themselves. */
const NO_CHUNKS = {
	'Chunk Text': {
		parameters: {
			...WHOLE_TEXT,
			...{ chunkerName: 'regex-splitter', chunkerConfig: JSON.stringify(WHOLE_TEXT) },
		},
	},
};

/** An example run that must fail. `what` describes the problem. `says` matches the expected error message. */
interface BadRun {
	example: string;
	what: string;
	changes?: NodeChanges;
	says: RegExp;
}

/** A failing run in which one route rejects every request that contains a certain string. */
interface BadPart extends BadRun {
	route: 'submit' | 'push';
	contains: string;
}

const PARTS: BadPart[] = [
	{
		example: 'getting-started',
		what: 'a chunk that is rejected',
		...{ route: 'push', contains: 'Batteries are covered', says: /'handbook\/warranty.md#1'/ },
	},
	{
		example: 'chunk-text-files',
		what: 'a chunk that is rejected',
		...{ route: 'push', contains: 'In December', says: /'opening-hours.txt#2'/ },
	},
	{
		example: 'chunks-with-context',
		what: 'a text that is rejected',
		...{ route: 'submit', contains: 'Empty the crumb tray', says: /'context\/toaster'/ },
	},
	{
		example: 'submit-wait-get-results',
		what: 'a text that is rejected',
		...{ route: 'submit', contains: 'Orders leave the warehouse the same', says: /status 400/ },
	},
	{
		example: 'sync-from-an-api',
		what: 'a text that is rejected',
		...{
			route: 'submit',
			contains: 'about: Parking',
			says: /^Documents: 4 pushed, 1 failed\. 1 of 5 documents failed/,
		},
	},
];

const code = (jsCode: string) => ({ parameters: { jsCode } });

/** Texts that cannot be chunked, and texts that produce no chunks. */
const TEXTS: BadRun[] = [
	{
		example: 'getting-started',
		what: 'an empty text',
		changes: {
			'Three Documents': code("return [{ json: { id: 'a', name: 'A', text: '' } }];"),
		},
		says: /'Text' is empty/,
	},
	{
		example: 'chunks-with-context',
		what: 'an empty text',
		changes: { 'Two Documents': code("return [{ json: { id: 'a', name: 'A', text: '' } }];") },
		says: /'Text' is empty/,
	},
	{
		example: 'submit-wait-get-results',
		what: 'a text that is an object',
		changes: { 'Sample Texts': code('return [{ json: { text: { html: 1 } } }];') },
		says: /'Text' must be a string/,
	},
	...['updates-by-webhook', 'sync-chunks-by-source'].map((example) => ({
		example,
		what: 'a text that gives no chunks',
		changes: NO_CHUNKS,
		says: /The AI service returned no chunks for the document 'handbook\//,
	})),
];

/**
 * Checks failures that no other scenario covers: partial failures, invalid texts, invalid files and invalid sources.
 */
export async function badDays(stage: Stage): Promise<void> {
	const { faults } = stage.demo.sandbox;
	for (const { route, contains } of PARTS)
		faults.add({ route, status: 400, whenBodyContains: contains });
	const fails = async ({ example, what, changes = {}, says }: BadRun) => {
		const { status, message = '' } = await stage.tryWith(example, changes);
		stage.checks.add(
			`${example}: ${what} fails the run and says why`,
			status === 'error' && says.test(message),
			`${status}: ${message}`,
		);
	};
	await Promise.all([...PARTS.map(fails), ranges(stage)]);
	faults.clear();
	await Promise.all([...TEXTS.map(fails), fails(await emptyFile(stage)), noChunks(stage)]);
	await truncatedTexts(stage);
	await Promise.all(SYNCS.map(async (example) => await changedPush(stage, example)));
	await changedFile(stage);
}

async function emptyFile({ demo }: Stage): Promise<BadRun> {
	const folder = path.join(demo.files, 'empty');
	await mkdir(folder, { recursive: true });
	await writeFile(path.join(folder, 'nothing.txt'), '');
	const fileSelector = path.join(folder, '*.txt');
	const changes = { 'Read Files': { parameters: { fileSelector } } };
	return {
		example: 'chunk-text-files',
		what: 'an empty file',
		changes,
		says: /nothing\.txt.*empty/,
	};
}

/** Checks that every run, not just the first one, fails as long as documents have no chunks. */
async function noChunks(stage: Stage): Promise<void> {
	const change = (name: string, node: { name: string; parameters: object }) =>
		node.name === name
			? { ...node, parameters: { ...node.parameters, ...NO_CHUNKS['Chunk Text'].parameters } }
			: node;
	await stage.withCopy(
		'sync-from-an-api',
		({ nodes }) => ({ nodes: nodes.map((node) => change('Chunk Text', node) as typeof node) }),
		async (name) => {
			const runs = [await stage.tryByHand(name), await stage.tryByHand(name)];
			const seen = runs.map(({ status, message = '' }) => `${status}: ${message}`).join();
			stage.checks.add(
				'sync-from-an-api: documents without chunks fail each run',
				runs.every(
					({ status, message = '' }) =>
						status === 'error' && message.includes('. 5 of 5 documents failed'),
				),
				seen,
			);
		},
	);
}

const TRUNCATED = /no chunks for the last \d+ characters of the document '/;

const PARTLY = /records? of 'texts.jsonl' ha(s|ve) (no chunks|chunks for only a part)/;

/**
 * Examples that chunk texts. Each value is a pattern. It matches the error message that the run shows when the service
 * omits chunks.
 */
const TRUNCATING: Readonly<Record<string, RegExp>> = {
	'updates-by-webhook': TRUNCATED,
	'sync-chunks-by-source': TRUNCATED,
	'ingest-a-large-corpus': PARTLY,
	'every-night-a-csv': PARTLY,
};

/** Checks examples while the service silently returns only the first chunk of each request. */
async function truncatedTexts(stage: Stage): Promise<void> {
	const { settings } = stage.demo.sandbox;
	const lines = [1, 2, 3].map((at) => `{"id":"texts/${at}","name":"T","text":"A\\n\\n# B"}\n`);
	const parameters = { url: await storeFile(stage, 'texts.jsonl', lines.join('')) };
	const changes = { 'Get Corpus': { parameters }, 'Get CSV': { parameters } };
	settings.maxChunks = 1;
	const fail = async (example: string, says: RegExp) => {
		const { status, message = '' } = await stage.tryWith(example, {
			...changes,
			...(example === 'every-night-a-csv' && { 'Chunk Text': { disabled: false } }),
		});
		stage.checks.add(
			`${example}: texts whose chunks end early fail the run`,
			status === 'error' && says.test(message),
			`${status}: ${message}`,
		);
	};
	try {
		await Promise.all(Object.entries(TRUNCATING).map(async (run) => await fail(...run)));
		await repairTruncated(stage);
	} finally {
		delete settings.maxChunks;
	}
}

/** Runs the nightly sync twice while the service omits chunks. Then checks that a normal run repairs the index. */
async function repairTruncated(stage: Stage): Promise<void> {
	const { settings } = stage.demo.sandbox;
	await stage.withCopy(
		'sync-from-an-api',
		() => ({}),
		async (name) => {
			const bad = [await stage.tryByHand(name), await stage.tryByHand(name)];
			delete settings.maxChunks;
			const [result] = (await stage.runByHand(name)).items('Result');
			stage.checks.add(
				'sync-from-an-api: texts whose chunks end early fail each run, and a later run repairs them',
				bad.every(({ status, message = '' }) => {
					const isNamed = TRUNCATED.test(message);
					return status === 'error' && message.includes('. 5 of 5') && isNamed;
				}) && result?.json.pushed === 5,
				`${bad.map(({ message }) => message).join()}; ${JSON.stringify(result?.json)}`,
			);
		},
	);
}

const SYNCS = ['sync-by-source', 'sync-chunks-by-source', 'sync-from-an-api'];

/** Checks that a sync pushes everything again if an option of its Push Documents node changes. */
async function changedPush(stage: Stage, example: string): Promise<void> {
	const { api } = stage.demo.n8n;
	const exclude = (node: WorkflowNode): WorkflowNode => {
		const options = { ...(node.parameters.options as object), excludeFields: 'url' };
		const parameters = { ...node.parameters, options };
		return node.name === 'Push Documents' ? { ...node, parameters } : node;
	};
	await stage.withCopy(
		example,
		() => ({}),
		async (name, copy) => {
			const pushed = async () => {
				const execution = await stage.tryByHand(name);
				const [result] = execution.items('Result').map(({ json }) => json);
				return `${String(result?.pushed)} pushed, ${String(result?.unchanged)} unchanged`;
			};
			const first = await pushed();
			await api.saveWorkflow({ ...copy, nodes: copy.nodes.map(exclude) }, copy.id);
			const again = await pushed();
			stage.checks.add(
				`${example}: another option of Push Documents pushes everything again`,
				first === again && first.endsWith(', 0 unchanged') && !first.startsWith('0'),
				`${first}, then ${again}`,
			);
		},
	);
}

async function ranges(stage: Stage): Promise<void> {
	const { url } = stage.demo.sandbox;
	const body = { ranges: 1, recordsPerRange: 1000, waitSeconds: 1, maxCalls: 1 };
	const noId = await storeFile(stage, 'no-id.csv', 'sku,title\n1,Kettle\n');
	const files: Array<[what: string, fileUrl: string, says: RegExp]> = [
		['records that fail', `${url}/files/documents.jsonl`, /^Range 0 .+ 5 records failed/],
		['a file without an ID column', noId, /^Range 0 .+id/i],
	];
	for (const [what, fileUrl, says] of files) {
		const { status, message = '' } = await stage.callWebhook(FAN_OUT, { ...body, fileUrl });
		stage.checks.add(
			`${FAN_OUT}: ${what} fail the run, which names the range`,
			status === 'error' && says.test(message),
			`${status}: ${message}`,
		);
	}
}

/**
 * Checks that a run fails if the file changes while the run reads it. A request for a part of the file fails, and the
 * file changes before the next attempt.
 */
async function changedFile(stage: Stage): Promise<void> {
	const { faults } = stage.demo.sandbox;
	const file = (name: string) =>
		[1, 2, 3, 4].map((at) => `{"id":"range/${at}","name":"${name}"}\n`).join('');
	const fileUrl = await storeFile(stage, 'changing.jsonl', file('Before'));
	faults.add({ route: 'files', status: 404, skip: 1, times: 1 });
	const body = { fileUrl, ranges: 2, recordsPerRange: 2, waitSeconds: 1, maxCalls: 2 };
	const run = stage.callWebhook(FAN_OUT, body);
	const before = stage.demo.sandbox.requests.length;
	await until(() => stage.demo.sandbox.requests.length >= before + 3, 5000);
	await storeFile(stage, 'changing.jsonl', file('After'));
	const { status, message = '' } = await run;
	faults.clear();
	stage.checks.add(
		`${FAN_OUT}: a file that changed in between fails the run`,
		status === 'error' && message.includes('has read another file'),
		`${status}: ${message}`,
	);
}
