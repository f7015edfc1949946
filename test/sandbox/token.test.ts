import { PATHS } from '../../nodes/shared/service/url';
import { DEMO, SCOPES } from '../../sandbox';
import { useSandbox } from '../../support/sandbox';
import { bearer, http, PREDICT, requestToken } from '../../support/sandbox-client';

const sandbox = useSandbox({
	clients: [
		{ id: DEMO.clientId, secret: DEMO.clientSecret },
		{ id: 'narrow', secret: 'päss:word', scopes: [PREDICT] },
	],
});

const unknownJob = (headers: Record<string, string>) =>
	http.get(`${sandbox().url}${PATHS.chunking}/none`, { headers });

test('issues one token for two scopes, and accepts a secret with a colon and an umlaut', async () => {
	const both = await requestToken(sandbox(), `${SCOPES[0]} ${SCOPES[2]}`);
	expect(both.data.scope).toBe(`${SCOPES[0]} ${SCOPES[2]}`);
	const narrow = await requestToken(sandbox(), PREDICT, {
		user: 'narrow',
		password: 'päss:word',
	});
	expect(narrow.status).toBe(200);
});

describe('refuses', () => {
	type Changes = Parameters<typeof requestToken>[2];
	const cases: Array<[string, string, Changes, number, string, RegExp]> = [
		['a wrong secret', PREDICT, { password: 'x' }, 401, 'invalid_client', /wrong/],
		['an unknown client', PREDICT, { user: 'x' }, 401, 'invalid_client', /wrong/],
		[
			'no Authorization',
			PREDICT,
			{ headers: { Authorization: undefined } },
			401,
			'invalid_client',
			/missing/,
		],
		['an unknown scope', 'x.y', {}, 400, 'invalid_scope', /x\.y/],
		['no scope', '', {}, 400, 'invalid_scope', /scope/],
		[
			'a scope the client lacks',
			SCOPES[1],
			{ user: 'narrow', password: 'päss:word' },
			400,
			'invalid_scope',
			/may ask/,
		],
		[
			'another grant',
			PREDICT,
			{ query: { grant_type: 'password' } },
			400,
			'unsupported_grant_type',
			/client_credentials/,
		],
		['another server', PREDICT, { auth: 'other' }, 404, 'not_found', /other/],
		[
			'an Origin',
			PREDICT,
			{ headers: { Origin: 'http://localhost' } },
			400,
			'invalid_client',
			/^Browser requests to the token endpoint must use Proof Key for Code Exchange\.$/,
		],
		['a body', PREDICT, { body: 'scope=x' }, 400, 'invalid_request', /no body/],
		...(
			[
				['Cache-Control', 'no-store'],
				['Accept', 'application/json, text/plain, */*'],
				['Content-Type', 'application/json'],
			] as const
		).map(([name, value]): (typeof cases)[number] => [
			`a wrong ${name}`,
			PREDICT,
			{ headers: { [name]: value } },
			400,
			'invalid_request',
			new RegExp(name, 'i'),
		]),
	];
	test.each(cases)('%s', async (_, scope, changes, status, error, description) => {
		const auth = changes?.headers && 'Authorization' in changes.headers;
		const reply = auth
			? await http.post(`${sandbox().url}${PATHS.token('default')}?scope=${scope}`, '', {
					headers: {
						'Cache-Control': 'no-cache',
						Accept: 'application/json',
						'Content-Type': 'application/x-www-form-urlencoded',
					},
				})
			: await requestToken(sandbox(), scope, changes);
		expect([reply.status, reply.data.error]).toEqual([status, error]);
		expect(reply.data.error_description).toMatch(description);
		expect(sandbox().tokensIssued()).toBe(0);
	});
});

describe('a protected route', () => {
	test('answers 401 without a token or with an unknown one, and 403 with a wrong scope', async () => {
		expect((await unknownJob({})).status).toBe(401);
		expect((await unknownJob({ Authorization: 'Bearer x' })).status).toBe(401);
		expect((await unknownJob(await bearer(sandbox(), SCOPES[1]))).status).toBe(403);
		expect((await unknownJob(await bearer(sandbox()))).status).toBe(404);
		expect(sandbox().stats().unauthorized).toBe(2);
	});
});
