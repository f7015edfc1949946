/** Servers and networks as operators have them: a path before every URL, IPv6, connections, compression. */
import { createServer, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import type { INodeParameters, INodeType } from 'n8n-workflow';

import { LucidworksAiOAuth2Api } from '../../credentials/LucidworksAiOAuth2Api.credentials';
import { LucidworksBlobApi } from '../../credentials/LucidworksBlobApi.credentials';
import { LucidworksPushApi } from '../../credentials/LucidworksPushApi.credentials';
import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { chunkNode } from '../../support/chunking';
import type { CredentialData } from '../../support/credential-store';
import { sandboxCredentials } from '../../support/credentials';
import { runNode, testCredential } from '../../support/engine';
import { indexes, useSandbox } from '../../support/sandbox';

const sandbox = useSandbox();

/** How a gateway before the sandbox differs from it. */
interface Gateway {
	host?: string;
	/** Before the path of each request. */
	prefix?: string;
	/** Compresses all responses. */
	compress?: { encoding: string; with(body: Buffer): Buffer };
	/** Closes the connection without a word, though the response promises to keep it. */
	closesEarly?: boolean;
}

const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
	for (const close of closing.splice(0)) await close();
});

/** The credentials of the sandbox, with all URLs through a gateway. */
async function through(gateway: Gateway): Promise<CredentialData> {
	const { host = '127.0.0.1', prefix = '', compress, closesEarly = false } = gateway;
	const target = new URL(sandbox().url);
	const answer = (body: Buffer, status: number, type: string, response: ServerResponse) => {
		const content = compress ? compress.with(body) : body;
		response.writeHead(status, {
			'Content-Type': type,
			'Content-Length': content.length,
			...(compress && { 'Content-Encoding': compress.encoding }),
			...(closesEarly && { Connection: 'keep-alive' }),
		});
		response.end(content, () => closesEarly && response.socket?.destroySoon());
	};
	const server = createServer((incoming, response) => {
		const { method, headers, url = '' } = incoming;
		if (!url.startsWith(`${prefix}/`))
			return answer(Buffer.from('{}'), 404, 'text/plain', response);
		const { port } = target;
		const passedOn = { ...headers, 'accept-encoding': 'identity' };
		const path = url.slice(prefix.length);
		const outgoing = httpRequest(
			{ host: '127.0.0.1', port, method, headers: passedOn, path, agent: false },
			(upstream) => {
				const chunks: Buffer[] = [];
				upstream.on('data', (chunk: Buffer) => chunks.push(chunk));
				upstream.on('end', () => {
					const type = String(upstream.headers['content-type'] ?? 'application/json');
					answer(Buffer.concat(chunks), upstream.statusCode ?? 502, type, response);
				});
			},
		);
		incoming.pipe(outgoing);
	});
	await new Promise<void>((resolve) => server.listen(0, host, resolve));
	closing.push(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	const { port } = server.address() as AddressInfo;
	const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}${prefix}`;
	const text = JSON.stringify(sandboxCredentials(sandbox()));
	return JSON.parse(text.replaceAll(sandbox().url, url)) as CredentialData;
}

const { parameters: chunking = {} } = chunkNode();
const NODES: Array<[string, () => INodeType, INodeParameters]> = [
	['Push Documents', () => new PushDocuments(), { options: { documentsPerRequest: 1 } }],
	['Chunk Text', () => new ChunkText(), { ...chunking, options: { textsPerRequest: 1 } }],
	['Delete Document', () => new DeleteDocument(), { commit: 'everyDelete' }],
	['Migrate Blobs', () => new MigrateBlobs(), { confirm: true }],
];
const CREDENTIALS = {
	lucidworksAiOAuth2Api: () => new LucidworksAiOAuth2Api(),
	lucidworksPushApi: () => new LucidworksPushApi(),
	lucidworksBlobApi: () => new LucidworksBlobApi(),
};

const ENVIRONMENTS: Array<[string, Gateway]> = [
	['a path prefix in every URL', { prefix: '/search/platform/v2' }],
	['IPv6', { host: '::1' }],
	['connections that the server closes early', { closesEarly: true }],
	['gzip responses', { compress: { encoding: 'gzip', with: (body) => gzipSync(body) } }],
	['deflate responses', { compress: { encoding: 'deflate', with: (body) => deflateSync(body) } }],
	['br responses', { compress: { encoding: 'br', with: (body) => brotliCompressSync(body) } }],
];

describe.each(ENVIRONMENTS)('%s', (_name, gateway) => {
	it('all nodes work, and each request is sent once', async () => {
		const credentials = await through(gateway);
		const items = indexes(10).map((at) => ({ id: `d${at}`, name: 'N', text: `Text ${at}` }));
		for (const [name, node, parameters] of NODES) {
			const result = await runNode({ node: node(), items, parameters, credentials });
			expect({ name, error: result.error }).toEqual({ name, error: undefined });
			expect({ name, retries: result.taskData?.metadata?.tracing?.retries }).toEqual({
				name,
				retries: 0,
			});
		}
	});

	it.each(Object.entries(CREDENTIALS))('the test of %s succeeds', async (type, credential) => {
		const credentials = await through(gateway);
		expect(await testCredential(credential(), credentials[type])).toMatchObject({ ok: true });
	});
});
