/**
 * Tests the nodes with a proxy between n8n and the services. The proxy is set in the environment variables that n8n
 * itself reads.
 */
import type { INodeParameters, INodeType } from 'n8n-workflow';

import { LucidworksAiOAuth2Api } from '../../credentials/LucidworksAiOAuth2Api.credentials';
import { LucidworksBlobApi } from '../../credentials/LucidworksBlobApi.credentials';
import { LucidworksPushApi } from '../../credentials/LucidworksPushApi.credentials';
import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { chunkNode } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import { runNode, testCredential } from '../../support/engine';
import { startForwardProxy, type ForwardProxy } from '../../support/forward-proxy';
import { useSandbox, useShortBackoff } from '../../support/sandbox';

const sandbox = useSandbox();
useShortBackoff();

const proxies: ForwardProxy[] = [];
const useProxy = async (login?: string): Promise<ForwardProxy> => {
	const proxy = await startForwardProxy(login);
	proxies.push(proxy);
	const url = login === undefined ? proxy.url : proxy.url.replace('//', `//${login}@`);
	process.env.HTTP_PROXY = process.env.HTTPS_PROXY = url;
	return proxy;
};
afterEach(async () => {
	for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) delete process.env[name];
	for (const proxy of proxies.splice(0)) await proxy.close();
});

const run = async (node: INodeType, parameters: INodeParameters = {}) =>
	await runNode({
		node,
		parameters,
		items: [{ id: 'a', name: 'A', text: 'Text' }],
		credentials: sandboxCredentials(sandbox()),
	});
const { parameters: chunking = {} } = chunkNode();

const ALL: Array<[string, () => INodeType, INodeParameters, RegExp[]]> = [
	[
		'Chunk Text',
		() => new ChunkText(),
		chunking,
		[/^POST .*token/, /^POST .*async-chunking/, /^GET .*async-chunking/],
	],
	['Push Documents', () => new PushDocuments(), {}, [/^POST .*\/push\//]],
	[
		'Delete Document',
		() => new DeleteDocument(),
		{ commit: 'serviceDefault' },
		[/^DELETE .*\/a/],
	],
	['Migrate Blobs', () => new MigrateBlobs(), { confirm: true }, [/^PUT .*blobs/]],
];

it.each(ALL)('%s sends all requests through it', async (name, node, parameters, requests) => {
	if (name === 'Delete Document') await run(new PushDocuments());
	const before = sandbox().requests.length;
	const { seen } = await useProxy();
	const { error } = await run(node(), parameters);
	expect(error).toBeUndefined();
	expect(seen).toHaveLength(sandbox().requests.length - before);
	for (const request of requests) expect(seen).toContainEqual(expect.stringMatching(request));
});

const TESTS = [
	['lucidworksAiOAuth2Api', () => new LucidworksAiOAuth2Api()],
	['lucidworksPushApi', () => new LucidworksPushApi()],
	['lucidworksBlobApi', () => new LucidworksBlobApi()],
] as const;

it.each(TESTS)('the test of %s goes through it', async (type, credential) => {
	const { seen } = await useProxy();
	const { ok } = await testCredential(credential(), sandboxCredentials(sandbox())[type]);
	expect(ok).toBe(true);
	expect(seen).toHaveLength(sandbox().requests.length);
	expect(seen.length).toBeGreaterThan(0);
});

it('https goes through a tunnel', async () => {
	const { seen } = await useProxy();
	const lucidworksPushApi = { pushUrl: 'https://localhost:1', endpoint: 'docs', apiKey: 'k' };
	await runNode({
		node: new PushDocuments(),
		items: [{ id: 'a', name: 'A' }],
		parameters: { options: { retryForSeconds: 0 } },
		credentials: { lucidworksPushApi },
	});
	expect(seen).toEqual(['CONNECT localhost:1']);
});

describe('a proxy that asks for a password', () => {
	it('is reported by the node if n8n does not know the password', async () => {
		const { url } = await useProxy('user:pass');
		process.env.HTTP_PROXY = url;
		const { error } = await run(new PushDocuments());
		expect(error?.message).toMatch(/status 407/);
		expect(error?.description).toMatch(/proxy .*password.*HTTP_PROXY/);
		expect(sandbox().requests).toEqual([]);
	});
});

describe('a proxy that is down', () => {
	const down = async () => {
		const proxy = await useProxy();
		await proxy.close();
	};

	it('is named by the node', async () => {
		await down();
		const { error } = await run(new PushDocuments(), { options: { retryForSeconds: 0 } });
		expect(error?.message).toMatch(/could not be reached: the connection was refused/);
		expect(error?.description).toMatch(/proxy.*HTTP_PROXY/);
		expect(sandbox().requests).toEqual([]);
	});

	it.each(TESTS)('the test of %s names it', async (type, credential) => {
		await down();
		const { ok, message } = await testCredential(
			credential(),
			sandboxCredentials(sandbox())[type],
		);
		expect(ok).toBe(false);
		expect(message).toMatch(/HTTP_PROXY/);
	});
});
