import { PATHS } from '../../nodes/shared/service/url';
import { DEMO, type FaultRule } from '../../sandbox';
import { useSandbox } from '../../support/sandbox';
import { http, push, remove, requestToken } from '../../support/sandbox-client';

const sandbox = useSandbox({ blobAuth: { user: 'admin', password: 'pw' } });

const document = { id: '1', name: 'One', text: 'some text' };
const count = () => sandbox().documents('docs').length;

test.each<[string, Omit<FaultRule, 'route'>, Record<string, unknown>]>([
	['status', { status: 500 }, { status: 500, data: { message: 'Injected fault: HTTP 500' } }],
	[
		"a status of the gateway: the gateway's body",
		{ status: 503 },
		{
			status: 503,
			headers: { 'content-type': 'text/plain; charset=utf-8' },
			data: 'no healthy upstream',
		},
	],
	[
		'an incident of the gateway',
		{ gateway: 'tokenInvalid' },
		{ status: 401, data: 'Jwt verification fails' },
	],
	['body', { status: 400, body: 'no', contentType: 'text/plain' }, { status: 400, data: 'no' }],
	[
		'Retry-After in seconds',
		{ status: 503, retryAfter: '7' },
		{ status: 503, headers: { 'retry-after': '7' } },
	],
	[
		'Retry-After as a date, 429 by default',
		{ retryAfter: 'Wed, 21 Oct 2037 07:28:00 GMT' },
		{ status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2037 07:28:00 GMT' } },
	],
	[
		'HTML',
		{ html: true },
		{
			status: 200,
			headers: { 'content-type': 'text/html; charset=utf-8' },
			data: /^<!DOCTYPE/,
		},
	],
	['HTML with a status', { html: true, status: 502 }, { status: 502, data: /^<!DOCTYPE/ }],
	[
		'a redirect',
		{ redirectTo: 'http://127.0.0.1:1/x' },
		{ status: 302, headers: { location: 'http://127.0.0.1:1/x' } },
	],
	['no content', { status: 204 }, { status: 204, data: '' }],
])('%s replaces the work', async (_, rule, expected) => {
	sandbox().faults.add({ route: 'push', times: 1, ...rule });
	const reply = await push(sandbox(), document);
	const { data, headers, ...rest } = expected;
	expect(reply).toMatchObject(rest);
	expect(reply.headers).toMatchObject((headers ?? {}) as Record<string, string>);
	if (data instanceof RegExp) expect(reply.data).toMatch(data);
	else if (data !== undefined) expect(reply.data).toEqual(data);
	expect(count()).toBe(0);
	expect((await push(sandbox(), document)).status).toBe(200);
	expect(count()).toBe(1);
});

test('times, skip, rate, probability and body conditions', async () => {
	const statuses = async (total: number) => {
		const list: number[] = [];
		for (let index = 0; index < total; index += 1) {
			list.push((await push(sandbox(), { id: String(index), name: `n${index}` })).status);
		}
		return list;
	};
	sandbox().faults.add({ route: 'push', status: 503, skip: 1, times: 2 });
	expect(await statuses(5)).toEqual([200, 503, 503, 200, 200]);
	sandbox().faults.clear();
	sandbox().faults.add({ route: 'push', status: 413, whenBodyContains: '"n2"' });
	expect(await statuses(4)).toEqual([200, 200, 413, 200]);
	sandbox().faults.clear();
	sandbox().faults.add({ route: 'push', status: 429, perSecond: 0.001, burst: 2 });
	expect(await statuses(4)).toEqual([200, 200, 429, 429]);
	sandbox().faults.clear();
	sandbox().faults.add({ route: 'push', status: 503, probability: 0.5 });
	const first = await statuses(40);
	const failed = first.filter((status) => status === 503).length;
	expect(failed).toBeGreaterThan(8);
	expect(failed).toBeLessThan(32);
	sandbox().faults.clear();
	sandbox().faults.add({ route: 'push', status: 503, probability: 0.5 });
	expect(await statuses(40)).toEqual(first);
	sandbox().faults.clear();
	sandbox().faults.add({ route: 'push', status: 503, probability: 0.5, seed: 'other' });
	expect(await statuses(40)).not.toEqual(first);
});

test('unknown rules are refused', () => {
	const add = (rule: unknown) => () => sandbox().faults.add(rule as FaultRule);
	expect(add({ route: 'nope' })).toThrow(/route/);
	expect(add({ route: 'push', statsu: 1 })).toThrow(/statsu/);
	expect(add({ route: 'push', status: '503' })).toThrow(/status/);
	expect(add({ route: 'push', reset: 'later' })).toThrow(/reset/);
});

test('records keep the order, hide secrets, contain bodies on request, and count', async () => {
	await requestToken(sandbox());
	await push(sandbox(), document);
	sandbox().settings.keepBodies = false;
	await push(sandbox(), document);
	await http.get(`${sandbox().url}/nowhere?a=1`);
	const [token, kept, plain, other] = sandbox().requests;
	expect(token).toMatchObject({
		route: 'token',
		method: 'POST',
		path: PATHS.token('default'),
		query: { scope: 'machinelearning.predict', grant_type: 'client_credentials' },
		headers: { authorization: 'Basic ***', 'cache-control': 'no-cache' },
		bodyBytes: 0,
		status: 200,
		inFlight: 1,
	});
	expect(kept).toMatchObject({ route: 'push', body: document, headers: { 'x-api-key': '***' } });
	expect(kept.bodyBytes).toBe(Buffer.byteLength(JSON.stringify(document)));
	expect(plain.body).toBeUndefined();
	expect(other).toMatchObject({
		route: 'other',
		path: '/nowhere',
		query: { a: '1' },
		status: 404,
	});
	const text = JSON.stringify(sandbox().requests);
	expect(text).not.toContain(DEMO.pushKey);
	expect(text).not.toContain(
		Buffer.from(`${DEMO.clientId}:${DEMO.clientSecret}`).toString('base64'),
	);
});

test('control routes change settings, faults and documents, and are never recorded', async () => {
	const at = (path: string) => `${sandbox().url}/_sandbox/${path}`;
	expect((await http.get(at('health'))).data).toEqual({ status: 'ok' });
	const patched = await http.patch(at('settings'), { maxChunks: 5, pushResponse: 'count' });
	expect(patched.data).toMatchObject({ maxChunks: 5, pushResponse: 'count' });
	expect(sandbox().settings.maxChunks).toBe(5);
	await http.patch(at('settings'), { maxChunks: null, pushResponse: 'empty' });
	expect((await http.get(at('settings'))).data.maxChunks).toBeUndefined();
	for (const bad of [
		{ nope: 1 },
		{ chunkDelayMs: '1' },
		{ pushResponse: 'x' },
		{ vectorSize: -1 },
	]) {
		expect((await http.patch(at('settings'), bad)).status).toBe(400);
	}
	expect((await http.post(at('faults'), { route: 'push', status: 503 })).status).toBe(201);
	expect((await http.post(at('faults'), { route: 'x' })).status).toBe(400);
	expect((await push(sandbox(), document)).status).toBe(503);
	expect((await http.delete(at('faults'))).status).toBe(204);
	await push(sandbox(), document);
	await remove(sandbox(), '1');
	expect((await http.get(at('documents?endpoint=docs'))).data).toEqual({
		endpoint: 'docs',
		ids: ['1'],
		documents: [document],
	});
	expect((await http.get(at('stats'))).data).toMatchObject({
		requests: { push: { 200: 1, 503: 1 } },
		pendingDeletes: { docs: 1 },
	});
	expect((await http.post(at('commit'))).status).toBe(204);
	expect(count()).toBe(0);
	expect((await http.get(at('requests'))).data).toHaveLength(3);
	expect((await http.post(at('reset'))).status).toBe(204);
	expect(sandbox().requests).toEqual([]);
});
