/** TLS with certificates of a private authority, which n8n trusts by NODE_EXTRA_CA_CERTS: n8n in a process of its own. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { selfSigned, signedBy } from '../../support/certificate';
import { startForwardProxy } from '../../support/forward-proxy';
import { ROOT } from '../../support/manifest';

const folder = mkdtempSync(path.join(tmpdir(), 'certificates-'));
const authority = selfSigned('A private authority');
const caFile = path.join(folder, 'authority.pem');
writeFileSync(caFile, authority.cert);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
	for (const close of closing.splice(0)) await close();
});

async function serve(options: ServerOptions): Promise<{ url: string; requests: string[] }> {
	const requests: string[] = [];
	const server = createServer(options, (request, response) => {
		requests.push(`${request.method} ${request.url}`);
		request.resume().on('end', () => response.end('[]'));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	closing.push(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	return { url: `https://localhost:${(server.address() as AddressInfo).port}`, requests };
}

interface Seen {
	error?: string;
	description?: string;
	ok: boolean;
	test: string;
}

async function push(url: string, env: Record<string, string>): Promise<Seen> {
	const script = path.join(ROOT, 'support/push-once.ts');
	const { stdout } = await promisify(execFile)(
		process.execPath,
		['--import', 'tsx', script, url],
		{ cwd: ROOT, env: { ...process.env, ...env } },
	);
	return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Seen;
}

const trusting = { NODE_EXTRA_CA_CERTS: caFile };

it('a private authority works once n8n trusts it', async () => {
	const { url, requests } = await serve(signedBy(authority));
	expect(await push(url, trusting)).toMatchObject({ ok: true });
	expect(requests).toHaveLength(3);
}, 120_000);

it('a private authority that n8n does not trust: the error names the field and the setting', async () => {
	const { url, requests } = await serve(signedBy(authority));
	const { error, description, test } = await push(url, { NODE_EXTRA_CA_CERTS: '' });
	expect(error).toMatch(/its certificate is not trusted, so document 'a' was not pushed/);
	for (const text of [description, test])
		expect(text).toMatch(/'Push Service URL'.*NODE_EXTRA_CA_CERTS/);
	expect(requests).toEqual([]);
}, 120_000);

it('a private authority through a proxy', async () => {
	const proxy = await startForwardProxy();
	closing.push(proxy.close);
	const { url, requests } = await serve(signedBy(authority));
	const settings = { ...trusting, PROXY_OF_TEST: proxy.url };
	expect(await push(url, settings)).toMatchObject({ ok: true });
	expect(requests).toHaveLength(3);
	expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT ${url.replace('https://', '')}`]));
}, 120_000);

it('a server that requires a client certificate: the error says so', async () => {
	const { url, requests } = await serve({
		...signedBy(authority),
		ca: authority.cert,
		requestCert: true,
		rejectUnauthorized: true,
	});
	const { error, description, ok, test } = await push(url, trusting);
	expect(error).toBeDefined();
	expect(ok).toBe(false);
	for (const text of [description, test]) expect(text).toMatch(/client certificate/);
	expect(requests).toEqual([]);
}, 120_000);
