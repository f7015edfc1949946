import type { Execution } from '../n8n/execution';
import type { StoredWorkflow, WorkflowNode } from '../n8n/workflow';
import { saveCredentials } from '../service/templates';
import { freePort } from '../shared/ports';
import { until } from '../shared/wait';
import { storeFile } from './csv-scenarios';
import type { NodeChanges, Stage } from './stage';

/**
 * In this scenario, our nodes keep retrying for this long. In the examples, this time is one minute, or 15 minutes for
 * nightly runs.
 */
const RETRY_FOR_SECONDS = 2;

const BETWEEN_TRIES_MS = 100;

const EVERY_SECONDS = 2;

const PUBLISHED_MS = 10_000;

interface Outage {
	what: string;
	reason: RegExp;
	spared: string[];
	/** The scheduled example whose failure the Tell Me workflow must report. */
	scheduled?: string;
	begin(): Promise<void>;
}

/** Request bodies for the examples that start with a webhook and send a response. */
const CALLS: Readonly<Record<string, object>> = {
	'updates-by-webhook': {
		documents: [{ id: 'outage/1', name: 'One', text: '# One' }],
		deleted: ['outage/3', 'outage/4'],
	},
	'sync-by-source': { documents: [{ id: 'outage/5', name: 'Five', text: 'Five' }] },
	'sync-chunks-by-source': { documents: [{ id: 'outage/6', name: 'Six', text: '# Six' }] },
};

/** Examples that are run by hand, and the changes to their nodes. */
const BY_HAND: Readonly<Record<string, NodeChanges>> = {
	'getting-started': {},
	'chunk-text-files': {},
	'chunks-with-context': {},
	'bulk-load-a-file': {},
	'push-a-large-file-with-progress': {},
	'ingest-a-large-corpus': {},
	'submit-wait-get-results': {},
	'rules-with-http-request': {},
	'migrate-blobs': { 'Migrate Blobs': { parameters: { confirm: true } } },
	'sync-from-an-api': {},
	'every-night-a-csv': { 'Chunk Text': { disabled: false } },
	'check-my-service': { Wait: { parameters: { amount: 1 } } },
};

const STORED = [
	{ example: 'bulk-load-a-file', file: /^documents\.failed/ },
	{ example: 'push-a-large-file-with-progress', file: /^after-0-documents\.failed/ },
	{ example: 'ingest-a-large-corpus', file: /^corpus\.(chunks-1\.)?failed/ },
];

/**
 * Examples that run in only one of the two outages in which everything fails, because they fail in the same node in
 * both, and another example runs that node in the other outage.
 */
const SPARED_AT_FIRST = [
	'bulk-load-a-file',
	'push-a-large-file-with-progress',
	'fan-out-over-workers',
];
const SPARED_AT_SECOND = [
	'getting-started',
	'chunk-text-files',
	'chunks-with-context',
	'submit-wait-get-results',
	'ingest-a-large-corpus',
];

const SCHEDULED = ['every-night-a-csv', 'sync-from-an-api'];

const FAN_OUT = 'fan-out-over-workers';
const RANGE = 'fan-out-one-range';
const AGENT = 'agent-with-search-ingest-tools';

/**
 * Runs all examples during service outages. Checks that no run succeeds. Checks that each error message gives the
 * reason for the failure. After the last outage, checks that the next run of each sync repairs the index.
 */
export async function outages(stage: Stage): Promise<void> {
	const examples = [...Object.keys(CALLS), ...Object.keys(BY_HAND), FAN_OUT, RANGE, AGENT];
	await storeFile(stage, 'products.csv', 'id,name,text\noutage/8,Eight,Eight\n');
	const copies: StoredWorkflow[] = [];
	try {
		const stored = examples.map(async (example) => await copyOf(stage, example));
		copies.push(...(await Promise.all(stored)));
		for (const outage of allOutages(stage)) await endure(stage, outage);
		await missMessage(stage);
		await repair(stage);
	} finally {
		for (const { id } of copies) await stage.demo.n8n.api.deleteWorkflow(id);
	}
}

const nameOf = (example: string): string => `outage-${example}`;

/** Changes a node's parameters. Also shortens the retry time of our own nodes, and the pauses of n8n's own retries. */
function changed(node: WorkflowNode, change: NodeChanges[string] = {}): WorkflowNode {
	const parameters = { ...node.parameters, ...change.parameters };
	const retries = /^n8n-nodes-search-ingest\.(?!migrate)/.test(node.type);
	const options = { ...(parameters.options as object), retryForSeconds: RETRY_FOR_SECONDS };
	return {
		...{ ...node, waitBetweenTries: BETWEEN_TRIES_MS },
		...change,
		parameters: { ...parameters, ...(retries && { options }) },
	};
}

