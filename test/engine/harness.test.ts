/**
 * The test engine itself: what our nodes' tests rely on is proven here with small nodes, so that a
 * failing node test means a failing node.
 */
import type { ICredentialTestRequest, ICredentialType } from 'n8n-workflow';

import { CredentialStore, runNode, runPipeline, testCredential } from '../../support/engine';
import { reply, startServer, type TestServer } from '../../support/http-server';
import { doubleNode, fetchNode, GenericApi, SampleApi } from '../../support/sample-nodes';

const VALUE = '={{ $json.value }}';

describe('items', () => {
	it('evaluates expressions per item and pairs items', async () => {
		const { output, status } = await runNode({
			node: doubleNode(),
			parameters: { value: VALUE },
			items: [{ value: 1 }, { value: 2 }],
		});
		expect(status).toBe('success');
		expect(output).toEqual([
			{ json: { doubled: 2 }, pairedItem: { item: 0 } },
			{ json: { doubled: 4 }, pairedItem: { item: 1 } },
		]);
	});

	it('fills in defaults', async () => {
		const { output } = await runNode({ node: doubleNode() });
		expect(output[0].json).toEqual({ doubled: 14 });
	});

	it('chains nodes, each on the output of the one before', async () => {
		const [first, second] = await runPipeline(
			[
				{ node: doubleNode(), parameters: { value: VALUE } },
				{ node: doubleNode(), parameters: { value: '={{ $json.doubled }}' } },
			],
			[{ value: 1 }, { value: 5 }],
		);
		expect(first.output.map(({ json }) => json.doubled)).toEqual([2, 10]);
		expect(second.input).toEqual(first.output);
		expect(second.output.map(({ json }) => json.doubled)).toEqual([4, 20]);
	});

	it('shows whether a node changed its input', async () => {
		const items = () => [{ value: 1 }, { value: 2 }];
		const clean = await runNode({
			node: doubleNode(),
			parameters: { value: VALUE },
			items: items(),
		});
		expect(clean.input.map(({ json }) => json)).toEqual(items());
		const dirty = await runNode({
			node: doubleNode(),
			parameters: { value: VALUE, mutate: true },
			items: items(),
		});
		expect(dirty.input.map(({ json }) => json)).not.toEqual(items());
	});

	it('records hints', async () => {
		const { hints } = await runNode({ node: doubleNode() });
		expect(hints).toEqual([{ message: '1 items done', location: 'outputPane' }]);
	});
});

describe('errors', () => {
	const items = [{ value: 1 }, { value: -2 }, { value: 3 }];
	const parameters = { value: VALUE };

	it('stops the workflow', async () => {
		const [first, second] = await runPipeline(
			[{ node: doubleNode(), parameters }, { node: doubleNode() }],
			items,
		);
		expect(first.status).toBe('error');
		expect(first.error).toMatchObject({
			name: 'NodeOperationError',
			message: 'Value -2 is negative',
			context: { itemIndex: 1 },
		});
		expect(second.taskData).toBeUndefined();
	});

	it('continues with error items on the main output', async () => {
		const { status, output, errorOutput, error } = await runNode({
			node: doubleNode(),
			parameters,
			items,
			onError: 'continueRegularOutput',
		});
		expect(status).toBe('success');
		expect(error).toBeUndefined();
		expect(output.map(({ json }) => json)).toEqual([
			{ doubled: 2 },
			{ error: 'Value -2 is negative' },
			{ doubled: 6 },
		]);
		expect(errorOutput).toEqual([]);
	});

	it('routes error items to the error output, with the input item merged in', async () => {
		const { output, errorOutput } = await runNode({
			node: doubleNode(),
			parameters,
			items,
			onError: 'continueErrorOutput',
		});
		expect(output.map(({ json }) => json)).toEqual([{ doubled: 2 }, { doubled: 6 }]);
		expect(errorOutput).toHaveLength(1);
		expect(errorOutput[0].json).toEqual({ value: -2, error: 'Value -2 is negative' });
	});

	it('executes again with Retry On Fail', async () => {
		let tries = 0;
		const { error } = await runNode({
			node: doubleNode(() => (tries += 1)),
			parameters,
			items,
			retryOnFail: true,
			maxTries: 3,
			waitBetweenTries: 1,
		});
		expect(tries).toBe(3);
		expect(error?.message).toBe('Value -2 is negative');
	});

	it('executes again with Retry On Fail if the first item has a field named error', async () => {
		let tries = 0;
		await runNode({
			node: doubleNode(() => (tries += 1)),
			parameters,
			items: [{ value: -1 }],
			onError: 'continueRegularOutput',
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 1,
		});
		expect(tries).toBe(2);
	});
});

