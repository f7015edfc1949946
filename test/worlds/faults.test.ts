/**
 * Combines every fault with every kind of request and runs the node each time. Each case shows what is reported,
 * whether the request is repeated, and what the index contains afterward. The table in docs/reliability.md contains the
 * results. `UPDATE=1` rewrites the table.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO, startSandbox, type FaultRule, type Sandbox } from '../../sandbox';
import { selfSigned } from '../../support/certificate';
import { sandboxCredentials } from '../../support/credentials';
import { runNode } from '../../support/engine';
import { skipHangs, useFastClock } from '../../support/fast-clock';
import { ROOT } from '../../support/manifest';
import { useShortBackoff } from '../../support/sandbox';
import { push } from '../../support/sandbox-client';

const PAGE = path.join(ROOT, 'docs', 'reliability.md');
const CELLS_AT_ONCE = 16;

const OPTIONS = { retryForSeconds: 0, concurrency: 1, documentsPerRequest: 1, textsPerRequest: 1 };
/** Time limits for tests in which the service never responds. `skipHangs` ends them early. */
const IMPATIENT = { timeoutSeconds: 8, maxWaitSeconds: 20 };
const MAX_LIMIT_MS = 8000;
/** The second attempt waits for the first one's token request, so `skipHangs` does not end its time limit. */
const IMPATIENT_FOR_TOKEN = { timeoutSeconds: 1 };

interface Target {
	title: string;
	route: FaultRule['route'];
	node: new () => INodeType;
	parameters: INodeParameters;
	options?: INodeParameters;
	credential: [type: string, url: string];
	/** Whether each item is sent in its own request. If so, a second item shows whether the run continues. */
	hasNext?: boolean;
	isDone: (sandbox: Sandbox) => boolean;
}

const CHUNKING = {
	output: 'chunks',
	modelId: { __rl: true, mode: 'id', value: 'gte-small' },
	chunker: 'dynamic-newline',
	chunkerSettings: { maxChunkSize: 1 },
	text: '={{ $json.text }}',
	options: { vectors: 'list' },
};

const TARGETS: Target[] = [
	{
		title: 'Push',
		route: 'push',
		node: PushDocuments,
		parameters: {},
		credential: ['lucidworksPushApi', 'pushUrl'],
		hasNext: true,
		isDone: (sandbox) =>
			sandbox.documents(DEMO.endpoint).some(({ text }) => text !== undefined),
	},
	{
		title: 'Delete',
		route: 'delete',
		node: DeleteDocument,
		parameters: { documentId: '={{ $json.id }}', commit: 'everyDelete' },
		credential: ['lucidworksPushApi', 'pushUrl'],
		hasNext: true,
		isDone: (sandbox) => !sandbox.documents(DEMO.endpoint).some(({ id }) => id === 'a'),
	},
	{
		title: 'Migrate',
		route: 'convert',
		node: MigrateBlobs,
		parameters: { confirm: true },
		credential: ['lucidworksBlobApi', 'baseUrl'],
		isDone: (sandbox) => sandbox.requests.some(({ status }) => status === 200),
	},
	{
		title: 'Submit a text',
		route: 'submit',
		node: ChunkText,
		parameters: CHUNKING,
		credential: ['lucidworksAiOAuth2Api', 'aiUrl'],
		hasNext: true,
		isDone: (sandbox) => sandbox.jobs().length > 0,
	},
	{
		title: 'Poll for chunks',
		route: 'results',
		node: ChunkText,
		parameters: CHUNKING,
		// The fast clock shortens this to 3 s, which suffices for two polls on a busy machine.
		options: { maxWaitSeconds: 30 },
		credential: ['lucidworksAiOAuth2Api', 'aiUrl'],
		// A job continues even if its polls fail, so the job's state proves nothing.
		isDone: () => false,
	},
	{
		title: 'Get a token',
		route: 'token',
		node: ChunkText,
		parameters: CHUNKING,
		credential: ['lucidworksAiOAuth2Api', 'authUrl'],
		isDone: (sandbox) => sandbox.jobs().length > 0,
	},
];

