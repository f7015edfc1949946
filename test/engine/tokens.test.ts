/**
 * Tests access tokens (ARCHITECTURE.md, Tokens). A worker represents one n8n process. Workers that share a credential
 * store represent processes that share a database.
 */
import { setTimeout as delay } from 'node:timers/promises';

import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

import { parseClient } from '../../nodes/shared/service/tokens/token';
import { submitAction } from '../../nodes/shared/service/outcome-messages';
import { startSandbox, type RouteName, type Sandbox } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
import { CredentialStore, runNode, type RunResult } from '../../support/engine';
import { eventually } from '../../support/eventually';
import { requestsArrived, shown } from '../../support/sandbox';
import { PREDICT, requestToken } from '../../support/sandbox-client';
import { chunk, startWorker, type Worker } from '../../support/worker';
import { naming, notDone } from '../../support/wording';

const TYPE = 'lucidworksAiOAuth2Api';

interface StoredToken {
	accessToken: string;
	expiresAt: number;
	renewAt: number;
}

let sandbox: Sandbox;
/** The number of milliseconds by which the clocks of this process and of the sandbox are ahead of real time. */
let ahead = 0;

beforeAll(async () => {
	sandbox = await startSandbox({
		clients: [
			{ id: 'demo-client', secret: 'demo-secret' },
			{ id: 'demo-client', secret: 'new-secret' },
			{ id: 'other-client', secret: 'demo-secret' },
			{ id: 'poor-client', secret: 'demo-secret', scopes: ['merchandising.rules'] },
		],
	});
	const now = Date.now.bind(Date);
	jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
});
beforeEach(() => {
	sandbox.reset();
	Object.assign(sandbox.settings, {
		revokePreviousTokens: false,
		tokenResponse: 'normal',
	});
	ahead = 0;
});
afterAll(async () => {
	jest.restoreAllMocks();
	await sandbox.close();
});

const newStore = (changes = {}) => {
	const credentials = sandboxCredentials(sandbox);
	return new CredentialStore({ [TYPE]: { ...credentials[TYPE], ...changes } });
};
const storedTokens = (store: CredentialStore) =>
	JSON.parse(String(store.get(TYPE).accessTokens)) as Record<string, StoredToken>;
const requestsTo = (route: RouteName) => sandbox.requests.filter((each) => each.route === route);
const succeeded = ({ output, error }: RunResult) => {
	expect(error).toBeUndefined();
	expect(output.filter(({ json }) => 'error' in json)).toEqual([]);
	return output.length;
};
const seen = async (route: RouteName, times: number) =>
	await requestsArrived(sandbox, times, route);

describe('a credential without a token', () => {
	it('issues one token for 16 concurrent requests and stores it once', async () => {
		const store = newStore();
		sandbox.faults.add({ route: 'token', latencyMs: 50 });
		const result = await chunk(startWorker(), store, { texts: 16, concurrency: 16 });
		expect(succeeded(result)).toBe(16);
		expect(sandbox.tokensIssued()).toBe(1);
		expect(requestsTo('token')).toHaveLength(1);
		expect(store.updates).toHaveLength(1);
		expect(sandbox.stats().unauthorized).toBe(0);
	});

	it('stores the token, and nothing else, for later executions and other workers', async () => {
		const store = newStore();
		const before = store.get(TYPE);
		const worker = startWorker();
		succeeded(await chunk(worker, store));
		const { accessTokens, ...rest } = store.get(TYPE);
		expect(rest).toEqual(before);
		expect(Object.keys(JSON.parse(String(accessTokens)) as object)).toEqual([PREDICT]);

		const { decryptions } = store;
		succeeded(await chunk(worker, store, { texts: 8 }));
		succeeded(await chunk(startWorker(), store, { texts: 8 }));
		expect(sandbox.tokensIssued()).toBe(1);
		// Each execution reads the credential only once, regardless of the number of requests.
		expect(store.decryptions - decryptions).toBe(2);
	});

	it('stores the token even if the run that requested it has stopped waiting', async () => {
		sandbox.faults.add({ route: 'token', latencyMs: 300, times: 1 });
		const store = newStore();
		const worker = startWorker();
		const { status } = await chunk(worker, store, { cancelWhen: seen('token', 1) });
		expect(status).toBe('canceled');
		await eventually(
			() => store.updates.length > 0,
			() => shown(sandbox),
		);
		for (let run = 1; run <= 2; run++) succeeded(await chunk(worker, store));
		expect(store.updates).toHaveLength(1);
		expect(Object.keys(storedTokens(store))).toEqual([PREDICT]);
		expect(sandbox.tokensIssued()).toBe(1);
		// The canceled run did not send its submission.
		expect(requestsTo('submit')).toHaveLength(2);
	});
});

