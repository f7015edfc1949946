/** What an error advises if no connection to a service could be made: over real sockets, in nodes and tests. */
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { LucidworksPushApi } from '../../credentials/LucidworksPushApi.credentials';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { selfSigned } from '../../support/certificate';
import { testCredential } from '../../support/engine';
import { reply } from '../../support/http-server';
import { nodeRunner, useServers, useShortBackoff } from '../../support/sandbox';

useShortBackoff();
const serve = useServers();
const push = nodeRunner(new PushDocuments(), () => ({}));

const DOCUMENT = { id: 'a', name: 'A' };
const fieldsAt = (pushUrl: string) => ({ pushUrl, endpoint: 'docs', apiKey: 'key-12345' });
/** Message and description of a push to that URL, and the message of the credential's test. */
const advice = async (pushUrl: string) => {
	const lucidworksPushApi = fieldsAt(pushUrl);
	const { error } = await push(
		[DOCUMENT],
		{ options: { retryForSeconds: 0 } },
		{ credentials: { lucidworksPushApi } },
	);
	const test = await testCredential(new LucidworksPushApi(), lucidworksPushApi);
	expect(test.ok).toBe(false);
	return { message: error?.message, description: error?.description, test: test.message };
};

const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
	for (const close of closing.splice(0)) await close();
});
const tlsServer = async () => {
	const server = createTlsServer(selfSigned(), (_request, response) => response.end('{}'));
	closing.push(async () => await new Promise((resolve) => server.close(resolve)));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
};

it('an untrusted certificate: how n8n comes to trust it', async () => {
	const { message, description, test } = await advice(`https://127.0.0.1:${await tlsServer()}`);
	expect(message).toMatch(/: its certificate is not trusted, so document 'a' was not pushed$/);
	for (const text of [description, test]) {
		expect(text).toMatch(/NODE_EXTRA_CA_CERTS/);
		expect(text).not.toMatch(/is up/);
	}
});

it('https to a server without TLS', async () => {
	const { url } = await serve((_request, response) => reply(response, 200, {}));
	const { message, test } = await advice(url.replace('http:', 'https:'));
	for (const text of [message, test]) expect(text).toMatch(/: it may not use TLS/);
});

it('a connection that is refused: the URL, the service, the proxy', async () => {
	const { url, close } = await serve((_request, response) => reply(response, 200, {}));
	await close();
	const { description, test } = await advice(url);
	for (const text of [description, test]) {
		expect(text).toMatch(/Check 'Push Service URL'.*is up.*HTTP_PROXY/);
		expect(text).not.toMatch(/NODE_EXTRA/);
	}
});
