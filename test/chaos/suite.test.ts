/** The suite itself: nodes that lie, lose, repeat and leak are found out. */
import './logs';

import {
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
} from 'n8n-workflow';

import { NODES, type NodeKey } from './adapter';
import { CANARIES, FORMS, inForm, SecretScanner } from './canaries';
import type { Invariant } from './invariants';
import { violationsOf } from './run-world';
import { textOf } from './service';
import { worldOf, type World } from './world';

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
			const { submit, fetch } = await chunker(this);
			const job = await submit();
			await fetch(job);
			await fetch(job);
			return returns({}, {});
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
			setTimeout(() => {}, 1000);
			return returns({ id: 'd0', error: 'Refused' });
		},
	],
];

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