describe('a token that is about to expire', () => {
	it.each([
		['one worker', false],
		['another worker, which knows it from the store only', true],
	])('is renewed before use, once: %s', async (_case, isAnother) => {
		const store = newStore();
		const first = startWorker();
		succeeded(await chunk(first, store));
		const next = () => (isAnother ? startWorker() : first);

		ahead = 3200_000;
		succeeded(await chunk(next(), store, { texts: 8, concurrency: 8 }));
		expect(sandbox.tokensIssued()).toBe(1);

		ahead = 3310_000;
		succeeded(await chunk(next(), store, { texts: 8, concurrency: 8 }));
		expect(sandbox.tokensIssued()).toBe(2);
		expect(sandbox.stats().unauthorized).toBe(0);
	});

	it('is renewed in the middle of a run', async () => {
		sandbox.faults.add({ route: 'submit', latencyMs: 20 });
		const run = chunk(startWorker(), newStore(), { texts: 24 });
		await seen('submit', 8);
		ahead = 3400_000;
		expect(succeeded(await run)).toBe(24);
		expect(sandbox.tokensIssued()).toBe(2);
		expect(sandbox.stats().unauthorized).toBe(0);
	});

	it('is not renewed if another worker has done so during the run', async () => {
		sandbox.faults.add({ route: 'submit', latencyMs: 20 });
		const store = newStore();
		const run = chunk(startWorker(), store, { texts: 24 });
		await seen('submit', 8);
		ahead = 3200_000;
		await renewElsewhere(store);
		ahead = 3400_000;
		expect(succeeded(await run)).toBe(24);
		expect(sandbox.tokensIssued()).toBe(2);
		expect(sandbox.stats().unauthorized).toBe(0);
	});

	describe('that cannot be renewed', () => {
		it.each([
			['the token server is down', { status: 503 }],
			['the connection breaks', { reset: 'beforeResponse' as const }],
			['a proxy answers', { html: true }],
		])('is used on: %s', async (_case, fault) => {
			const store = newStore();
			const worker = startWorker();
			succeeded(await chunk(worker, store));
			sandbox.faults.add({ route: 'token', ...fault });
			ahead = 3400_000;
			const result = await chunk(worker, store, { texts: 16, concurrency: 8 });
			expect(succeeded(result)).toBe(16);
			// The run tried to renew the token once in total, not once per request.
			expect(requestsTo('token')).toHaveLength(2);

			sandbox.faults.clear();
			ahead += 31_000;
			succeeded(await chunk(worker, store));
			expect(sandbox.tokensIssued()).toBe(2);
		});

		it('is not stored over one that another worker has stored meanwhile', async () => {
			const store = newStore();
			const worker = startWorker();
			succeeded(await chunk(worker, store));
			ahead = 3400_000;
			sandbox.faults.add({ route: 'token', status: 503, latencyMs: 400, times: 1 });
			const run = chunk(worker, store);
			await seen('token', 2);
			await renewElsewhere(store);
			const newer = storedTokens(store);
			expect(succeeded(await run)).toBe(1);
			expect(sandbox.tokensIssued()).toBe(2);
			expect(storedTokens(store)).toEqual(newer);
		});
	});
});

