import type { ICredentialDataDecryptedObject, ICredentialType } from 'n8n-workflow';

import { AiServiceOAuth2Api } from '../../credentials/AiServiceOAuth2Api.credentials';
import { BlobServiceApi } from '../../credentials/BlobServiceApi.credentials';
import { PushEndpointApi } from '../../credentials/PushEndpointApi.credentials';
import { DEMO, startSandbox, type Sandbox } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
import { type CredentialStore, testCredential } from '../../support/engine';
import { reply, startServer } from '../../support/http-server';

describe('the Test button of the credentials', () => {
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox();
	});
	afterEach(async () => {
		await sandbox.reset();
	});
	afterAll(async () => {
		await sandbox.close();
	});

	const press = async (
		type: ICredentialType,
		changes: ICredentialDataDecryptedObject = {},
		store?: CredentialStore,
	) =>
		await testCredential(
			type,
			{ ...sandboxCredentials(sandbox)[type.name], ...changes },
			store,
		);

	describe('AI Service OAuth2 API', () => {
		const type = new AiServiceOAuth2Api();

		it('succeeds with the right client', async () => {
			expect(await press(type)).toMatchObject({ ok: true });
			expect(sandbox.tokensIssued('machinelearning.predict')).toBeGreaterThan(0);
		});

		it('issues one token with the request of the interface, then calls the AI service', async () => {
			expect(await press(type, { authUrl: `${sandbox.addresses.authUrl}//` })).toMatchObject({
				ok: true,
			});
			const [token, ...others] = sandbox.requests;
			expect(token).toMatchObject({
				method: 'POST',
				path: `/oauth2/${DEMO.authServerId}/v1/token`,
				query: { scope: 'machinelearning.predict', grant_type: 'client_credentials' },
				headers: {
					'cache-control': 'no-cache',
					accept: 'application/json',
					'content-type': expect.stringMatching(/^application\/x-www-form-urlencoded/),
					authorization: 'Basic ***',
				},
			});
			expect(token?.body ?? '').toBe('');
			for (const request of others) {
				expect(request).toMatchObject({
					route: 'results',
					headers: { authorization: 'Bearer ***' },
				});
				expect(request.headers['x-credential-test']).toBeUndefined();
			}
			expect(others).toHaveLength(2);
			expect(sandbox.tokensIssued()).toBe(1);
		});

		it('asks for a custom scope', async () => {
			const { ok } = await press(type, {
				scope: 'custom',
				customScope: 'merchandising.rewrites',
			});
			expect(ok).toBe(true);
			expect(sandbox.tokensIssued('merchandising.rewrites')).toBeGreaterThan(0);
		});

		it.each([
			['a new credential', ''],
			['one that has stored tokens', '{}'],
		])('says what to do about a wrong secret: %s', async (_case, accessTokens) => {
			const result = await press(type, { clientSecret: 'mistyped', accessTokens });
			expect(result.ok).toBe(false);
			expect(result.message).toMatch(
				/refused to issue a token.*status 401 \(invalid_client\)/,
			);
			expect(result.message).not.toContain('mistyped');
		});

		it.each([
			['has no token', ''],
			['knows none of the tokens', '{}'],
		])(
			'proves the client though this process holds a token of it: the credential %s',
			async (_case, accessTokens) => {
				expect(await press(type)).toMatchObject({ ok: true });
				sandbox.faults.add({
					route: 'token',
					status: 401,
					body: '{"error":"invalid_client"}',
					contentType: 'application/json',
				});
				expect(await press(type, { accessTokens })).toMatchObject({
					ok: false,
					message: expect.stringMatching(/The token server refused/),
				});
			},
		);

		it.each([
			['authUrl', 'ftp://example.com', /'Token Server URL' must start with http/],
			[
				'authUrl',
				'http://127.0.0.1:1',
				/token server could not be reached: the connection was refused/,
			],
			['clientId', ' ', /'Client ID' is empty/],
			['scope', 'custom', /'Custom Scope' is empty/],
			['authorizationServerId', 'unknown', /token/],
		])('says what is wrong with %s = %s', async (field, value, message) => {
			const result = await press(type, { [field]: value });
			expect(result.ok).toBe(false);
			expect(result.message).toMatch(message);
		});
	});

	describe('Push Endpoint API', () => {
		const type = new PushEndpointApi();

		it('succeeds without writing', async () => {
			expect(await press(type)).toMatchObject({ ok: true });
			expect(sandbox.requests.at(-1)).toMatchObject({ method: 'POST' });
			expect(sandbox.documents(DEMO.endpoint)).toEqual([]);
		});

		it('takes an endpoint with blanks around it, as the nodes do', async () => {
			expect(await press(type, { endpoint: ` ${DEMO.endpoint} ` })).toMatchObject({
				ok: true,
			});
		});

		it.each(['\n', ' ', '\u00a0', '\u200a'])('takes a key with %j around it', async (blank) => {
			const apiKey = `${blank}${DEMO.pushKey}${blank}`;
			expect(await press(type, { apiKey })).toMatchObject({ ok: true });
		});

		it.each([
			['apiKey', 'wrong', /Check 'API Key'/],
			['endpoint', 'other', /Check 'Push Service URL' and 'Endpoint Identifier'/],
			[
				'pushUrl',
				'http://127.0.0.1:1',
				/push service could not be reached: the connection was refused/,
			],
			['pushUrl', 'http://127.0.0.1/a?b', /'Push Service URL' must not have a query/],
		])('fails with a wrong %s', async (field, value, message) => {
			const result = await press(type, { [field]: value });
			expect(result.ok).toBe(false);
			expect(result.message).toMatch(message);
		});
	});

	describe('Blob Service API', () => {
		const type = new BlobServiceApi();

		it('succeeds without a sign-in where none is asked for', async () => {
			expect(await press(type)).toMatchObject({ ok: true });
			expect(sandbox.requests.at(-1)?.headers.authorization).toBeUndefined();
		});

		it('sends user and password', async () => {
			const server = await startServer((_request, response) => reply(response, 200, []));
			const changes = { authentication: 'basic', user: 'admin', password: 'p:w' };
			await press(type, { ...changes, baseUrl: server.url });
			await server.close();
			expect(server.requests[0]?.headers.authorization).toBe(
				`Basic ${Buffer.from('admin:p:w').toString('base64')}`,
			);
		});

		it('says what is wrong with the address', async () => {
			const result = await press(type, { baseUrl: 'fusion.example.com' });
			expect(result).toMatchObject({
				ok: false,
				message: expect.stringMatching(/'Blob Service URL' is not a valid URL/),
			});
		});

		it('fails where no blobs are', async () => {
			const result = await press(type, { baseUrl: `${sandbox.url}/elsewhere` });
			expect(result).toMatchObject({
				ok: false,
				message: expect.stringMatching(/status 404.*Check 'Blob Service URL'/),
			});
		});
	});
});