type Rule = Omit<FaultRule, 'route'>;
/** The sandbox cannot simulate `refused` and `untrusted`, because it accepts every connection. */
type Fault = Rule | 'refused' | 'untrusted';

const FAULTS: Record<string, Fault> = {
	'Status 400': { status: 400 },
	'Status 401': { status: 401 },
	'Status 403': { status: 403 },
	'Status 408': { status: 408 },
	'Status 413': { status: 413 },
	'Status 429, once': { status: 429, times: 1 },
	'Status 429 with `Retry-After`, once': { retryAfter: '1', times: 1 },
	'Status 500': { status: 500 },
	'Status 501': { status: 501 },
	'Status 503': { status: 503 },
	'A redirect': { redirectTo: 'http://127.0.0.1:1/' },
	'Connection refused': 'refused',
	'A certificate that is not trusted': 'untrusted',
	'Connection closed before the service did anything': { reset: 'beforeResponse' },
	'Connection closed after the service did its work': { reset: 'afterWork' },
	'A response that is cut off': { reset: 'midBody' },
	'No response': { latencyMs: 60_000 },
	'An HTML page with status 200': { html: true },
	'An empty response with status 200': { status: 200, body: '' },
	'Status 204': { status: 204 },
	'JSON of an unexpected shape': { status: 200, body: '{"unexpected":[1]}' },
};

/**
 * Returns true if the fault occurs only once. The short time limits are not used in this case, because they could
 * expire on a busy machine.
 */
const isOnce = (fault: Fault) => typeof fault === 'object' && fault.times === 1;
const isSlow = (fault: Fault) => typeof fault === 'object' && fault.latencyMs !== undefined;

useShortBackoff();
useFastClock(10);

/** Returns a URL that always fails to connect, and a function that counts the connection attempts. */
async function brokenServer(kind: 'refused' | 'untrusted') {
	let count = 0;
	const server = createTlsServer(selfSigned()) as unknown as Server;
	server.on('connection', () => void count++);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	const close = async () => await new Promise<unknown>((resolve) => server.close(resolve));
	if (kind === 'untrusted') {
		return { url: `https://127.0.0.1:${port}`, count: () => count, close };
	}
	// No server listens on this port, so this process counts the connection attempts itself.
	await close();
	const onSocket = (message: unknown) =>
		(message as { socket: Socket }).socket.on('connectionAttempt', (_ip, to) => {
			if (to === port) count++;
		});
	subscribe('net.client.socket', onSocket);
	return {
		url: `http://127.0.0.1:${port}`,
		count: () => count,
		close: async () => await Promise.resolve(unsubscribe('net.client.socket', onSocket)),
	};
}

async function play(target: Target, fault: Fault, ids: string[]) {
	const { route, node, parameters, options, credential, isDone } = target;
	const sandbox = await startSandbox();
	const ended = new AbortController();
	const broken = typeof fault === 'string' ? await brokenServer(fault) : undefined;
	const hangs = isSlow(fault) ? skipHangs(sandbox, route) : undefined;
	try {
		if (route === 'delete') {
			await push(
				sandbox,
				ids.map((id) => ({ id, name: id })),
			);
		}
		if (typeof fault === 'object') sandbox.faults.add({ route, ...fault });
		const credentials = sandboxCredentials(sandbox);
		const [type, url] = credential;
		if (broken) credentials[type] = { ...credentials[type], [url]: broken.url };
		const { output, status } = await runNode({
			node: new node(),
			items: ids.map((id) => ({ id, name: id, text: `text ${id}` })),
			parameters: {
				...parameters,
				options: {
					...OPTIONS,
					...(!isOnce(fault) && options),
					...(isSlow(fault) && (route === 'token' ? IMPATIENT_FOR_TOKEN : IMPATIENT)),
				},
			},
			credentials,
			onError: 'continueRegularOutput',
			cancelWhen: delay(MAX_CELL_MS, undefined, { signal: ended.signal, ref: false }),
		});
		const requests = sandbox.requests.filter((request) => request.route === route).length;
		return {
			items: output.map(({ json, pairedItem }) => ({ json, pairedItem })),
			requests: broken?.count() ?? requests,
			isDone: isDone(sandbox),
			isEndless: status === 'canceled' || hangs?.limits.some((ms) => ms > MAX_LIMIT_MS),
		};
	} finally {
		ended.abort();
		hangs?.undo();
		await sandbox.close();
		await broken?.close();
	}
}

