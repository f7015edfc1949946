/**
 * Tests that the client secret and the access tokens appear neither in a run's data nor in n8n's log.
 *
 * @jest-environment node
 */
import { captured } from '../../support/log-capture';

import { inspect } from 'node:util';

import { LoggerProxy } from 'n8n-workflow';

import { startSandbox, type FaultRule, type Sandbox, type SandboxSettings } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
import { CredentialStore } from '../../support/engine';
import { requestsArrived } from '../../support/sandbox';
import { chunk, startWorker, type ChunkRunOptions } from '../../support/worker';

const TYPE = 'lucidworksAiOAuth2Api';
const SECRET = 'secret-that-nobody-may-see';

let sandbox: Sandbox;

beforeAll(async () => {
	const log = (...parts: unknown[]) => void captured.push(inspect(parts, { depth: 20 }));
	LoggerProxy.init({ debug: log, info: log, warn: log, error: log });
	sandbox = await startSandbox({ clients: [{ id: 'demo-client', secret: SECRET }] });
});
beforeEach(() => {
	sandbox.reset();
	captured.length = 0;
	Object.assign(sandbox.settings, { tokenResponse: 'normal', revokePreviousTokens: false });
});
afterAll(async () => {
	await sandbox.close();
});

const newStore = (changes = {}) =>
	new CredentialStore({
		[TYPE]: { ...sandboxCredentials(sandbox)[TYPE], clientSecret: SECRET, ...changes },
	});

/** Returns everything in a value as text, including non-enumerable properties, causes and long strings. */
const allOf = (value: unknown) =>
	inspect(value, {
		depth: Infinity,
		showHidden: true,
		maxArrayLength: 100,
		maxStringLength: Infinity,
		breakLength: Infinity,
	});
const tokenIn = (store: CredentialStore) => {
	const map = JSON.parse(String(store.get(TYPE).accessTokens || '{}')) as Record<
		string,
		{ accessToken: string }
	>;
	return Object.values(map).map(({ accessToken }) => accessToken);
};
const forms = (secret: string) => [
	secret,
	Buffer.from(`demo-client:${secret}`).toString('base64'),
	encodeURIComponent(secret),
];

/** Runs the node in each error mode. Looks for the secrets in everything that is visible. */
async function expectNothing(
	store: CredentialStore,
	options: ChunkRunOptions,
	moreSecrets: string[] = [],
): Promise<void> {
	const modes = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
	const runs = await Promise.all(
		modes.map(
			async (onError) =>
				await chunk(startWorker({ speed: 20 }), store, { ...options, onError }),
		),
	);
	for (const { run, hints, error } of runs) {
		const seen = [allOf(run), JSON.stringify(run), allOf(hints), allOf(error), ...captured];
		const text = seen.join('\n');
		expect(text.length).toBeGreaterThan(1000);
		for (const secret of [...forms(SECRET), ...tokenIn(store), ...moreSecrets]) {
			expect(text.includes(secret)).toBe(false);
		}
		// A part of a token must not be visible either, for example in a truncated message.
		expect(text).not.toMatch(/eyJ[\w-]{20}/);
	}
}

describe('the secret and the tokens are never visible', () => {
	it('in a run that goes well', async () => {
		await expectNothing(newStore(), {
			parameters: { operation: 'submitAndWait', output: 'chunks' },
		});
		expect(sandbox.tokensIssued()).toBeGreaterThan(0);
		// If the log had not been captured, this test would prove nothing.
		expect(captured.join('\n')).toMatch(/Workflow execution started/);
	});

	const settings: Array<Partial<SandboxSettings>> = [
		{ tokenResponse: 'wrongType' },
		{ tokenResponse: 'html' },
		{ tokenResponse: 'pkce' },
	];
	it.each(settings)('when the token server responds with %j', async (change) => {
		Object.assign(sandbox.settings, change);
		await expectNothing(newStore(), {});
	});

	const faults: FaultRule[] = [
		{
			route: 'token',
			status: 401,
			body: `{"error":"invalid_client","error_description":"${SECRET}?"}`,
		},
		{
			route: 'token',
			status: 401,
			body: `{"error":"invalid_client","error_description":"Basic ${btoa(`demo-client:${SECRET}`)}"}`,
			contentType: 'application/json',
		},
		{ route: 'token', status: 400, body: `not ${SECRET}`, contentType: 'text/plain' },
		{ route: 'token', reset: 'midBody' },
		{ route: 'token', redirectTo: 'http://127.0.0.1:1/' },
		{ route: 'submit', status: 401 },
		{ route: 'submit', status: 500, html: true },
		{ route: 'submit', reset: 'beforeResponse' },
	];
	it.each(faults)('when the service fails: %j', async (fault) => {
		sandbox.faults.add(fault);
		await expectNothing(newStore(), { texts: 2 });
	});

	it('when the service repeats the token that it rejects', async () => {
		const store = newStore();
		await chunk(startWorker({ speed: 20 }), store);
		const [token] = tokenIn(store);
		for (const status of [400, 403, 500]) {
			const body = JSON.stringify({ message: `Not for ${SECRET} with Bearer ${token}!` });
			sandbox.faults.clear();
			sandbox.faults.add({ route: 'submit', status, body, contentType: 'application/json' });
			await expectNothing(store, { texts: 2 });
			const { error } = await chunk(startWorker({ speed: 20 }), store);
			expect(error?.message).toContain('Not for *** with Bearer ***!');
		}
	});

	it('when a wrong secret is refused', async () => {
		const store = newStore({ clientSecret: 'mistyped-secret' });
		await expectNothing(store, {}, forms('mistyped-secret'));
	});

	it.each([
		['nobody listens', { authUrl: 'http://127.0.0.1:1' }],
		['the AI service is down', { aiUrl: 'http://127.0.0.1:1' }],
	])('when %s', async (_case, changes) => {
		await expectNothing(newStore(changes), {});
	});

	it('when the run is stopped', async () => {
		sandbox.faults.add({ route: 'token', latencyMs: 100 });
		const cancelWhen = requestsArrived(sandbox, 1);
		await expectNothing(newStore(), { cancelWhen });
	});

	it('in any request except the token request', async () => {
		const store = newStore();
		await chunk(startWorker({ speed: 20 }), store);
		const [token] = tokenIn(store);
		for (const { path, query, body, route } of sandbox.requests) {
			const text = JSON.stringify([path, query, route === 'token' ? '' : body]);
			expect(text).not.toContain(SECRET);
			expect(text).not.toContain(token);
		}
	});
});