describe('credentials', () => {
	let server: TestServer;
	let issued = 0;
	let accepted: (authorization: string | undefined) => boolean;

	beforeEach(async () => {
		issued = 0;
		accepted = () => true;
		server = await startServer((request, response) => {
			if (request.url === '/token') {
				issued += 1;
				return reply(response, 200, { token: `t${issued}` });
			}
			if (request.url === '/slow') return;
			if (request.url.startsWith('/test/')) {
				if (request.url === '/test/closed') return reply(response, 403, {});
				const state = request.url === '/test/locked' ? 'locked' : 'open';
				return reply(response, 200, { status: { state } });
			}
			const { authorization } = request.headers;
			if (!accepted(authorization)) return reply(response, 401, { message: 'no' });
			return reply(response, 200, { seen: authorization ?? null });
		});
	});
	afterEach(async () => await server.close());

	const credentialTypes = (): Record<string, ICredentialType> => ({ sampleApi: new SampleApi() });

	it('fetches a token when the expirable field is empty and persists only that', async () => {
		const store = new CredentialStore({ sampleApi: { url: server.url } });
		const options = {
			node: fetchNode(),
			parameters: { url: `${server.url}/a` },
			store,
			credentialTypes: credentialTypes(),
		};
		const first = await runNode(options);
		expect(first.output[0].json).toEqual({ seen: 'Bearer t1' });
		expect(store.updates).toEqual([{ type: 'sampleApi', data: { token: 't1' } }]);
		// The default of Region was filled in for the run, but is not written.
		expect(store.get('sampleApi')).toEqual({ url: server.url, token: 't1' });

		const second = await runNode(options);
		expect(second.output[0].json).toEqual({ seen: 'Bearer t1' });
		expect(store.preAuthentications).toBe(1);
		expect(store.decryptions).toBe(2);
	});

	it('reads the store again for every request', async () => {
		const store = new CredentialStore({ sampleApi: { url: server.url, token: 'old' } });
		store.onDecrypt = () => {
			if (store.decryptions === 2) store.set('sampleApi', { token: 'new' });
		};
		const { output } = await runNode({
			node: fetchNode(),
			parameters: { url: `${server.url}/a` },
			items: [{}, {}],
			store,
			credentialTypes: credentialTypes(),
		});
		expect(output.map(({ json }) => json.seen)).toEqual(['Bearer old', 'Bearer new']);
	});

	it('renews the token after a 401, once', async () => {
		accepted = (authorization) => authorization === 'Bearer t1';
		const store = new CredentialStore({ sampleApi: { url: server.url, token: 'stale' } });
		const { output } = await runNode({
			node: fetchNode(),
			parameters: { url: `${server.url}/a` },
			store,
			credentialTypes: credentialTypes(),
		});
		expect(output[0].json).toEqual({ seen: 'Bearer t1' });
		expect(server.requests.map(({ url }) => url)).toEqual(['/a', '/token', '/a']);

		accepted = () => false;
		const { error } = await runNode({
			node: fetchNode(),
			parameters: { url: `${server.url}/a` },
			store,
			credentialTypes: credentialTypes(),
		});
		expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '401' });
	});

	it('keeps preAuthentication within the domains the credential allows', async () => {
		const { error } = await runNode({
			node: fetchNode(),
			parameters: { url: `${server.url}/a` },
			credentials: {
				sampleApi: {
					url: server.url,
					allowedHttpRequestDomains: 'domains',
					allowedDomains: 'example.com',
				},
			},
			credentialTypes: credentialTypes(),
		});
		expect(error?.name).toBe('NodeApiError');
		expect(server.requests).toEqual([]);
	});

	it('signs declaratively, expressions resolved', async () => {
		await runNode({
			node: fetchNode(),
			parameters: { url: `${server.url}/a` },
			credentials: { sampleApi: { key: 'abc' } },
			credentialTypes: { sampleApi: new GenericApi() },
		});
		const [{ url, headers }] = server.requests;
		expect(url).toBe('/a?key=ABC');
		expect(headers).toMatchObject({ 'x-key': 'abc', 'x-fixed': 'fixed' });
	});

	it('cancels a request in flight', async () => {
		const started = Date.now();
		const { status, output } = await runNode({
			node: fetchNode(),
			parameters: { url: `${server.url}/slow` },
			credentials: { sampleApi: { url: server.url, token: 't' } },
			credentialTypes: credentialTypes(),
			cancelWhen: server.arrived(1),
		});
		expect(status).toBe('canceled');
		expect(output).toEqual([]);
		expect(Date.now() - started).toBeLessThan(5000);
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(server.requests[0].aborted).toBe(true);
	});

	it('cancels after a time', async () => {
		const { status } = await runNode({
			node: fetchNode(),
			parameters: { url: `${server.url}/slow` },
			credentials: { sampleApi: { url: server.url, token: 't' } },
			credentialTypes: credentialTypes(),
			cancelAfterMs: 100,
		});
		expect(status).toBe('canceled');
	});

	it('tests a credential with the class and its rules', async () => {
		const type = new SampleApi();
		const good = await testCredential(type, { url: server.url });
		expect(good).toMatchObject({ ok: true, message: 'Connection successful!' });
		expect(server.requests.map(({ url }) => url)).toEqual(['/token', '/test/north']);
		expect(server.requests[1].headers.authorization).toBe('Bearer t1');
		expect(good.store.get('sampleApi').token).toBe('t1');

		const closed = await testCredential(type, { url: server.url, region: 'closed' });
		expect(closed).toMatchObject({ ok: false, message: 'The key may not read this region' });
		const { request } = type.test as ICredentialTestRequest;
		type.test = {
			request,
			rules: [
				{
					type: 'responseSuccessBody',
					properties: {
						key: 'status.state',
						value: 'locked',
						message: 'The account is locked',
					},
				},
			],
		};
		const locked = await testCredential(type, { url: server.url, region: 'locked' });
		expect(locked).toMatchObject({ ok: false, message: 'The account is locked' });
	});

	it('tests with the stored token, as n8n does', async () => {
		await testCredential(new SampleApi(), { url: server.url, token: 'kept' });
		expect(issued).toBe(0);
		expect(server.requests[0].headers.authorization).toBe('Bearer kept');
	});

	it('says why a test could not reach the service', async () => {
		const { url } = server;
		await server.close();
		const { ok, message } = await testCredential(new SampleApi(), { url, token: 'kept' });
		expect(ok).toBe(false);
		expect(message).toMatch(/ECONNREFUSED/);
	});
});
