/**
 * Tests the "Allowed HTTP Request Domains" and "Allowed Domains" fields, which n8n adds to every credential that
 * signs requests. n8n applies them to token requests, to the Test button and to the HTTP Request node, but not to our
 * nodes' requests.
 */
import { LucidworksAiOAuth2Api } from '../../credentials/LucidworksAiOAuth2Api.credentials';
import { startSandbox, type Sandbox } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
import { CredentialStore, testCredential } from '../../support/engine';
import { chunk, startWorker } from '../../support/worker';

const TYPE = 'lucidworksAiOAuth2Api';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox();
});
beforeEach(() => sandbox.reset());
afterAll(async () => {
	await sandbox.close();
});

/**
 * Returns a restricted credential. The sandbox acts as both servers. The token server's host is `localhost`, and
 * the AI service's host is 127.0.0.1.
 */
const restricted = (allowedHttpRequestDomains: string, allowedDomains = '') => {
	const data = sandboxCredentials(sandbox)[TYPE];
	const authUrl = String(data.authUrl).replace('127.0.0.1', 'localhost');
	return { ...data, authUrl, allowedHttpRequestDomains, allowedDomains };
};
const run = async (data: ReturnType<typeof restricted>) =>
	await chunk(startWorker(), new CredentialStore({ [TYPE]: data }));

describe('a credential restricted to domains', () => {
	it.each([
		['of other hosts', 'example.com, 127.0.0.1'],
		['that is empty', ''],
	])('requests no token if a list %s omits the token server', async (_case, domains) => {
		const { error } = await run(restricted('domains', domains));
		expect(error?.message).toMatch(/The token request was not sent: .*domains/);
		expect(error?.description).toMatch(
			/'Allowed HTTP Request Domains', add the host of 'Token Server URL'/,
		);
		expect(sandbox.requests).toEqual([]);
	});

	it.each([
		['a list with the token server', 'domains', 'example.com, localhost'],
		['all domains', 'all', ''],
		['none, which is meant for the HTTP Request node', 'none', ''],
	])('works with %s', async (_case, mode, domains) => {
		const { error, output } = await run(restricted(mode, domains));
		expect(error).toBeUndefined();
		expect(output).toHaveLength(1);
		expect(sandbox.tokensIssued()).toBe(1);
	});

	it('shows this at the Test button too', async () => {
		const refused = restricted('domains', 'example.com');
		for (const accessTokens of ['', '{}']) {
			const { ok, message } = await testCredential(new LucidworksAiOAuth2Api(), {
				...refused,
				accessTokens,
			});
			expect({ ok, message }).toEqual({
				ok: false,
				message: expect.stringMatching(/Domain not allowed: .*localhost/),
			});
		}
		expect(sandbox.requests).toEqual([]);
		const allowed = await testCredential(
			new LucidworksAiOAuth2Api(),
			restricted('domains', 'localhost, 127.0.0.1'),
		);
		expect(allowed).toMatchObject({ ok: true });
		// The restriction allows the token server, but not the AI service. It affects the Test button, but not the
		// nodes of this package.
		const tokenHostOnly = await testCredential(
			new LucidworksAiOAuth2Api(),
			restricted('domains', 'localhost'),
		);
		expect(tokenHostOnly).toMatchObject({
			ok: false,
			message: expect.stringMatching(
				/127\.0\.0\.1.* 'Allowed HTTP Request Domains', add the host of 'AI Service URL'/,
			),
		});
	});
});