/** A run that takes longer is stopped, so that the table says which fault has no end. */
const MAX_CELL_MS = 60_000;

/** Checks that the outcome reported to the user matches what happened, and returns that outcome. */
async function outcomeOf(target: Target, fault: Fault): Promise<string> {
	const one = await play(target, fault, ['a']);
	if (one.isEndless) return `STILL RUNS after ${one.requests} requests`;
	const errors = one.items.flatMap(({ json }) => (json.error as string | undefined) ?? []);
	const isUnknown = errors.some((error) => /\bunknown\b|not known/.test(error));
	const untrue = one.isDone && errors.length > 0 && !isUnknown && target.route !== 'results';
	if (untrue) return `UNTRUE: ${errors.join('; ')}`;
	const isRepeated = one.requests > 1;
	if (errors.length === 0) return isRepeated ? 'Retried, succeeds' : 'Succeeds';
	const next = target.hasNext ? await play(target, fault, ['a', 'b']) : undefined;
	if (next && new Set(next.items.map(pairedWith)).size !== 2) return 'LOST AN ITEM';
	const how = isUnknown
		? 'unknown'
		: next && next.requests <= one.requests
			? 'ends the run'
			: 'fails';
	return isRepeated ? `Retried, ${how}` : how.charAt(0).toUpperCase() + how.slice(1);
}

const pairedWith = ({ pairedItem }: { pairedItem?: unknown }) =>
	(pairedItem as { item: number }).item;

function tableOf(outcomes: Map<string, string[]>): string {
	const rows = new Map<string, string[]>();
	for (const [fault, cells] of outcomes) {
		const key = cells.join(' | ');
		rows.set(key, [...(rows.get(key) ?? []), fault]);
	}
	const lines = [...rows].map(([cells, faults]) => {
		const codes = faults.filter((title) => /^Status \d+$/.test(title));
		const others = faults.filter((title) => !codes.includes(title));
		const all = [codes.map((title, at) => (at === 0 ? title : title.slice(7))).join(', ')];
		return `| ${[...all, ...others].filter(Boolean).join('; ')} | ${cells} |`;
	});
	const head = ['Fault', ...TARGETS.map(({ title }) => title)].join(' | ');
	return [`| ${head} |`, `|${' --- |'.repeat(TARGETS.length + 1)}`, ...lines].join('\n');
}

const TABLE = /(<!-- faults -->\n)[^]*?(\n<!-- end -->)/;
const facts = (table: string) =>
	table
		.split('\n')
		.filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line))
		.map((line) => line.replace(/\s+/g, ' ').trim());

it('docs/reliability.md says what happens after each fault', async () => {
	const outcomes = new Map(Object.keys(FAULTS).map((name): [string, string[]] => [name, []]));
	const playAll = async (faults: Array<[string, Fault]>, atOnce: number) => {
		const work = faults
			.flatMap(([name, fault]) =>
				TARGETS.map((target, at) => async () => {
					(outcomes.get(name) as string[])[at] = await outcomeOf(target, fault);
				}),
			)
			.values();
		await Promise.all(
			Array.from({ length: atOnce }, async () => {
				for (const cell of work) await cell();
			}),
		);
	};
	const faults = Object.entries(FAULTS);
	await playAll(
		faults.filter(([, fault]) => !isSlow(fault)),
		CELLS_AT_ONCE,
	);
	await playAll(
		faults.filter(([, fault]) => isSlow(fault)),
		1,
	);
	const page = readFileSync(PAGE, 'utf8');
	const table = tableOf(outcomes);
	if (process.env.UPDATE) {
		writeFileSync(PAGE, page.replace(TABLE, `$1\n${table}\n$2`));
	} else {
		expect(facts(table)).toEqual(facts(TABLE.exec(page)?.[0] ?? ''));
	}
}, 300_000);
