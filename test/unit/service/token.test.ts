import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { ServiceFailure } from '../../../nodes/shared/service/failure';
import { InputError } from '../../../nodes/shared/service/input-error';
import {
	parseClient,
	parseTokenResponse,
	tokenRequest,
} from '../../../nodes/shared/service/tokens/token';
import { parseTokenMap } from '../../../nodes/shared/service/tokens/shared-token';
import { PATHS } from '../../../nodes/shared/service/url';
import { thrownBy } from '../support/text';

const NOW = 1_000_000;
const SCOPE = 'machinelearning.predict';
const TOKEN = `eyJ.${'t0ken'.repeat(100)}`;
const MINUTE_MS = 60_000;

const fields = {
	authUrl: 'https://identity.example/',
	authorizationServerId: 'aus/1',
	clientId: ' me ',
	clientSecret: 's3cret',
};
const good = { token_type: 'Bearer', expires_in: 3600, access_token: TOKEN, scope: SCOPE };
const parse = (body: unknown, status = 200, retryAfterMs?: number) =>
	parseTokenResponse({ status, body, retryAfterMs }, SCOPE, 'client', NOW);
const failureOf = (body: unknown, status = 200, retryAfterMs?: number): ServiceFailure => {
	const error = thrownBy(() => parse(body, status, retryAfterMs));
	expect(error).toBeInstanceOf(ServiceFailure);
	return error as ServiceFailure;
};
describe('a token request', () => {
	test('is the request that the interface describes', () => {
		expect(tokenRequest(parseClient(fields), SCOPE)).toEqual({
			url: `https://identity.example${PATHS.token('aus%2F1')}`,
			qs: { scope: SCOPE, grant_type: 'client_credentials' },
			headers: {
				'Cache-Control': 'no-cache',
				Accept: 'application/json',
				'Content-Type': 'application/x-www-form-urlencoded',
			},
			auth: { username: 'me', password: 's3cret' },
		});
	});

	test('belongs to a client with one identity, however its URL is written', () => {
		const { identity } = parseClient(fields);
		const same = {
			authUrl: ' https://IDENTITY.example// ',
			clientId: 'me',
			aiUrl: 'x',
			scope: 'y',
		};
		expect(parseClient({ ...fields, ...same }).identity).toBe(identity);
		for (const key of ['authUrl', 'authorizationServerId', 'clientId', 'clientSecret']) {
			const other = parseClient({ ...fields, [key]: 'https://new.example' });
			expect(other.identity).not.toBe(identity);
		}
		expect(identity).not.toContain('s3cret');
		// If the fields were simply joined, these two clients would look the same.
		const moved = { clientId: 'mes', clientSecret: '3cret' };
		expect(parseClient({ ...fields, ...moved }).identity).not.toBe(identity);
	});

	test.each([
		['authUrl', 'Token Server URL'],
		['authorizationServerId', 'Authorization Server ID'],
		['clientId', 'Client ID'],
		['clientSecret', 'Client Secret'],
	])('without %s the error names the field', (key, label) => {
		for (const value of [undefined, '', '  ', 7]) {
			const error = thrownBy(() => parseClient({ ...fields, [key]: value }));
			expect(error).toBeInstanceOf(InputError);
			expect(error).toMatchObject({ message: `'${label}' is empty` });
		}
	});
});

describe('a usable response', () => {
	test('becomes a token that is renewed 5 minutes early', () => {
		expect(parse(good)).toEqual({
			accessToken: TOKEN,
			issuedAt: NOW,
			expiresAt: NOW + 60 * MINUTE_MS,
			renewAt: NOW + 55 * MINUTE_MS,
			issuedFor: 'client',
		});
	});

	test.each([
		[4, 3.6],
		[600, 540],
		[3000, 2700],
		[3010, 2710],
		[86_400, 86_100],
	])('of %i s is renewed after %d s: 5 minutes early, or a tenth', (expires_in, seconds) => {
		expect(parse({ ...good, expires_in }).renewAt).toBeCloseTo(NOW + seconds * 1000, 3);
	});

	test.each<[string, Record<string, unknown>]>([
		['no scope, which means the one asked for', { scope: undefined }],
		['more scopes than were asked for', { scope: ` openid ${SCOPE}\tother ` }],
		['a lower-case type', { token_type: 'bearer' }],
		['its lifetime as text', { expires_in: '3600' }],
		['members that are not known', { id_token: 'x' }],
	])('may have %s', (_, changes) => {
		expect(parse({ ...good, ...changes })).toEqual(parse(good));
	});
});