/** Stores a copy of an example, and publishes the copy if it has a webhook. The copy retries only briefly. */
async function copyOf(stage: Stage, example: string): Promise<StoredWorkflow> {
	const { n8n, workflows } = stage.demo;
	const name = nameOf(example);
	const changes = BY_HAND[example] ?? {};
	const webhook = workflows[example].nodes.find(({ type }) => type.endsWith('.webhook'));
	const nodes = workflows[example].nodes.map((node) => changed(node, changes[node.name]));
	const own = nodes.map((node) =>
		node.name === webhook?.name
			? { ...node, webhookId: name, parameters: { ...node.parameters, path: name } }
			: node,
	);
	// The scenario runs copies of the workflows. If one workflow calls a second workflow, the copy of the first must
	// call the copy of the second. The copies read short versions of the files to save time.
	const text = JSON.stringify(own)
		.replace(`/webhook/${RANGE}`, `/webhook/${nameOf(RANGE)}`)
		.replace(/(documents|corpus)\.jsonl/, '$&?count=20');
	const stored = await n8n.api.saveWorkflow({
		...workflows[example],
		name,
		nodes: JSON.parse(text) as WorkflowNode[],
	});
	workflows[name] = stored;
	if (webhook === undefined) return stored;
	await n8n.api.activate(stored);
	// As soon as a workflow is published, its webhook returns 403 for a call without the key.
	const isThere = async () => (await n8n.api.postWebhook(name, {})).status === 403;
	await until(isThere, PUBLISHED_MS);
	return stored;
}

/** Returns the outages. Each outage ends after the nodes have stopped retrying. */
function allOutages({ demo }: Stage): Outage[] {
	const { n8n, sandbox, chatModel } = demo;
	const overloaded = /503|no healthy upstream/;
	return [
		{
			what: 'refuses connections',
			reason: /refused/i,
			spared: SPARED_AT_FIRST,
			scheduled: SCHEDULED[0],
			begin: async () => {
				const dead = `http://127.0.0.1:${await freePort()}`;
				const urls = { authUrl: dead, aiUrl: dead, pushUrl: dead, baseUrl: dead };
				await saveCredentials(n8n.api, { ...sandbox, urls }, chatModel.url);
			},
		},
		{
			what: 'answers everything with status 503',
			reason: overloaded,
			spared: SPARED_AT_SECOND,
			scheduled: SCHEDULED[1],
			begin: async () => {
				for (const route of ROUTES) sandbox.faults.add({ route, status: 503 });
				await Promise.resolve();
			},
		},
		{
			what: 'answers pushes and deletes with status 503',
			reason: overloaded,
			spared: [
				'bulk-load-a-file',
				'push-a-large-file-with-progress',
				'sync-by-source',
				'submit-wait-get-results',
				'rules-with-http-request',
				'migrate-blobs',
				'chunk-text-files',
				'chunks-with-context',
				FAN_OUT,
			],
			begin: async () => {
				for (const route of ['push', 'delete'] as const)
					sandbox.faults.add({ route, status: 503 });
				await Promise.resolve();
			},
		},
	];
}

const ROUTES = ['submit', 'results', 'push', 'delete', 'convert', 'rules'] as const;

async function endure(stage: Stage, outage: Outage): Promise<void> {
	const { sandbox, n8n, chatModel } = stage.demo;
	const before = idsOf(stage);
	const from = sandbox.requests.length;
	await outage.begin();
	const examples = [...Object.keys(CALLS), ...Object.keys(BY_HAND), FAN_OUT].filter(
		(example) => !outage.spared.includes(example),
	);
	await Promise.all([
		...examples.map(async (example) => await fail(stage, example, outage)),
		tellModel(stage, outage),
		...(outage.scheduled ? [tell(stage, outage.scheduled, outage.reason)] : []),
	]);
	sandbox.faults.clear();
	await saveCredentials(n8n.api, sandbox, chatModel.url);
	const stored = sandbox.requests.slice(from).filter(({ method }) => method === 'PUT');
	const names = stored.map(({ path }) => path.split('/').at(-1) ?? '').sort();
	stage.checks.add(
		`A service that ${outage.what}: the records that failed are stored`,
		STORED.every(
			({ example, file }) =>
				outage.spared.includes(example) || names.some((name) => file.test(name)),
		),
		names.join(),
	);
	stage.checks.add(
		`A service that ${outage.what}: the index has what it had`,
		idsOf(stage) === before,
		`${idsOf(stage).length} and ${before.length} characters of IDs`,
	);
}

const idsOf = (stage: Stage): string =>
	stage
		.documents()
		.map(({ id }) => String(id))
		.sort()
		.join();

