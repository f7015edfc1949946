/**
 * The built package on the engine of n8n 1.123: `npm run build`, then `npm run test:old-n8n`. Apart
 * from `npm test`, because it installs that engine (240 MB) first.
 */
import { DEMO, startSandbox, type Sandbox } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
import { CredentialStore } from '../../support/credential-store';
import { startServer } from '../../support/http-server';
import {
	startOldEngine,
	type OldEngine,
	type OldNode,
	type OldRun,
} from '../../support/old-engine';

const TYPE = 'aiServiceOAuth2Api';
const SECRET = 'demo-secret';

let engine: OldEngine;
let sandbox: Sandbox;
let client = -1;

beforeAll(async () => {
	engine = await startOldEngine();
	const clients = Array.from({ length: 20 }, (_, id) => ({ id: `client-${id}`, secret: SECRET }));
	sandbox = await startSandbox({ clients, settings: { revokePreviousTokens: true } });
});
beforeEach(() => {
	sandbox.reset();
	// The package keeps tokens of a client in memory: each test has a client of its own.
	client += 1;
});
afterAll(async () => {
	await sandbox.close();
	engine.close();
});

const newStore = () => {
	const credentials = sandboxCredentials(sandbox);
	Object.assign(credentials[TYPE], { clientId: `client-${client}`, clientSecret: SECRET });
	return new CredentialStore(credentials);
};
const texts = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		id: `doc-${index}`,
		name: `Document ${index}`,
		text: `One sentence of ${index}. Another one.`,
	}));
const chunkText = (operation: string, options = {}, parameters = {}): OldNode => ({
	name: 'chunkText',
	parameters: {
		operation,
		text: '={{ $json.text }}',
		modelId: 'gte-small',
		chunker: 'sentence',
		chunkerSettings: { chunkSize: 1 },
		options: { textsPerRequest: 1, ...options },
		...parameters,
	},
});
const succeeded = ({ output, error }: OldRun) => {
	expect(error).toBeUndefined();
	expect(output.filter(({ json }) => 'error' in json)).toEqual([]);
	return output.length;
};
const submissions = () => sandbox.requests.filter(({ route }) => route === 'submit').length;
const submitted = async (times: number) => {
	while (submissions() < times) await new Promise((done) => setTimeout(done, 5));
};