/** Starts another worker, which requests and stores a new token. The new token revokes the previous one. */
async function renewElsewhere(store: CredentialStore): Promise<void> {
	const own = new CredentialStore({ [TYPE]: { ...store.get(TYPE), accessTokens: '' } });
	const replace = own.replace.bind(own);
	own.replace = (type, data) => {
		replace(type, data);
		store.set(type, { accessTokens: data.accessTokens });
	};
	succeeded(await chunk(startWorker(), own));
}

describe('a 401 in the middle of a run', () => {
	beforeEach(() => {
		sandbox.settings.revokePreviousTokens = true;
		sandbox.faults.add({ route: 'submit', latencyMs: 20 });
	});

	it("adopts another worker's newer token without issuing one", async () => {
		const store = newStore();
		const run = chunk(startWorker(), store, { texts: 24, concurrency: 4 });
		await seen('submit', 8);
		const { preAuthentications } = store;
		await renewElsewhere(store);
		expect(succeeded(await run)).toBe(24);
		expect(sandbox.tokensIssued()).toBe(2);
		expect(store.preAuthentications).toBe(preAuthentications);
		const { unauthorized } = sandbox.stats();
		expect(unauthorized).toBeGreaterThan(0);
		expect(unauthorized).toBeLessThanOrEqual(4);
	});

	it('renews once if no other worker has stored a newer one', async () => {
		const store = newStore();
		const run = chunk(startWorker({ speed: 20 }), store, { texts: 24, concurrency: 4 });
		await seen('submit', 8);
		// A program outside n8n requests a token. The new token revokes the run's token.
		await requestToken(sandbox);
		expect(succeeded(await run)).toBe(24);
		expect(sandbox.tokensIssued()).toBe(3);
		expect(sandbox.stats().unauthorized).toBeGreaterThan(0);
		expect(sandbox.stats().unauthorized).toBeLessThanOrEqual(4);
	});

	it('ends the run after a few renewals if every token is refused', async () => {
		sandbox.faults.add({ route: 'submit', status: 401 });
		const worker = startWorker({ speed: 20 });
		const result = await chunk(worker, newStore(), { texts: 24, concurrency: 8 });
		expect(result.error?.message).toContain('401');
		expect(result.error?.description).toMatch(/'AI Service URL' in the credential and 'Scope'/);
		expect(sandbox.tokensIssued()).toBeGreaterThan(1);
		expect(sandbox.tokensIssued()).toBeLessThanOrEqual(6);
	});
});

describe('two workers, where a new token revokes the previous one', () => {
	it('end with one token: five executions each', async () => {
		sandbox.settings.revokePreviousTokens = true;
		sandbox.faults.add({ route: 'token', latencyMs: 30 });
		sandbox.faults.add({ route: 'submit', latencyMs: 5 });
		const store = newStore();
		let decryptions = 0;
		store.onDecrypt = async () => await delay(1 + (decryptions++ % 5));
		const workers = [startWorker(), startWorker()];
		const runs = workers.flatMap((worker) =>
			Array.from({ length: 5 }, async () => await chunk(worker, store, { texts: 12 })),
		);
		for (const run of await Promise.all(runs)) expect(succeeded(run)).toBe(12);
		expect(sandbox.tokensIssued()).toBeLessThanOrEqual(workers.length + 2);
	});
});

describe('three executions, where a new token revokes the previous one', () => {
	it.each([
		['of one worker', 1, 1, 20],
		// Each worker pauses for a different time, so that the others can store a new token meanwhile. A high speed
		// would shorten these times too much.
		['of three workers', 3, 4, 1],
	])('%s request few tokens', async (_case, workerCount, mostAtStart, speed) => {
		sandbox.settings.revokePreviousTokens = true;
		sandbox.faults.add({ route: 'token', latencyMs: 30 });
		sandbox.faults.add({ route: 'submit', latencyMs: 20 });
		const store = newStore();
		const workers = Array.from({ length: workerCount }, () => startWorker({ speed }));
		const runs = [0, 1, 2].map(async (at) => {
			const worker = workers[at % workerCount] as Worker;
			return await chunk(worker, store, { texts: 40, concurrency: 4 });
		});
		// A program outside n8n revokes the token twice.
		for (const submissions of [30, 80]) {
			await seen('submit', submissions);
			await requestToken(sandbox);
		}
		for (const run of await Promise.all(runs)) expect(succeeded(run)).toBe(40);
		const ofRival = 2;
		const own = sandbox.tokensIssued() - ofRival;
		expect(own).toBeLessThanOrEqual(mostAtStart + ofRival);
	});
});

