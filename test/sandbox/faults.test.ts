import { DEMO, type FaultRule } from '../../sandbox';
import { useSandbox } from '../../support/sandbox';
import { bearer, http, push, remove, requestToken } from '../../support/sandbox-client';

const sandbox = useSandbox({ blobAuth: { user: 'admin', password: 'pw' } });

const document = { id: '1', name: 'One', text: 'some text' };
const count = () => sandbox().documents('docs').length;

test.each<[string, Omit<FaultRule, 'route'>, Record<string, unknown>]>([
	['status', { status: 503 }, { status: 503, data: { message: 'Injected fault: HTTP 503' } }],
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

test.each([
	['beforeResponse', 0],
	['midBody', 1],
	['afterWork', 1],
] as const)('reset %s', async (reset, stored) => {
	sandbox().settings.pushResponse = 'count';
	sandbox().faults.add({ route: 'push', times: 1, reset });
	await expect(push(sandbox(), document)).rejects.toThrow(/ECONNRESET|socket hang up|aborted/);
	expect(count()).toBe(stored);
	expect(sandbox().requests[0]).toMatchObject({ route: 'push', status: 0 });
	expect(sandbox().requests[0].endedAt).toBeGreaterThan(0);
	sandbox().settings.pushResponse = 'empty';
	sandbox().faults.add({ route: 'push', times: 1, reset });
	await expect(push(sandbox(), document)).rejects.toThrow();
	const last = await push(sandbox(), document);
	expect([last.status, sandbox().requests[2].inFlight]).toEqual([200, 1]);
});

test('a reset in the middle delivers the first half', async () => {
	sandbox().settings.pushResponse = 'count';
	sandbox().faults.add({ route: 'push', reset: 'midBody' });
	const reply = await fetch(`${sandbox().urls.pushUrl}/api/v1/push/docs`, {
		method: 'POST',
		headers: { 'X-API-Key': DEMO.pushKey, 'Content-Type': 'application/json' },
		body: JSON.stringify(document),
	});
	expect(reply.status).toBe(200);
	await expect(reply.text()).rejects.toThrow();
});

test('truncate: well-formed HTTP, broken JSON', async () => {
	sandbox().faults.add({ route: 'token', times: 1, truncate: true });
	const { status, data, headers } = await requestToken(sandbox());
	expect(status).toBe(200);
	expect(typeof data).toBe('string');
	expect(headers['content-length']).toBe(String(data.length));
	expect(() => JSON.parse(data) as unknown).toThrow();
	expect(sandbox().tokensIssued()).toBe(1);
});

test('truncate and reset spoil a large results response too', async () => {
	const headers = await bearer(sandbox());
	const url = `${sandbox().url}/ai/async-chunking`;
	const batch = [{ text: 'Hello. '.repeat(2000) }];
	const { data } = await http.post(`${url}/sentence/m`, { batch }, { headers });
	while (sandbox().jobs()[0].status !== 'READY') await new Promise((next) => setTimeout(next, 5));
	sandbox().faults.add({ route: 'results', times: 1, truncate: true });
	sandbox().faults.add({ route: 'results', times: 1, reset: 'midBody' });
	expect(typeof (await http.get(`${url}/${data.chunkingId}`, { headers })).data).toBe('string');
	await expect(http.get(`${url}/${data.chunkingId}`, { headers })).rejects.toThrow();
	const whole = await http.get(`${url}/${data.chunkingId}`, { headers });
	expect(whole.data.chunkedData[0].chunks).toHaveLength(400);
});

test('damage changes results and nothing else', async () => {
	const headers = await bearer(sandbox());
	const url = `${sandbox().url}/ai/async-chunking`;
	const body = { batch: [{ text: 'One.' }, { text: 'Two.' }] };
	const { data } = await http.post(`${url}/sentence/m`, body, { headers });
	while (sandbox().jobs()[0].status !== 'READY') await new Promise((next) => setTimeout(next, 5));
	const text = async (damage?: FaultRule['damage'], resultShape = 'nested') => {
		Object.assign(sandbox().settings, { resultShape, vectorSize: 2 });
		sandbox().faults.clear();
		if (damage) sandbox().faults.add({ route: 'results', damage });
		const response = await fetch(`${url}/${data.chunkingId}`, { headers });
		return await response.text();
	};
	const whole = await text();
	expect(await text('nan')).toBe(whole.replace(/("vector":\[)[^,]+/, '$1NaN'));
	expect(await text('infinity')).toBe(whole.replace(/("vector":\[)[^,]+/, '$1-Infinity'));
	expect(await text('nan', 'topLevelVector')).toMatch(/"vector":\[\{"vector":\[NaN,/);
	expect(await text('controlCharacter')).toContain('["\u0001One."]');
	expect(await text('trailingBytes')).toBe(`${whole}]`);
	expect(await text('jsonInString')).toBe(JSON.stringify(whole));
	expect(await text('otherVectorShape')).not.toContain('"vector');
	const entries = async (damage: FaultRule['damage'], shape?: string) =>
		JSON.parse(await text(damage, shape)) as {
			chunkedData: Array<{ chunks: string[]; vectors: unknown[] }>;
			vector: unknown[];
		};
	expect((await entries('otherOrder')).chunkedData.map(({ chunks }) => chunks)).toEqual([
		['Two.'],
		['One.'],
	]);
	expect((await entries('oneVectorLess')).chunkedData[0].vectors).toHaveLength(0);
	expect((await entries('oneVectorMore')).chunkedData[0].vectors).toHaveLength(2);
	expect((await entries('oneVectorLess', 'topLevelVector')).vector).toHaveLength(1);
	sandbox().faults.add({ route: 'submit', damage: 'trailingBytes' });
	expect((await http.post(`${url}/sentence/m`, body, { headers })).data).toMatchObject({
		status: 'SUBMITTED',
	});
});

test('the first decisive rule strikes', async () => {
	sandbox().faults.add({ route: 'push', latencyMs: 1 });
	sandbox().faults.add({ route: 'push', status: 503, times: 1 });
	sandbox().faults.add({ route: 'push', status: 500, times: 1 });
	const statuses = [];
	for (let index = 0; index < 3; index += 1)
		statuses.push((await push(sandbox(), document)).status);
	expect(statuses).toEqual([503, 500, 200]);
});

test('times, skip, probability and body conditions', async () => {
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
	sandbox().faults.add({ route: 'push', status: 503, probability: 0.5 });
	const first = await statuses(40);
	const failed = first.filter((status) => status === 503).length;
	expect(failed).toBeGreaterThan(8);
	expect(failed).toBeLessThan(32);
	sandbox().faults.clear();
	sandbox().faults.add({ route: 'push', status: 503, probability: 0.5 });
	expect(await statuses(40)).toEqual(first);
});

test('every route can be hit, before its authentication', async () => {
	const { url, urls } = sandbox();
	const calls: Array<[FaultRule['route'], () => Promise<{ status: number }>]> = [
		['token', async () => requestToken(sandbox())],
		['submit', async () => http.post(`${url}/ai/async-chunking/sentence/m`, {})],
		['results', async () => http.get(`${url}/ai/async-chunking/x`)],
		['push', async () => push(sandbox(), document)],
		['delete', async () => remove(sandbox(), 'x')],
		['convert', async () => http.put(`${urls.baseUrl}/blobs/convert`)],
		['blobs', async () => http.get(`${urls.baseUrl}/blobs`)],
		['rules', async () => http.get(`${url}/em-rules/rules`)],
		['search', async () => http.get(`${urls.pushUrl}/api/v1/search?q=a`)],
		['files', async () => http.get(`${url}/files/x`)],
	];
	for (const [route, call] of calls) {
		sandbox().faults.add({ route, status: 418 });
		expect([route, (await call()).status]).toEqual([route, 418]);
	}
	expect(Object.keys(sandbox().stats().requests)).toEqual(calls.map(([route]) => route));
});

test('unknown rules are refused', () => {
	const add = (rule: unknown) => () => sandbox().faults.add(rule as FaultRule);
	expect(add({ route: 'nope' })).toThrow(/route/);
	expect(add({ route: 'push', statsu: 1 })).toThrow(/statsu/);
	expect(add({ route: 'push', status: '503' })).toThrow(/status/);
	expect(add({ route: 'push', reset: 'later' })).toThrow(/reset/);
});

test('blobs: Basic authentication, conversion remembered', async () => {
	const { baseUrl } = sandbox().urls;
	const auth = { username: 'admin', password: 'pw' };
	const versions = async () => {
		const { data } = await http.get(`${baseUrl}/blobs`, { auth });
		return [...new Set(data.map((blob: { version: string }) => blob.version[0]))];
	};
	expect((await http.put(`${baseUrl}/blobs/convert`)).status).toBe(401);
	const wrong = { username: 'admin', password: 'no' };
	expect((await http.put(`${baseUrl}/blobs/convert`, undefined, { auth: wrong })).status).toBe(
		401,
	);
	expect(await versions()).toEqual(['3']);
	const converted = await http.put(`${baseUrl}/blobs/convert`, undefined, { auth });
	expect([converted.status, converted.data]).toEqual([200, '']);
	expect(await versions()).toEqual(['4']);
});

test('records: order, secrets hidden, bodies kept when told, figures', async () => {
	await requestToken(sandbox());
	await push(sandbox(), document);
	sandbox().settings.keepBodies = false;
	await push(sandbox(), document);
	await http.get(`${sandbox().url}/nowhere?a=1`);
	const [token, kept, plain, other] = sandbox().requests;
	expect(token).toMatchObject({
		route: 'token',
		method: 'POST',
		path: '/oauth2/default/v1/token',
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

test('most requests in flight', async () => {
	sandbox().faults.add({ route: 'push', latencyMs: 100 });
	await Promise.all(Array.from({ length: 7 }, async () => push(sandbox(), document)));
	await push(sandbox(), document);
	expect(sandbox().stats()).toMatchObject({
		requests: { push: { 200: 8 } },
		maxInFlight: { push: 7 },
		documents: { docs: 1 },
	});
});

test('control routes: settings, faults, documents, commit, reset; never recorded', async () => {
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
