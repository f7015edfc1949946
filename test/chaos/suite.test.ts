/**
 * The suite itself: nodes that lie, lose, repeat and leak are found out.
 *
 * @jest-environment node
 */
import './logs';

import fc from 'fast-check';
import {
	NodeOperationError,
	type IBinaryKeyData,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';

import { WITHHELD } from '../../nodes/shared/service/tokens/secrets';
import { nodeNames } from '../../support/manifest';
import { NODE_KEYS, NODES, readsFiles, type NodeKey } from './adapter';
import { CANARIES, FORMS, inForm, SecretScanner, secretsOf } from './canaries';
import { REQUESTS, TARGETS } from './fault-matrix';
import type { FilePlan } from './files';
import type { Invariant } from './invariants';
import { violationsOf } from './run-world';
import { PLAIN_SERVICE, textOf } from './service';
import { worldOf, type World } from './world';
import { WORLDS as RANDOM } from './worlds';

type Execute = (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>;

/** A node that looks like ours and does something else. */
const impostor = (node: NodeKey, execute: Execute): INodeType => ({
	description: NODES[node].description,
	execute,
});

const DOCUMENTS = [{ id: 'd0', name: 'A', version: 'v0' }];

const WORLDS: Record<NodeKey, World> = {
	push: worldOf({ items: DOCUMENTS, settings: { bytesPerRequest: 100 } }),
	delete: worldOf({
		node: 'delete',
		items: [{ id: 'd0' }],
		service: { indexed: ['d0', 'd1'] },
	}),
	migrate: worldOf({ node: 'migrate', items: [{}], settings: { confirm: true } }),
	chunk: worldOf({
		node: 'chunk',
		texts: [[2], [3]],
		settings: { chunkOutput: 'documents', previousChunkCount: 6 },
	}),
};

const BUSY = { status: 429, refusesAllForMs: 100, requestsPerInterval: 1 } as const;
const NUMERIC = secretsOf(true);

const returns = (...json: IDataObject[]): INodeExecutionData[][] => [
	json.map((item, at) => ({ json: item, pairedItem: { item: at } })),
];

const pause = async (ms: number): Promise<void> =>
	await new Promise((resolve) => setTimeout(resolve, ms));

async function push(context: IExecuteFunctions, body: unknown, path = ''): Promise<void> {
	const { pushUrl } = await context.getCredentials<{ pushUrl: string }>('pushEndpointApi');
	await context.helpers.httpRequestWithAuthentication.call(context, 'pushEndpointApi', {
		method: 'POST',
		url: path === '' ? `${pushUrl}/api/v1/push/docs` : new URL(path, pushUrl).href,
		body: JSON.stringify(body),
		headers: { 'Content-Type': 'application/json' },
		ignoreHttpStatusErrors: true,
	});
}

async function deleteId(context: IExecuteFunctions, id: string): Promise<void> {
	const { pushUrl } = await context.getCredentials<{ pushUrl: string }>('pushEndpointApi');
	await context.helpers.httpRequestWithAuthentication.call(context, 'pushEndpointApi', {
		method: 'DELETE',
		url: `${pushUrl}/api/v1/push/docs/${id}`,
	});
}

async function migrate(context: IExecuteFunctions): Promise<void> {
	const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('blobServiceApi');
	await context.helpers.httpRequestWithAuthentication.call(context, 'blobServiceApi', {
		method: 'PUT',
		url: `${baseUrl}/blobs/convert`,
	});
}

type Job = { chunkingId: string };

/** Submits the texts of the chunking world. */
async function chunker(context: IExecuteFunctions): Promise<{
	submit: () => Promise<Job>;
	fetch: (job: Job) => Promise<unknown>;
}> {
	const { aiUrl, clientId } =
		await context.getCredentials<Record<string, string>>('aiServiceOAuth2Api');
	const token = (await context.helpers.httpRequest({
		method: 'POST',
		url: `${aiUrl}/oauth2/chaos/v1/token`,
		auth: { username: clientId, password: CANARIES.clientSecret },
	})) as { access_token: string };
	const headers = { Authorization: `Bearer ${token.access_token}` };
	const batch = [2, 3].map((parts, item) => ({ text: textOf({ key: `i${item}t0`, parts }) }));
	const base = `${aiUrl}/ai/async-chunking`;
	return {
		submit: async () =>
			(await context.helpers.httpRequest({
				method: 'POST',
				url: `${base}/sentence/gte-small`,
				headers,
				body: { batch },
			})) as Job,
		fetch: async ({ chunkingId }) =>
			(await context.helpers.httpRequest({
				url: `${base}/${chunkingId}`,
				headers,
			})) as unknown,
	};
}

/** Has a job's results delivered, and polls once more. */
async function fetchTwice(context: IExecuteFunctions): Promise<Job> {
	const { submit, fetch } = await chunker(context);
	const job = await submit();
	await fetch(job);
	await fetch(job);
	return job;
}

/** Two chunks of the first text, with these vectors. */
const chunksWith =
	(...vectors: unknown[]): Execute =>
	async () => [
		vectors.map((vector, part) => ({
			json: {
				id: `d0#${part}`,
				text: `<<i0t0p${part}>>`,
				...(vector !== undefined && { vector }),
			} as IDataObject,
			pairedItem: { item: 0 },
		})),
	];

const IMPOSTORS: Array<[string, Invariant, NodeKey, Execute, Partial<World>?]> = [
	['returns nothing', 'every item once', 'push', async () => [[]]],
	[
		'returns an item twice',
		'every item once',
		'delete',
		async () => [
			[
				{ json: { id: 'd1' }, pairedItem: 0 },
				{ json: { id: 'd1' }, pairedItem: 0 },
			],
		],
	],
	[
		'claims a push it did not send',
		'claims too much',
		'push',
		async () => returns({ id: 'd0', pushed: true }),
	],
	[
		'claims a delete it did not send',
		'claims too much',
		'delete',
		async () => returns({ id: 'd0', deleted: true }),
	],
	[
		'claims a migration it did not send',
		'claims too much',
		'migrate',
		async () => returns({ migrated: true }),
	],
	[
		'denies a push that took effect',
		'denies what happened',
		'push',
		async function () {
			await push(this, DOCUMENTS);
			return returns({ id: 'd0', error: "The connection closed, so 'd0' was not pushed." });
		},
	],
	[
		'deletes another document',
		'wrong document deleted',
		'delete',
		async function () {
			await deleteId(this, 'd1');
			return returns({ id: 'd0', deleted: false, error: 'Not found' });
		},
	],
	[
		'migrates again',
		'migrated twice',
		'migrate',
		async function () {
			await migrate(this);
			await migrate(this);
			return returns({ migrated: true });
		},
	],
	[
		'submits again',
		'submitted twice',
		'chunk',
		async function () {
			const { submit } = await chunker(this);
			await submit();
			await submit();
			return returns({}, {});
		},
	],
	[
		'throws away what was delivered',
		'lost what was delivered',
		'chunk',
		async function () {
			await fetchTwice(this);
			return returns({}, {});
		},
	],
	[
		'withholds what has no secret',
		'lost what was delivered',
		'chunk',
		async function () {
			const job = await fetchTwice(this);
			return returns({ error: 'x', chunkingId: job, response: WITHHELD }, {});
		},
	],
	[
		'stops without naming its jobs',
		'forgot a chunking ID',
		'chunk',
		async function () {
			await (await chunker(this)).submit();
			throw new Error('Something is wrong');
		},
		{ onError: 'stopWorkflow' },
	],
	[
		'gives a chunk to another document',
		'mixed up texts',
		'chunk',
		async () => returns({ text: '<<i1t0p0>>' }, {}),
	],
	[
		'gives a vector to another chunk',
		'mixed up texts',
		'chunk',
		chunksWith([0, 0, 1], [0, 0, 0]),
	],
	[
		'gives a compact vector to another chunk',
		'mixed up texts',
		'chunk',
		chunksWith('i8:AAAB', 'i8:AAAA'),
	],
	[
		'returns a vector less than chunks',
		'claims too much',
		'chunk',
		chunksWith([0, 0, 0], undefined),
	],
	[
		'gives a chunk to another text of its item',
		'mixed up texts',
		'chunk',
		async () => returns({ textIndex: 1, text: '<<i0t0p0>>' }),
		{ settings: { textSource: 'list' } },
	],
	[
		'denies a push that the response repeats as accepted',
		'denies what happened',
		'push',
		async function () {
			await push(this, DOCUMENTS);
			return returns({ id: 'd0', error: 'The push service rejected the document' });
		},
		{ service: { ...PLAIN_SERVICE, pushAnswer: 'echo' } },
	],
	[
		'shows a key of digits as a number',
		'secret shown',
		'push',
		async () => returns({ id: 'd0', response: { seen: [Number(NUMERIC.apiKey)] } }),
		{ service: { ...PLAIN_SERVICE, hasNumericSecrets: true } },
	],
	[
		'fails a document for a 429 that passes',
		'gave up too soon',
		'push',
		async () => returns({ id: 'd0', error: 'Too many requests', httpStatus: 429 }),
		{ service: { ...PLAIN_SERVICE, busy: BUSY } },
	],
	[
		'stops for a 429 that passes',
		'gave up too soon',
		'push',
		async function () {
			throw new NodeOperationError(this.getNode(), 'The service answered with status 429');
		},
		{ onError: 'stopWorkflow', service: { ...PLAIN_SERVICE, busy: BUSY } },
	],
	[
		'removes what it knows nothing of',
		'removed what exists',
		'chunk',
		async () => returns({ id: 'd0#1', removed: true }, {}),
	],
	[
		'shows a secret in an item',
		'secret shown',
		'push',
		async () => returns({ id: 'd0', error: `Refused: ${encodeURIComponent(CANARIES.apiKey)}` }),
	],
	[
		'shows a secret in an error',
		'secret shown',
		'push',
		async function () {
			throw new NodeOperationError(this.getNode(), 'Refused', {
				description: `Sent with ${CANARIES.apiKey}`,
			});
		},
		{ onError: 'stopWorkflow' },
	],
	[
		'logs a secret',
		'secret shown',
		'push',
		async function () {
			this.logger.debug(`Sending with ${CANARIES.apiKey}`);
			return returns({ id: 'd0', error: 'Refused' });
		},
	],
	[
		'hints at a secret',
		'secret shown',
		'push',
		async function () {
			this.addExecutionHints({ message: `Sent with ${CANARIES.apiKey}` });
			return returns({ id: 'd0', error: 'Refused' });
		},
	],
	[
		'follows a redirect with its key',
		'secret sent elsewhere',
		'push',
		async function () {
			await push(this, [], '/elsewhere/login');
			return returns({ id: 'd0', error: 'Refused' });
		},
	],
	[
		'sends more than it may',
		'limit broken',
		'push',
		async function () {
			await push(this, [{ ...DOCUMENTS[0], text: 'x'.repeat(200) }]);
			return returns({ id: 'd0', pushed: true });
		},
	],
	[
		'ignores a cancel',
		'too late',
		'push',
		async () => {
			await pause(1900);
			return returns({ id: 'd0', error: 'Late' });
		},
		{ cancelAfterMs: 50 },
	],
	[
		'leaves a timer behind',
		'handles left',
		'push',
		async () => {
			setTimeout(() => {}, 3000);
			return returns({ id: 'd0', error: 'Refused' });
		},
	],
];

const RECORDS = [0, 1].map((at) => ({
	text: JSON.stringify({ id: `d${at}`, name: 'A', version: `v${at}` }),
	key: `v${at}`,
	id: `d${at}`,
}));

const FILE: FilePlan = {
	name: 'f0.jsonl',
	format: 'jsonLines',
	isNamed: true,
	isGzip: false,
	isCut: false,
	skip: 0,
	records: RECORDS,
};

const PUSH_FILE = worldOf({ settings: { documentSource: 'file' }, files: [FILE] });
const CHUNK_FILE = worldOf({
	node: 'chunk',
	settings: { textSource: 'file', chunkOutput: 'chunks', outputTo: 'files' },
	files: [FILE],
});

/** The item of the file. */
function summary(given: IDataObject, binary?: IBinaryKeyData): INodeExecutionData[][] {
	const nothing = { failed: 0, skipped: 0, failures: [], failureCounts: [], deadLetters: [] };
	const json = { file: 'f0.jsonl', records: 2, ...nothing, ...given };
	return [[{ json, pairedItem: 0, ...(binary && { binary }) }]];
}

const failure = (record: number, error = 'Refused'): IDataObject => ({
	failed: 1,
	failures: [{ record, line: record, id: `d${record - 1}`, error }],
	failureCounts: [{ error, records: 1 }],
});

async function binaryOf(
	{ helpers }: IExecuteFunctions,
	field: string,
	text: string,
): Promise<IBinaryKeyData> {
	const buffer = Buffer.from(text);
	return { [field]: await helpers.prepareBinaryData(buffer, 'f0.jsonl', 'text/plain') };
}

const pushAll = async (context: IExecuteFunctions): Promise<void> =>
	await push(
		context,
		RECORDS.map(({ text }) => JSON.parse(text) as unknown),
	);

const FILE_IMPOSTORS: Array<[string, Invariant, World, Execute]> = [
	[
		'counts records that it did not push',
		'claims too much',
		PUSH_FILE,
		async () => summary({ pushed: 2 }),
	],
	[
		'loses a record',
		'every record once',
		PUSH_FILE,
		async function () {
			await pushAll(this);
			return summary({ pushed: 1 });
		},
	],
	[
		'denies a record that it pushed',
		'denies what happened',
		PUSH_FILE,
		async function () {
			await pushAll(this);
			const words = "The connection closed, so document 'd1' was not pushed";
			return summary({ pushed: 1, ...failure(2, words) });
		},
	],
	[
		'keeps back a record that failed',
		'wrong failed records',
		PUSH_FILE,
		async () => summary({ pushed: 1, ...failure(2) }),
	],
	[
		'changes a record that failed',
		'wrong failed records',
		PUSH_FILE,
		async function () {
			const text = `${RECORDS[1].text.replace('A', 'B')}\n`;
			const bytes = Buffer.byteLength(text);
			const deadLetters = [{ field: 'failed', records: 1, bytes }];
			const binary = await binaryOf(this, 'failed', text);
			return summary({ pushed: 1, ...failure(2), deadLetters }, binary);
		},
	],
	[
		'continues too far after a stop',
		'lost by resuming',
		{ ...PUSH_FILE, onError: 'stopWorkflow' },
		async function () {
			if (this.getInputData()[0].json.skip === 2) return summary({ pushed: 0, skipped: 2 });
			const words =
				"Of the file 'f0.jsonl', 2 records had been pushed: continue with Skip Records: 2";
			throw new NodeOperationError(this.getNode(), words);
		},
	],
	[
		'shows a secret in a file',
		'secret shown',
		PUSH_FILE,
		async function () {
			return summary({ pushed: 2 }, await binaryOf(this, 'failed', CANARIES.apiKey));
		},
	],
	[
		'leaves a file open',
		'handles left',
		PUSH_FILE,
		async function () {
			const { id = '' } = this.getInputData()[0].binary?.data ?? {};
			const stream = await this.helpers.getBinaryStream(id);
			setTimeout(() => stream.destroy(), 3000).unref();
			await pause(50);
			return summary({ pushed: 2 });
		},
	],
	[
		'reads a record in two ranges',
		'every record once',
		{
			...PUSH_FILE,
			files: [
				{ ...FILE, max: 1 },
				{ ...FILE, name: 'f1.jsonl', skip: 1 },
			],
		},
		async function () {
			await pushAll(this);
			await pushAll(this);
			return [[]];
		},
	],
	[
		'gives a chunk to another record',
		'mixed up texts',
		CHUNK_FILE,
		async function () {
			const line = JSON.stringify({ id: 'i0t0#0', text: '<<i0t1p0>>' });
			const binary = await binaryOf(this, 'data', line);
			return [[{ json: { part: 1 }, pairedItem: 0, binary }]];
		},
	],
];

test('the suite knows every node of the package', () => {
	const names = Object.values(NODES).map(({ description }) => description.name);
	expect(names.sort()).toEqual(nodeNames);
});

test('the fault matrix has a request of every node', () => {
	const nodes = new Set(REQUESTS.map((request) => TARGETS[request].node));
	expect([...nodes].sort()).toEqual(Object.keys(NODES).sort());
});

test.each([
	['items', RANDOM.items, NODE_KEYS],
	['files', RANDOM.files, NODE_KEYS.filter(readsFiles)],
])('random worlds of %s are of every node', (_kind, worlds: fc.Arbitrary<World>, expected) => {
	const nodes = new Set(fc.sample(worlds, { seed: 1, numRuns: 200 }).map(({ node }) => node));
	expect([...nodes].sort()).toEqual([...expected].sort());
});

describe('a node that reads files is found out that', () => {
	test.each(FILE_IMPOSTORS)('%s (%s)', async (_does, invariant, world, execute) => {
		const violations = await violationsOf(world, impostor(world.node, execute));
		expect(violations.map((violation) => violation.invariant)).toContain(invariant);
	});
});

describe('a node is found out that', () => {
	const impostors = IMPOSTORS.map(([does, invariant, node, execute, given = {}]) => ({
		does,
		invariant,
		node,
		execute,
		given,
	}));
	test.each(impostors)('$does ($invariant)', async ({ invariant, node, execute, given }) => {
		const violations = await violationsOf(
			{ ...WORLDS[node], ...given },
			impostor(node, execute),
		);
		expect(violations.map((violation) => violation.invariant)).toContain(invariant);
	});
});

test.each(FORMS)('a secret is found in the form %s', (form) => {
	const scanner = new SecretScanner();
	scanner.add('key', CANARIES.apiKey);
	expect(scanner.find(`seen: ${inForm(CANARIES.apiKey, form, CANARIES.apiKey)}.`)).toEqual([
		'key',
	]);
	expect(scanner.find('seen: ***, and nothing else')).toEqual([]);
});