describe('the built package on the engine of n8n 1.123', () => {
	it('is loaded by it', () => {
		expect(engine.versions).toEqual({ core: '1.122.48', workflow: '1.120.31' });
		expect(engine.nodeNames.sort()).toEqual([
			'chunkText',
			'deleteDocument',
			'migrateBlobs',
			'pushDocuments',
		]);
		expect(Object.keys(engine.credentialTypes)).toHaveLength(3);
	});

	it('chunks, pushes and deletes, with one token for a cold credential', async () => {
		const store = newStore();
		const pushed = await engine.run(
			[
				chunkText('submitAndWait', { concurrency: 16 }, { output: 'documents' }),
				{ name: 'pushDocuments', parameters: {} },
			],
			texts(16),
			store,
		);
		expect(pushed.error).toBeUndefined();
		expect(sandbox.documents(DEMO.endpoint)).toHaveLength(32);
		expect(sandbox.tokensIssued()).toBe(1);
		expect(sandbox.stats().unauthorized).toBe(0);

		const deleted = await engine.run(
			[{ name: 'deleteDocument', parameters: { documentId: '={{ $json.id }}' } }],
			[{ id: 'doc-0#0' }, { id: 'doc-0#1' }],
			store,
		);
		succeeded(deleted);
		sandbox.commit();
		expect(sandbox.documents(DEMO.endpoint)).toHaveLength(30);
	});

	it('reuses the stored token', async () => {
		const store = newStore();
		succeeded(await engine.run([chunkText('submit')], texts(1), store));
		const { preAuthentications } = store;
		succeeded(await engine.run([chunkText('submit')], texts(8), store));
		expect(store.preAuthentications).toBe(preAuthentications);
		expect(sandbox.tokensIssued()).toBe(1);
	});

	it('stores nothing but the fields of the credential, though n8n 1.123 stores all it is given', async () => {
		const store = newStore();
		succeeded(await engine.run([chunkText('submit')], texts(2), store));
		await stealToken();
		succeeded(await engine.run([chunkText('submit')], texts(2), store));
		const known = engine.credentialTypes[TYPE].properties.map(({ name }) => name);
		expect(known).toEqual(expect.arrayContaining(Object.keys(store.get(TYPE))));
		expect(sandbox.tokensIssued()).toBe(3);
	});

	it('recovers from a token that is revoked in the middle of a run', async () => {
		sandbox.faults.add({ route: 'submit', latencyMs: 20 });
		const store = newStore();
		const run = engine.run([chunkText('submit')], texts(24), store);
		await submitted(8);
		await stealToken();
		expect(succeeded(await run)).toBe(24);
		expect(sandbox.tokensIssued()).toBe(3);
		const { unauthorized } = sandbox.stats();
		expect(unauthorized).toBeGreaterThan(0);
		// No more than were in flight: as many as the default concurrency allows.
		expect(unauthorized).toBeLessThanOrEqual(8);
	});

	it('shows hints, which this engine has, and does without where one has none', async () => {
		sandbox.settings.chunkDelayMs = 60_000;
		const options = { maxWaitSeconds: 1, whenTimeRunsOut: 'output' };
		const node = chunkText('submitAndWait', options);
		const { run, output } = await engine.run([node], texts(1), newStore());
		expect(output).toMatchObject([{ json: { status: 'SUBMITTED' } }]);
		expect(hintsOf(run)).toMatch(/1 text not finished\. /);

		engine.setHints(false);
		const without = await engine.run([node], texts(1), newStore());
		engine.setHints(true);
		sandbox.settings.chunkDelayMs = 0;
		succeeded(without);
		expect(hintsOf(without.run)).toBe('[]');
	});

	it('can be stopped while it waits for chunks', async () => {
		sandbox.settings.chunkDelayMs = 60_000;
		const startedAt = Date.now();
		const run = engine.run([chunkText('submitAndWait')], texts(2), newStore(), {
			cancelWhen: submitted(2),
		});
		const { run: whole } = await run;
		sandbox.settings.chunkDelayMs = 0;
		expect(whole.status).toBe('canceled');
		expect(Date.now() - startedAt).toBeLessThan(5_000);
		const polls = sandbox.requests.length;
		await new Promise((done) => setTimeout(done, 1_200));
		expect(sandbox.requests.length - polls).toBeLessThanOrEqual(2);
	});

	it('closes a response that stops in the middle, and polls again', async () => {
		const body = JSON.stringify({
			status: 'READY',
			chunkedData: [{ chunks: ['a', 'b'], vectors: [[1, 2], [3]] }],
		});
		const server = await startServer((_request, response) => {
			response.writeHead(200).write(body.slice(0, -12));
			if (server.requests.length > 1) response.end(body.slice(-12));
		});
		const store = newStore();
		store.set(TYPE, { aiUrl: server.url });
		const parameters = { chunkingId: 'c1', wait: true, output: 'chunks', vectors: 'list' };
		const run = await engine.run(
			[chunkText('getResults', { timeoutSeconds: 1 }, parameters)],
			[{}],
			store,
		);
		expect(run.output.map(({ json }) => json.vector)).toEqual([[1, 2], [3]]);
		expect(server.requests.map(({ aborted }) => aborted)).toEqual([true, false]);
		await server.close();
	});

	it('waits with a sleep that cannot be ended early', async () => {
		// What n8n-workflow got later: the second argument of sleep.
		expect(engine.workflow.sleep.length).toBe(1);
		sandbox.settings.chunkDelayMs = 700;
		const run = await engine.run([chunkText('submitAndWait')], texts(2), newStore());
		sandbox.settings.chunkDelayMs = 0;
		expect(succeeded(run)).toBe(4);
		sandbox.faults.add({ route: 'submit', status: 429, times: 1 });
		succeeded(await engine.run([chunkText('submit')], texts(1), newStore()));
	});

	it('fails with the same clear errors', async () => {
		const store = newStore();
		store.set(TYPE, { clientSecret: 'mistyped-secret' });
		const { error, run } = await engine.run([chunkText('submit')], texts(1), store);
		expect(error?.message).toMatch(/refused to issue a token .* status 401 \(invalid_client\)/);
		expect(error?.description).toMatch(/'Client ID' and 'Client Secret'/);
		expect(JSON.stringify(run)).not.toContain('mistyped-secret');

		store.set(TYPE, { clientSecret: SECRET, aiUrl: 'http://127.0.0.1:1' });
		const down = await engine.run([chunkText('submit', { maxAttempts: 1 })], texts(1), store);
		expect(down.error?.message).toMatch(/could not be reached: the connection was refused/);
	});

	it('asks a busy token server again', async () => {
		sandbox.faults.add({ route: 'token', status: 503, times: 1 });
		succeeded(await engine.run([chunkText('submit')], texts(1), newStore()));
	});

	it('migrates blobs', async () => {
		const { error } = await engine.run(
			[{ name: 'migrateBlobs', parameters: { confirm: true } }],
			[{ id: 'one' }],
			newStore(),
		);
		expect(error).toBeUndefined();
		expect(sandbox.requests.at(-1)).toMatchObject({ method: 'PUT', status: 200 });
	});
});

const hintsOf = ({ data }: OldRun['run']) =>
	JSON.stringify(Object.values(data.resultData.runData).flatMap(([task]) => task.hints ?? []));

/** A program beside n8n gets a token, which kills the one n8n has stored. */
async function stealToken(): Promise<void> {
	const { authUrl } = sandbox.urls;
	const query = 'scope=machinelearning.predict&grant_type=client_credentials';
	const basic = Buffer.from(`client-${client}:${SECRET}`).toString('base64');
	const { status } = await fetch(`${authUrl}/oauth2/${DEMO.authServerId}/v1/token?${query}`, {
		method: 'POST',
		headers: {
			Authorization: `Basic ${basic}`,
			'Cache-Control': 'no-cache',
			Accept: 'application/json',
			'Content-Type': 'application/x-www-form-urlencoded',
		},
	});
	expect(status).toBe(200);
}
