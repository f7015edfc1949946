/**
 * Tests n8n's SSRF protection with one allowed host. Requests to other hosts fail, and the error says who can allow
 * those hosts.
 *
 * @jest-environment node
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
import { useSandbox } from '../../support/sandbox';
import { naming } from '../../support/wording';

// n8n reads these variables when the first request is made.
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';
process.env.N8N_SSRF_ALLOWED_HOSTNAMES = 'localhost';
afterAll(() => {
	delete process.env.N8N_SSRF_PROTECTION_ENABLED;
	delete process.env.N8N_SSRF_ALLOWED_HOSTNAMES;
});

const ALLOW = /N8N_SSRF_ALLOWED_HOSTNAMES.*N8N_SSRF_ALLOWED_IP_RANGES/;
const sandbox = useSandbox();
const credentialsOf = (host: string) =>
	Object.fromEntries(
		Object.entries(sandboxCredentials(sandbox())).map(([type, data]) => [
			type,
			Object.fromEntries(
				Object.entries(data).map(([field, value]) => [
					field,
					typeof value === 'string' ? value.replace('//127.0.0.1', `//${host}`) : value,
				]),
			),
		]),
	);

const run = async (node: INodeType, parameters: INodeParameters, host: string) =>
	await runNode({
		node,
		parameters,
		items: [{ id: 'a', name: 'A', text: 'Text' }],
		credentials: credentialsOf(host),
	});
const { parameters: chunking = {} } = chunkNode();

const NODES: Array<[string, () => INodeType, INodeParameters, number]> = [
	['Chunk Text', () => new ChunkText(), chunking, 3],
	['Push Documents', () => new PushDocuments(), {}, 1],
	['Delete Document', () => new DeleteDocument(), { options: { ignoreNotFound: true } }, 1],
	['Migrate Blobs', () => new MigrateBlobs(), { confirm: true }, 1],
];

it.each(NODES)('%s reaches the allowed host', async (_name, node, parameters, requests) => {
	const { error } = await run(node(), parameters, 'localhost');
	expect(error).toBeUndefined();
	expect(sandbox().requests.length).toBeGreaterThanOrEqual(requests);
});

it.each(NODES)(
	'%s cannot reach another host, and the error says who can allow it',
	async (name, node, parameters) => {
		const { error } = await run(node(), parameters, '127.0.0.1');
		const server = name === 'Chunk Text' ? 'token server' : 'service';
		expect(error?.message).toEqual(naming(server, 'SSRF', ' not '));
		expect(error?.description).toMatch(ALLOW);
		expect(error?.description).not.toMatch(/Allowed HTTP Request Domains/);
		expect(sandbox().requests).toEqual([]);
	},
);

it.each([
	['lucidworksAiOAuth2Api', () => new LucidworksAiOAuth2Api()],
	['lucidworksPushApi', () => new LucidworksPushApi()],
	['lucidworksBlobApi', () => new LucidworksBlobApi()],
])('the test of %s reaches the allowed host, and no other', async (type, credential) => {
	const allowed = await testCredential(credential(), credentialsOf('localhost')[type]);
	expect(allowed).toMatchObject({ ok: true });
	const before = sandbox().requests.length;
	const blocked = await testCredential(credential(), credentialsOf('127.0.0.1')[type]);
	expect(blocked.ok).toBe(false);
	expect(blocked.message).toContain('SSRF');
	expect(blocked.message).toMatch(ALLOW);
	expect(sandbox().requests).toHaveLength(before);
});