async function fail(stage: Stage, example: string, { what, reason }: Outage): Promise<void> {
	const title = `${example}: a service that ${what}`;
	if (example === 'check-my-service' && !/refuse/.test(what)) {
		const { status, items } = await stage.tryByHand(nameOf(example));
		const rows = items('What Follows').map(({ json }) => json);
		const seen = JSON.stringify(rows);
		stage.checks.add(
			`${title} is in the table`,
			status === 'success' && seen.includes('503'),
			seen,
		);
		return;
	}
	const body = example === FAN_OUT ? fileOf(stage) : CALLS[example];
	if (body === undefined || example === FAN_OUT) {
		const execution = await (body
			? stage.callWebhook(nameOf(example), body, nameOf(example))
			: stage.tryByHand(nameOf(example)));
		stage.checks.add(
			`${title} fails the run, which says why`,
			hasFailed(execution, reason),
			`${execution.status}: ${execution.message ?? ''}`,
		);
		return;
	}
	const execution = await stage.callWebhook(nameOf(example), body, nameOf(example));
	const { response } = execution;
	const { error = '' } = response.body as { error?: string };
	stage.checks.add(
		`${title} fails the run, and the caller gets status 500 and the reason`,
		hasFailed(execution, reason) && response.status === 500 && reason.test(error),
		`${execution.status}: ${execution.message ?? ''}; ${response.status}: ${error}`,
	);
}

const hasFailed = ({ status, message = '' }: Execution, reason: RegExp): boolean =>
	status === 'error' && reason.test(message);

/** Returns a request body that pushes a file as a single range, with one attempt. */
const fileOf = ({ demo }: Stage): object => ({
	fileUrl: `${demo.sandbox.url}/files/fan-out.jsonl?count=20`,
	...{ ranges: 1, recordsPerRange: 1000, waitSeconds: 1, maxCalls: 1 },
});

async function tellModel(stage: Stage, { what, reason }: Outage): Promise<void> {
	const { requests } = stage.demo.chatModel;
	requests.length = 0;
	const call = { tool: 'Delete_Document', values: { Document_ID: 'outage/7' } };
	await stage.chat(nameOf(AGENT), JSON.stringify([call]));
	const read = (requests.at(-1)?.messages ?? [])
		.filter(({ role }) => role === 'tool')
		.map(({ content }) => String(content))
		.join();
	stage.checks.add(
		`${AGENT}: the model reads of a service that ${what}`,
		reason.test(read),
		read,
	);
}

async function tell(stage: Stage, example: string, reason: RegExp): Promise<void> {
	const { sandbox } = stage.demo;
	await schedule(stage, example, async () => {
		await stage.checks.eventually(
			`${example}: Tell Me sends the reason of a scheduled run that failed`,
			async () => {
				const response = await fetch(`${sandbox.url}/files/tell-me.json`);
				return response.ok ? ((await response.json()) as { text: string }).text : '';
			},
			(text) => text.startsWith(`scheduled-${example} failed`) && reason.test(text),
		);
	});
}

/**
 * Runs a copy of a scheduled example every few seconds until `see` returns. The copy's error workflow is `Tell Me`.
 */
async function schedule(stage: Stage, example: string, see: () => Promise<void>): Promise<void> {
	const { n8n, workflows } = stage.demo;
	const rule = { interval: [{ field: 'seconds', secondsInterval: EVERY_SECONDS }] };
	const { nodes, settings, ...workflow } = workflows[nameOf(example)];
	const copy = await n8n.api.saveWorkflow({
		...workflow,
		name: `scheduled-${example}`,
		settings: { ...settings, errorWorkflow: workflows['tell-me'].id },
		nodes: nodes.map((node) =>
			node.type.endsWith('.scheduleTrigger') ? { ...node, parameters: { rule } } : node,
		),
	});
	await n8n.api.activate(copy);
	try {
		await see();
	} finally {
		await n8n.api.deleteWorkflow(copy.id);
	}
}

/** Checks that the Tell Me workflow's own run fails if the workflow cannot send its message. */
async function missMessage(stage: Stage): Promise<void> {
	const { n8n, sandbox, workflows } = stage.demo;
	sandbox.faults.add({ route: 'files', status: 503 });
	const { id } = workflows['tell-me'];
	const latest = async () => (await n8n.api.executions(id, 1)).at(0);
	const before = await latest();
	await schedule(stage, SCHEDULED[0], async () => {
		await stage.checks.eventually(
			'tell-me: a message that cannot be sent fails the run of Tell Me',
			async () => {
				const now = await latest();
				return now && now.id !== before?.id ? now.status : '';
			},
			(status) => status === 'error',
		);
	});
	sandbox.faults.clear();
}

/** Checks that the next run of each sync completes what failed during the outages. */
async function repair(stage: Stage): Promise<void> {
	for (const example of ['sync-by-source', 'sync-chunks-by-source']) {
		await stage.callWebhook(nameOf(example), CALLS[example], nameOf(example));
	}
	await stage.runByHand(nameOf(SCHEDULED[1]));
	const ids = idsOf(stage).split(',');
	const articles = ids.filter((id) => id.startsWith('articles/'));
	stage.checks.add(
		'After the outages, the next run of each sync repairs the index',
		ids.includes('outage/5') && ids.includes('outage/6#0') && articles.length === 10,
		articles.join(),
	);
}