describe('a response that is not a token', () => {
	test.each<[string, unknown, string]>([
		['HTML', '<html>Welcome</html>', 'not a JSON object'],
		['null', null, 'not a JSON object'],
		['a list', [], 'token_type'],
		['an empty object', {}, 'token_type'],
		['an error with status 200', { error_description: 'Expired' }, '"Expired"'],
		['no token_type', { ...good, token_type: undefined }, 'token_type'],
		['a foreign token_type', { ...good, token_type: 'mac' }, 'token_type'],
		['no expires_in', { ...good, expires_in: undefined }, 'expires_in'],
		['an expires_in of 0', { ...good, expires_in: 0 }, 'expires_in'],
		['a negative expires_in', { ...good, expires_in: -1 }, 'expires_in'],
		['an expires_in in words', { ...good, expires_in: 'one hour' }, 'expires_in'],
		['no access_token', { ...good, access_token: undefined }, 'access_token'],
		['an empty access_token', { ...good, access_token: '' }, 'access_token'],
		['a line break in it', { ...good, access_token: `${TOKEN}\r\nX: y` }, 'access_token'],
		['a space in it', { ...good, access_token: `${TOKEN} x` }, 'access_token'],
		['a foreign scope', { ...good, scope: 'merchandising.rules' }, 'not grant'],
		['a longer scope', { ...good, scope: `${SCOPE}.all other` }, 'not grant'],
		['no scope granted', { ...good, scope: '' }, 'not grant'],
	])('%s is a clear error', (_, body, words) => {
		const failure = failureOf(body);
		expect(failure.message).toContain("The token server's response cannot be used");
		expect(failure.message).toContain(words);
		expect(failure).toMatchObject({
			kind: 'token',
			isTransient: false,
			description: expect.stringContaining("'Token Server URL'"),
		});
	});

	test('leads to an error that repeats nothing from the response', () => {
		const broken = fc.record(
			{
				token_type: fc.constantFrom('Bearer', 'mac', TOKEN),
				expires_in: fc.constantFrom(3600, TOKEN, null),
				access_token: fc.constantFrom(TOKEN, `${TOKEN} `),
				scope: fc.constantFrom(SCOPE, TOKEN),
			},
			{ requiredKeys: ['access_token'] },
		);
		fc.assert(
			fc.property(fc.oneof(broken, fc.constant(TOKEN)), (body) => {
				fc.pre(!isDeepStrictEqual({ scope: SCOPE, ...Object(body) }, good));
				const error = failureOf(body);
				const { message, description } = error;
				expect(`${message}${description}${JSON.stringify(error)}`).not.toContain('t0ken');
			}),
		);
	});
});

describe('a rejection', () => {
	test("is reported with the server's status, code and text", () => {
		const body = { error: 'invalid_client', error_description: 'Client unknown.' };
		expect(failureOf(body, 401)).toMatchObject({
			message: `'Client ID' or 'Client Secret' is wrong: the token server answered with status 401 (invalid_client), "Client unknown"`,
			description:
				"Check 'Client ID' and 'Client Secret' in the credential. If it worked before, see status.lucidworks.com.",
			kind: 'token',
			httpStatus: 401,
			isTransient: false,
		});
	});

	test.each([302, 404, 408, 429, 500, 503])(
		'with status %i is reported with that status',
		(status) => {
			expect(failureOf('', status).message).toBe(
				`No token for the scope ${SCOPE}: the token server answered with status ${status}`,
			);
		},
	);

	test('a code without a text is not repeated', () => {
		const { message } = failureOf({ error: 'invalid_client' }, 401);
		expect(message.match(/invalid_client/g)).toHaveLength(1);
	});

	test.each<[string, number, unknown, string]>([
		[
			'the PKCE case',
			400,
			{
				error: 'invalid_client',
				error_description:
					'Browser requests to the token endpoint must use Proof Key for Code Exchange.',
			},
			'Origin header',
		],
		['a scope that is not granted', 400, { error: 'invalid_scope' }, `the scope ${SCOPE}`],
		['a redirect', 302, '', 'Redirects are not followed'],
		['a method that is not allowed', 405, '', "'Authorization Server ID'"],
		['a server without such requests', 501, '', "'Token Server URL'"],
		['no such address', 404, '<html>', "'Authorization Server ID'"],
		['a busy server', 503, '', 'Try again later'],
		['a request that took too long', 408, '', 'Try again later'],
		['too many requests', 429, null, 'Try again later'],
		['anything else', 400, undefined, "'Client Secret'"],
	])('%s says what to do', (_, status, body, words) => {
		expect(failureOf(body, status).description).toContain(words);
	});

	test.each([
		[302, false],
		[400, false],
		[401, false],
		[403, false],
		[404, false],
		[408, true],
		[425, true],
		[429, true],
		[500, true],
		[501, false],
		[503, true],
		[505, false],
	])('status %i may pass: %s', (status, isTransient) => {
		expect(failureOf({}, status, 3000)).toMatchObject({ isTransient, retryAfterMs: 3000 });
	});
});

test.each([[undefined], [null], [''], ['{'], ['null']])('a stored %j is no token', (stored) => {
	expect(parseTokenMap(stored)).toEqual({});
});
