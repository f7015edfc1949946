/**
 * Time limits of requests and what a cancel ends, over real HTTP: whatever a server does, a request is
 * over when Request Timeout says so, and a canceled run within a second. Nothing is left behind.
 */
import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';

import type { IExecuteFunctions } from 'n8n-workflow';

import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { CredentialStore, runNode } from '../../support/engine';
import { reply, startServer, type TestServer } from '../../support/http-server';
import { chunk, startWorker } from '../../support/worker';

const delay = async (ms: number) => await new Promise((done) => setTimeout(done, ms));

/** Sends a byte now and then, for ever. */
const trickle = (status: number) => async (response: ServerResponse) => {
	response.writeHead(status, { 'Content-Type': 'application/json' });
	while (!response.destroyed) {
		response.write(' ');
		await delay(100);
	}
};
const hang = async () => {};
const token = (response: ServerResponse, access_token = 'a-token') =>
	reply(response, 200, {
		token_type: 'Bearer',
		expires_in: 3600,
		access_token,
		scope: 'machinelearning.predict',
	});

const servers: TestServer[] = [];
afterAll(async () => {
	await Promise.all(servers.splice(0).map(async (server) => await server.close()));
});
type Answer = (response: ServerResponse) => unknown;
/** A server of the whole interface that answers as told. */
const serve = async (answers: { token?: Answer; other?: Answer }) => {
	const server = await startServer(async ({ url }, response) => {
		if (url.startsWith('/oauth2/')) await (answers.token ?? token)(response);
		else await (answers.other ?? hang)(response);
	});
	servers.push(server);
	return server;
};
let clients = 0;
const storeFor = (url: string) =>
	new CredentialStore({
		lucidworksAiOAuth2Api: {
			aiUrl: url,
			authUrl: url,
			authorizationServerId: 'aus1',
			clientId: `client-${++clients}`,
			clientSecret: 'the-secret',
		},
		lucidworksPushApi: { pushUrl: url, endpoint: 'docs', apiKey: 'the-key' },
		lucidworksBlobApi: { baseUrl: url, authentication: 'none' },
	});

const worker = startWorker();
const options = { retryForSeconds: 0, timeoutSeconds: 1 };
const RUNS: Record<string, (store: CredentialStore, cancelAfterMs?: number) => Promise<unknown>> = {
	submission: async (store, cancelAfterMs) =>
		await chunk(worker, store, {
			options,
			...(cancelAfterMs !== undefined && { cancelAfterMs }),
		}),
	push: async (store, cancelAfterMs) =>
		await runNode({
			node: new PushDocuments(),
			items: [{ id: 'a', name: 'A' }],
			parameters: { options },
			store,
			...(cancelAfterMs !== undefined && { cancelAfterMs }),
		}),
	delete: async (store, cancelAfterMs) =>
		await runNode({
			node: new DeleteDocument(),
			items: [{ id: 'a' }],
			parameters: { documentId: 'a', options },
			store,
			...(cancelAfterMs !== undefined && { cancelAfterMs }),
		}),
	migration: async (store, cancelAfterMs) =>
		await runNode({
			node: new MigrateBlobs(),
			parameters: { confirm: true, options: { timeoutSeconds: options.timeoutSeconds } },
			store,
			...(cancelAfterMs !== undefined && { cancelAfterMs }),
		}),
};
const timed = async (run: Promise<unknown>) => {
	const startedAt = Date.now();
	const { error, run: whole } = (await run) as Awaited<ReturnType<typeof chunk>>;
	return { error, status: whole.status, ms: Date.now() - startedAt };
};

// n8n takes its time when it first runs a workflow.
beforeAll(async () => void (await RUNS.push(storeFor('http://127.0.0.1:1'))));

const SILENCES = [
	['hangs', hang],
	['trickles', trickle(200)],
] as const;

/** They wait for their limit side by side, and come first. */
describe('Request Timeout', () => {
	describe.each(Object.entries(RUNS))('of a %s', (_name, run) => {
		test.concurrent.each([
			['hangs', hang],
			['trickles a response', trickle(200)],
			['trickles an error', trickle(500)],
		])('ends it if the service %s', async (_, other) => {
			const { url } = await serve({ other });
			const { error, ms } = await timed(run(storeFor(url)));
			expect(`${error?.message} ${error?.description}`).toMatch(/did not answer within 1 s/);
			expect(ms).toBeGreaterThan(900);
		});
	});

	test.concurrent.each([...SILENCES, ['trickles a refusal', trickle(401)] as const])(
		'ends the wait for a token if the token server %s',
		async (_, answer) => {
			const { url, requests } = await serve({ token: answer });
			const { error } = await timed(RUNS.submission(storeFor(url)));
			expect(error?.message).toMatch(/The token server did not answer within 1 s/);
			expect(requests.every((request) => request.url.startsWith('/oauth2/'))).toBe(true);
		},
	);
});

describe('a cancel does not wait for Request Timeout', () => {
	// Longer than a test may take.
	beforeAll(() => {
		options.timeoutSeconds = 600;
	});
	afterAll(() => {
		options.timeoutSeconds = 1;
	});

	describe.each(Object.entries(RUNS))('of a %s', (_name, run) => {
		test.each(SILENCES)('while the service %s', async (_, other) => {
			const { url } = await serve({ other });
			const { status } = await timed(run(storeFor(url), 300));
			expect(status).toBe('canceled');
		});
	});

	test.each(SILENCES)('while the token server %s', async (_, answer) => {
		const { url } = await serve({ token: answer });
		const { status } = await timed(RUNS.submission(storeFor(url), 300));
		expect(status).toBe('canceled');
	});
});

test('a cancel leaves a shared token request to the other runs', async () => {
	const { url, requests } = await serve({
		token: async (response) => {
			await delay(700);
			token(response);
		},
		other: (response) => reply(response, 200, { chunkingId: 'c1', status: 'SUBMITTED' }),
	});
	const store = storeFor(url);
	const long = { options: { retryForSeconds: 0, timeoutSeconds: 20 } };
	const canceled = timed(chunk(worker, store, { ...long, cancelAfterMs: 200 }));
	const other = timed(chunk(worker, store, long));
	expect(await canceled).toMatchObject({ status: 'canceled' });
	expect(await other).toMatchObject({ status: 'success' });
	expect(requests.filter((request) => request.url.startsWith('/oauth2/'))).toHaveLength(1);
	expect(requests.filter((request) => request.aborted)).toEqual([]);
});

test('requests leave no timer and no listener behind, however long Request Timeout is', async () => {
	let jobs = 0;
	const { url } = await serve({
		other: (response) =>
			reply(response, 200, { chunkingId: `c${jobs++}`, status: 'SUBMITTED' }),
	});
	const store = storeFor(url);
	const timers = () =>
		process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
	let signal: AbortSignal | undefined;
	const node = worker.node;
	const watching = Object.assign(Object.create(node) as typeof node, {
		async execute(this: IExecuteFunctions) {
			signal = this.getExecutionCancelSignal();
			return await node.execute?.call(this);
		},
	});
	await chunk({ ...worker, node: watching }, store);
	const before = timers();
	const run = await chunk({ ...worker, node: watching }, store, {
		texts: 100,
		options: { timeoutSeconds: 600 },
	});
	expect(run.error).toBeUndefined();
	// Others may have a few.
	expect(timers()).toBeLessThan(before + 10);
	expect(getEventListeners(signal as AbortSignal, 'abort')).toHaveLength(0);
});
