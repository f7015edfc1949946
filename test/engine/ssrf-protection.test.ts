/**
 * n8n's SSRF protection, turned on for all tests of this file: errors say who can allow a request, and how.
 *
 * @jest-environment node
 */
import { LucidworksPushApi } from '../../credentials/LucidworksPushApi.credentials';
import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { chunkNode } from '../../support/chunking';
import { testCredential } from '../../support/engine';
import { reply } from '../../support/http-server';
import { nodeRunner, useServers } from '../../support/sandbox';

// n8n reads it with the first request.
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';

const serve = useServers();
const anyServer = async () => await serve((_request, response) => reply(response, 200, {}));
const push = nodeRunner(new PushDocuments(), () => ({}));
const chunk = nodeRunner(new ChunkText(), () => ({}));
const ALLOW = /N8N_SSRF_ALLOWED_HOSTNAMES.*N8N_SSRF_ALLOWED_IP_RANGES/;

afterAll(() => {
	delete process.env.N8N_SSRF_PROTECTION_ENABLED;
});

it('blocks a service', async () => {
	const { url, requests } = await anyServer();
	const lucidworksPushApi = { pushUrl: url, endpoint: 'docs', apiKey: 'key-12345' };
	const { error } = await push(
		[{ id: 'a', name: 'A' }],
		{},
		{ credentials: { lucidworksPushApi } },
	);
	expect(error?.message).toBe(
		"The request to the push service was blocked by n8n's SSRF protection, so document 'a' was not pushed",
	);
	const test = await testCredential(new LucidworksPushApi(), lucidworksPushApi);
	expect(test.ok).toBe(false);
	expect(test.message).toMatch(
		/^The request to the push service was blocked by n8n's SSRF protection\./,
	);
	for (const text of [error?.description, test.message]) {
		expect(text).toMatch(ALLOW);
		expect(text).toMatch(/'Push Service URL'/);
		expect(text).not.toMatch(/Allowed HTTP Request Domains/);
	}
	expect(requests).toEqual([]);
});

it('blocks the token server', async () => {
	const { url, requests } = await anyServer();
	const lucidworksAiOAuth2Api = {
		aiUrl: url,
		authUrl: url,
		authorizationServerId: 'default',
		clientId: 'client-1',
		clientSecret: 'secret-1',
	};
	const { parameters } = chunkNode({ operation: 'submit' });
	const credentials = { lucidworksAiOAuth2Api };
	const { error } = await chunk([{ text: 'a' }], parameters, { credentials });
	expect(error?.message).toBe(
		"The request to the token server was blocked by n8n's SSRF protection, so the text was not submitted",
	);
	expect(error?.description).toMatch(ALLOW);
	expect(error?.description).toMatch(/'Token Server URL'/);
	expect(requests).toEqual([]);
});