describe('another program that keeps requesting tokens', () => {
	it('ends the run: texts fail with the reason, and a hint names the cause', async () => {
		sandbox.settings.revokePreviousTokens = true;
		sandbox.faults.add({ route: 'submit', latencyMs: 100 });
		let isOver = false;
		const rival = async () => {
			while (!isOver) {
				await requestToken(sandbox);
				await delay(20);
			}
		};
		const renewing = rival();
		const worker = startWorker({ speed: 20 });
		const onError = 'continueRegularOutput' as const;
		const result = await chunk(worker, newStore(), { texts: 60, onError });
		isOver = true;
		await renewing;
		const failed = result.output.filter(({ json }) => 'error' in json);
		expect(result.output).toHaveLength(60);
		expect(failed.length).toBeGreaterThan(30);
		for (const { json } of failed)
			expect(json.error).toEqual(naming(401, notDone(submitAction())));
		expect(result.hints.map(({ message }) => message)).toContainEqual(
			expect.stringMatching(/^The AI service rejected several access tokens in a row/),
		);
	});
});

describe('two scopes in one credential', () => {
	const BOTH = 'machinelearning.predict machinelearning.model';
	const scopes = [{ scope: PREDICT }, { scope: 'custom', customScope: BOTH }];

	it('keep two tokens if two runs of a worker request one each at the same time', async () => {
		sandbox.faults.add({ route: 'token', latencyMs: 20 });
		const store = newStore();
		const worker = startWorker();
		const run = async (on: Worker) =>
			await Promise.all(
				scopes.map(async (parameters) => succeeded(await chunk(on, store, { parameters }))),
			);
		await run(worker);
		expect(Object.keys(storedTokens(store)).sort()).toEqual([PREDICT, BOTH].sort());
		await run(startWorker());
		expect(sandbox.tokensIssued()).toBe(2);
	});

	it('leave the scope of the credential unchanged, even if n8n stores all data of a request', async () => {
		const store = newStore({ scope: 'merchandising.rules' });
		store.storesAll = true;
		succeeded(await chunk(startWorker(), store));
		expect(Object.keys(storedTokens(store))).toEqual([PREDICT]);
		expect(store.get(TYPE)).toMatchObject({ scope: 'merchandising.rules' });
		expect(store.get(TYPE)).not.toHaveProperty('customScope');
	});

	it('keep the token of a node when the HTTP Request node uses the scope of the credential', async () => {
		const store = newStore({ scope: 'merchandising.rules' });
		const worker = startWorker();
		succeeded(await chunk(worker, store));
		for (let time = 1; time <= 2; time++) {
			const url = `${sandbox.url}/em-rules/rules`;
			succeeded(
				await runNode({ ...worker, node: requestNode(), parameters: { url }, store }),
			);
		}
		succeeded(await chunk(startWorker(), store));
		expect(sandbox.tokensIssued(PREDICT)).toBe(1);
		expect(sandbox.tokensIssued('merchandising.rules')).toBe(1);
	});

	it('are replaced in a request of the HTTP Request node that the service has refused', async () => {
		const store = newStore({ scope: 'merchandising.rules' });
		const worker = startWorker();
		const url = `${sandbox.url}/em-rules/rules`;
		const request = async () =>
			await runNode({ ...worker, node: requestNode(), parameters: { url }, store });
		sandbox.settings.revokePreviousTokens = true;
		succeeded(await request());
		// A program outside n8n requests a token. The new token revokes the worker's token.
		await requestToken(sandbox, 'merchandising.rules');
		succeeded(await request());
		const sent = sandbox.requests.filter(({ route }) => route === 'rules');
		expect(sent.map(({ status }) => status)).toEqual([200, 401, 200]);
	});
});

