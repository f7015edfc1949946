import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { ICredentialDataDecryptedObject, ICredentialType } from 'n8n-workflow';

import { LucidworksAiOAuth2Api } from '../../credentials/LucidworksAiOAuth2Api.credentials';
import { LucidworksBlobApi } from '../../credentials/LucidworksBlobApi.credentials';
import { LucidworksPushApi } from '../../credentials/LucidworksPushApi.credentials';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { SharedToken } from '../../nodes/shared/service/tokens/shared-token';
import { PATHS } from '../../nodes/shared/service/url';
import { DEMO, startSandbox, type FaultRule, type Sandbox } from '../../sandbox';
import { selfSigned } from '../../support/certificate';
import { sandboxCredentials } from '../../support/credentials';
import { runNode, type CredentialStore, testCredential } from '../../support/engine';
import { NO_HOST } from '../../support/no-host';

describe('the Test button of the credentials', () => {
	let sandbox: Sandbox;

	beforeAll(async () => {
		sandbox = await startSandbox();
	});
	beforeEach(() => {
		sandbox.reset();
		SharedToken.states.clear();
	});
	afterEach(() => jest.restoreAllMocks());
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

	describe('Lucidworks AI OAuth2 API', () => {
		const type = new LucidworksAiOAuth2Api();

		it('requests one token as the interface says, then calls the AI service', async () => {
			expect(await press(type, { authUrl: `${sandbox.urls.authUrl}//` })).toMatchObject({
				ok: true,
			});
			const [token, ...others] = sandbox.requests;
			expect(token).toMatchObject({
				method: 'POST',
				path: PATHS.token(DEMO.authServerId),
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

		it.each([
			['has no token', ''],
			['knows none of the tokens', '{}'],
		])(
			'proves the client though this process holds a token of it: the credential %s',
			async (_case, accessTokens) => {
				expect(await press(type)).toMatchObject({ ok: true });
				const now = Date.now();
				jest.spyOn(Date, 'now').mockReturnValue(now + 60_000);
				sandbox.faults.add({
					route: 'token',
					status: 401,
					body: '{"error":"invalid_client"}',
					contentType: 'application/json',
				});
				expect(await press(type, { accessTokens })).toMatchObject({
					ok: false,
					message: expect.stringMatching(
						/^'Client ID' or 'Client Secret' is wrong: the token server answered with status 401/,
					),
				});
			},
		);
	});

	describe('Lucidworks Push Endpoint API', () => {
		const type = new LucidworksPushApi();

		it('succeeds without changing the index', async () => {
			expect(await press(type)).toMatchObject({ ok: true });
			expect(sandbox.requests.at(-1)).toMatchObject({ method: 'POST' });
			expect(sandbox.documents(DEMO.endpoint)).toEqual([]);
		});

		it.each(['\n', ' ', '\u00a0', '\u200a'])(
			'accepts a key with %j around it',
			async (blank) => {
				const apiKey = `${blank}${DEMO.pushKey}${blank}`;
				expect(await press(type, { apiKey })).toMatchObject({ ok: true });
			},
		);
	});

	describe('Lucidworks Fusion Blobs API', () => {
		const type = new LucidworksBlobApi();

		it('succeeds without authentication if none is required', async () => {
			expect(await press(type)).toMatchObject({ ok: true });
			expect(sandbox.requests.at(-1)?.headers.authorization).toBeUndefined();
		});

		it('sends user and password', async () => {
			const blobAuth = { user: 'admin', password: 'p:w' };
			const locked = await startSandbox({ blobAuth });
			const { baseUrl } = locked.urls;
			const changes = { baseUrl, authentication: 'basic', ...blobAuth };
			expect(await press(type, changes)).toMatchObject({ ok: true });
			await locked.close();
		});
	});

	describe.each([
		['creating', {}],
		['editing', { accessTokens: '{}', testState: 'unused' }],
	])('%s a credential shows a message, never just a code', (_, stored) => {
		const TYPES = {
			ai: [new LucidworksAiOAuth2Api(), 'aiUrl', 'results'],
			push: [new LucidworksPushApi(), 'pushUrl', 'push'],
			blob: [new LucidworksBlobApi(), 'baseUrl', 'blobs'],
		} as const;
		type Kind = keyof typeof TYPES;
		const pressAt = async (kind: Kind, url: string, changes = {}) => {
			const [type, field] = TYPES[kind];
			return await press(type, { ...stored, [field]: url, ...changes });
		};
		const pressAnswered = async (
			kind: Kind,
			answer: Omit<FaultRule, 'route'>,
			changes = {},
		) => {
			const [type, , route] = TYPES[kind];
			sandbox.faults.add({ route, ...answer });
			return await press(type, { ...stored, ...changes });
		};

		describe.each<[Kind, string, string]>([
			['ai', 'The AI service', 'AI Service URL'],
			['push', 'The push service', 'Push Service URL'],
			['blob', 'The blob service', 'Blob Service URL'],
		])('%s', (kind, service, label) => {
			it.each([
				[
					'http://127.0.0.1:1',
					`${service} could not be reached: the connection was refused. Check '${label}'`,
				],
				[`http://${NO_HOST}`, `${service} could not be reached: its host name`],
				['nowhere', `'${label}' must start with https:// or http://`],
				[' ', `'${label}' is empty`],
			])('at %j', async (url, message) => {
				const result = await pressAt(kind, url);
				expect(result.ok).toBe(false);
				expect(result.message.startsWith(message)).toBe(true);
			});
		});

		it.each<[Kind, number, RegExp]>([
			[
				'ai',
				401,
				/^The AI service answered with status 401, "Why\?"\. The AI service rejected the access token: check/,
			],
			['ai', 403, /^The AI service answered with status 403, "Why\?"\. .*check 'Scope'/],
			[
				'push',
				401,
				/^The push service answered with status 401, "Why\?"\. Check 'API Key' in the credential\. If it worked before, see status\.lucidworks\.com$/,
			],
			[
				'push',
				403,
				/may not be for this data source: check 'Endpoint Identifier' and 'API Key' in the credential\. If it worked before, see/,
			],
			[
				'push',
				404,
				/Check 'Push Service URL' and 'Endpoint Identifier' in the credential, or paste the complete push URL as 'Push Service URL'$/,
			],
			['push', 400, /rejected the test's empty push.* may still be correct/],
			['blob', 401, /Check 'Authentication', 'User' and 'Password' in the credential$/],
			['blob', 403, /Enter a 'User' who is allowed to list blobs$/],
		])('%s: status %i', async (kind, status, message) => {
			const result = await pressAnswered(kind, { status, body: '{"message":"Why?"}' });
			expect(result).toMatchObject({ ok: false, message: expect.stringMatching(message) });
		});

		it.each([200, 204, 302, 400, 404, 405, 500])(
			'ai: status %i counts as reached',
			async (status) => {
				expect(await pressAnswered('ai', { status, body: '{}' })).toMatchObject({
					ok: true,
				});
			},
		);

		it.each([
			[200, '<!DOCTYPE html><html><body>Welcome</body></html>'],
			[404, '<html><body>404 page not found</body></html>'],
			[404, 'default backend - 404'],
		])('ai: status %i with %j is no chunking service', async (status, page) => {
			const answer = { status, body: page, contentType: 'text/html' };
			expect(await pressAnswered('ai', answer)).toMatchObject({
				ok: false,
				message: expect.stringMatching(
					/^The AI service answered with status \d+.*This doesn't look like a chunking service: check 'AI Service URL'$/,
				),
			});
		});

		describe.each([
			['the default scope', {}, true],
			[
				'a second scope',
				{ customScope: 'machinelearning.model machinelearning.predict' },
				true,
			],
			['a custom scope', { customScope: 'machinelearning.predict' }, true],
			['another scope', { scope: 'merchandising.rules' }, false],
			[
				'other custom scopes',
				{ customScope: 'machinelearning.model merchandising.rules' },
				false,
			],
		])('ai: with %s, the AI service is asked as well', (_case, changes, canChunk) => {
			const scopes = { ...('customScope' in changes && { scope: 'custom' }), ...changes };
			const pressAtPage = async (status: number) => {
				const asked: unknown[] = [];
				const server = createServer(({ url, headers }, response) => {
					asked.push([url, headers.authorization?.split(' ')[0]]);
					response.writeHead(status, { 'content-type': 'text/html' }).end('Not here');
				});
				await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
				const { port } = server.address() as AddressInfo;
				const result = await pressAt('ai', `http://127.0.0.1:${port}`, scopes);
				await new Promise((done) => server.close(done));
				return { ...result, asked };
			};
			const path = expect.stringMatching(canChunk ? /^\/ai\/async-chunking\/./ : /^\/$/);

			it.each([401, 403])('and status %i fails the test', async (status) => {
				const { ok, message, asked } = await pressAtPage(status);
				expect({ ok, message }).toEqual({
					ok: false,
					message: expect.stringContaining(`answered with status ${status}`),
				});
				expect(asked).toEqual([[path, 'Bearer']]);
			});

			it('and a page is wrong only where a chunking service should be', async () => {
				const { ok, asked } = await pressAtPage(404);
				expect(ok).toBe(!canChunk);
				expect(asked[0]).toEqual([path, 'Bearer']);
			});
		});

		it.each<[Kind, string]>([
			['push', 'Push Service URL'],
			['blob', 'Blob Service URL'],
		])('%s: an HTML page, such as that of a login, is not the service', async (kind, label) => {
			const body = '<!DOCTYPE html><html><body>Sign in</body></html>';
			const answer = { status: 200, body, contentType: 'text/html' };
			const { ok, message } = await pressAnswered(kind, answer);
			expect(ok).toBe(false);
			expect(message).toMatch(/^The (push|blob) service answered with status 200/);
			expect(message).toContain(`This is an HTML page. Check '${label}' in the credential: `);
		});

		it('ai: a certificate that is not trusted', async () => {
			const server = createSecureServer(selfSigned(), (_request, response) => response.end());
			await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
			const { port } = server.address() as AddressInfo;
			for (const kind of ['ai', 'push', 'blob'] as const) {
				const { ok, message } = await pressAt(kind, `https://127.0.0.1:${port}`);
				expect({ ok, message }).toEqual({
					ok: false,
					message: expect.stringMatching(/could not be reached: its certificate/),
				});
			}
			await new Promise((done) => server.close(done));
		});

		it.each<[Record<string, string>, RegExp]>([
			[{ scope: 'custom', customScope: 'unknown.scope' }, /status 400 \(invalid_scope\)/],
			[{ clientSecret: 'mistyped' }, /status 401 \(invalid_client\)/],
			[
				{ authUrl: 'http://127.0.0.1:1' },
				/^The token server could not be reached: the connection was refused\. Check 'Token Server URL'/,
			],
			[
				{ authUrl: `http://${NO_HOST}` },
				/^The token server could not be reached: its host name/,
			],
			[
				{ authUrl: 'nowhere' },
				/^'Token Server URL' must start with https:\/\/ or http:\/\/\. Enter a URL such as/,
			],
			[
				{ authorizationServerId: 'unknown' },
				/status 404.*Check 'Token Server URL' and 'Authorization Server ID' in the credential\.$/,
			],
			[{ clientId: '' }, /^'Client ID' is empty\. Fill in 'Client ID' in the credential\.$/],
			[{ scope: 'custom' }, /^'Custom Scope' is empty\. Enter /],
		])('ai: %j', async (changes, message) => {
			const { ok, message: said } = await pressAt('ai', sandbox.urls.aiUrl, changes);
			expect({ ok, said }).toEqual({ ok: false, said: expect.stringMatching(message) });
			expect(sandbox.requests.filter(({ route }) => route === 'results')).toEqual([]);
		});

		it('no message repeats a secret', async () => {
			const canary = 'canary "secret"/42';
			const message = `Not "${canary}" nor ${encodeURIComponent(canary)}`;
			const answer = { status: 401, body: JSON.stringify({ message }) };
			const secrets = {
				apiKey: canary,
				authentication: 'basic',
				user: 'me',
				password: canary,
			};
			for (const kind of ['push', 'blob'] as const) {
				const said = (await pressAnswered(kind, answer, secrets)).message;
				expect(said).toContain('"Not "***" nor ***"');
				expect(said).not.toContain(canary);
			}
		});
	});

	describe('a complete push URL', () => {
		const type = new LucidworksPushApi();
		const complete = () => `${sandbox.urls.pushUrl}${PATHS.push}/${DEMO.endpoint}`;

		it.each([
			['without an endpoint', ''],
			['with the same endpoint', DEMO.endpoint],
		])('is accepted %s, both by the test and by the node', async (_, endpoint) => {
			for (const pushUrl of [complete(), ` ${complete()}/ `]) {
				const changes = { pushUrl, endpoint };
				expect(await press(type, changes)).toMatchObject({ ok: true });
				const { lucidworksPushApi } = sandboxCredentials(sandbox);
				const { error } = await runNode({
					node: new PushDocuments(),
					items: [{ id: 'a', name: 'A' }],
					credentials: { lucidworksPushApi: { ...lucidworksPushApi, ...changes } },
				});
				expect(error).toBeUndefined();
				expect(sandbox.documents(DEMO.endpoint)).toHaveLength(1);
			}
		});

		it('is rejected if it contains a different endpoint than the field', async () => {
			expect(await press(type, { pushUrl: complete(), endpoint: 'other' })).toMatchObject({
				ok: false,
				message: `'Push Service URL' contains the endpoint '${DEMO.endpoint}', but 'Endpoint Identifier' is 'other'. Leave 'Endpoint Identifier' empty, or remove /api/v1/push and everything after it from the URL.`,
			});
		});
	});
});