/** Returns a node that uses a credential in the same way as the HTTP Request node. */
function requestNode(): INodeType {
	return {
		description: {
			displayName: 'Request',
			name: 'request',
			group: ['input'],
			version: 1,
			description: 'Sends one signed GET',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			credentials: [{ name: TYPE, required: true }],
			properties: [{ displayName: 'URL', name: 'url', type: 'string', default: '' }],
		},
		async execute(this: IExecuteFunctions) {
			const url = this.getNodeParameter('url', 0) as string;
			await this.helpers.httpRequestWithAuthentication.call(this, TYPE, { url });
			return [[{ json: {} }]];
		},
	};
}

describe('a credential that a person has edited', () => {
	it.each([
		['Client ID', { clientId: 'other-client' }],
		['Client Secret', { clientSecret: 'new-secret' }],
		['Token Server URL', { authUrl: 'localhost' }],
	])('never reuses the token of the previous %s', async (_label, changes) => {
		const local = Object.fromEntries(
			Object.entries(changes).map(([field, value]) => [
				field,
				value === 'localhost'
					? String(newStore().get(TYPE)[field]).replace('127.0.0.1', 'localhost')
					: value,
			]),
		);
		const store = newStore();
		const worker = startWorker();
		succeeded(await chunk(worker, store));
		// n8n keeps the hidden field that contains the tokens.
		store.set(TYPE, local);
		expect(storedTokens(store)[PREDICT]).toBeDefined();
		succeeded(await chunk(worker, store));
		expect(sandbox.tokensIssued()).toBe(2);

		succeeded(await chunk(startWorker(), store));
		expect(sandbox.tokensIssued()).toBe(2);
	});

	it('keeps its tokens for another AI Service URL: they belong to the client', async () => {
		const store = newStore();
		const worker = startWorker();
		succeeded(await chunk(worker, store));
		store.set(TYPE, { aiUrl: String(store.get(TYPE).aiUrl).replace('127.0.0.1', 'localhost') });
		succeeded(await chunk(worker, store));
		succeeded(await chunk(startWorker(), store));
		expect(sandbox.tokensIssued()).toBe(1);
	});

	it.each([
		['needs a new token', 3400_000],
		['finds its token revoked', 0],
	])('during a run changes neither client nor URL of that run, which %s', async (_case, ms) => {
		sandbox.settings.revokePreviousTokens = ms === 0;
		sandbox.faults.add({ route: 'submit', latencyMs: 40 });
		const elsewhere = await startSandbox();
		const store = newStore();
		const run = chunk(startWorker({ speed: 20 }), store, { texts: 24 });
		await seen('submit', 8);
		// The editor saves only the fields that a person has changed, so the hidden field remains unchanged.
		const edited = {
			clientId: 'other-client',
			aiUrl: elsewhere.url,
			customScope: 'kept by the edit',
		};
		const asked = requestsTo('token').length;
		await requestToken(sandbox);
		store.set(TYPE, edited);
		ahead = ms;
		expect(succeeded(await run)).toBe(24);
		await elsewhere.close();

		expect(elsewhere.requests).toEqual([]);
		const used = requestsTo('token').slice(asked).length;
		expect(used).toBeGreaterThan(1);
		expect(sandbox.tokensIssued()).toBeGreaterThan(2);
		// The tokens that the run obtained are not stored for the new client.
		expect(store.get(TYPE)).toMatchObject(edited);
		const { issuedFor } = storedTokens(store)[PREDICT] as unknown as { issuedFor: string };
		expect(issuedFor).toBe(parseClient(newStore().get(TYPE)).identity);
	});

	it.each([
		['Client Secret', { clientSecret: 'mistyped' }, /invalid_client/],
		['Authorization Server ID', { authorizationServerId: 'other' }, /status 404/],
	])('fails with a wrong %s, whatever token is stored', async (_label, changes, message) => {
		const store = newStore();
		const worker = startWorker();
		succeeded(await chunk(worker, store));
		store.set(TYPE, changes);
		const { error } = await chunk(worker, store);
		expect(error?.message).toMatch(message);
		expect(requestsTo('submit')).toHaveLength(1);
	});
});
