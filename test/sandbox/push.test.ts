import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PATHS } from '../../nodes/shared/service/url';
import { DEMO, defaultSettings, startSandbox } from '../../sandbox';
import { useSandbox } from '../../support/sandbox';
import { http, push, remove } from '../../support/sandbox-client';

const sandbox = useSandbox({
	dataSources: [
		{ endpoint: 'docs', keys: [DEMO.pushKey, 'second-key'] },
		{ endpoint: 'other', keys: ['other-key'] },
	],
});

const ids = (endpoint = 'docs') =>
	sandbox()
		.documents(endpoint)
		.map(({ id }) => id);

test.each<[string, string, string | undefined, number]>([
	['no key', 'docs', undefined, 401],
	['an unknown key', 'docs', 'nope', 401],
	['the key of another data source', 'docs', 'other-key', 403],
	['an unknown endpoint', 'nope', 'other-key', 404],
])('refuses %s', async (_, endpoint, key, status) => {
	const url = `${sandbox().urls.pushUrl}${PATHS.push}/${endpoint}`;
	const headers = { 'Content-Type': 'application/json', ...(key && { 'x-API-key': key }) };
	const pushed = await http.post(url, { id: '1', name: 'x' }, { headers });
	expect([pushed.status, typeof pushed.data.message]).toEqual([status, 'string']);
	expect((await http.delete(`${url}/1`, { headers })).status).toBe(status);
	expect(ids()).toEqual([]);
});

test.each<[string, unknown, RegExp]>([
	[
		'a number as id',
		[
			{ id: '1', name: 'x' },
			{ id: 2, name: 'x' },
		],
		/Document 1: id/,
	],
	['no name', [{ id: '1' }], /Document 0: name/],
	['null as name', { id: '1', name: null }, /Document 0: name/],
	['an empty id', { id: '', name: 'x' }, /Document 0: id/],
	['a scalar', '5', /Document 0/],
	['a list in the list', [[{ id: '1', name: 'x' }]], /Document 0/],
	['broken JSON', Buffer.from('{"id":'), /JSON/],
])('stores nothing of a body with %s', async (_, body, message) => {
	const { status, data } = await push(sandbox(), body);
	expect(status).toBe(400);
	expect(data.message).toMatch(message);
	expect(ids()).toEqual([]);
});

test('413 is returned above the limit, but not at the limit', async () => {
	const document = { id: '1', name: 'x', text: 'é'.repeat(100) };
	const size = Buffer.byteLength(JSON.stringify(document));
	sandbox().settings.pushBodyLimitBytes = size - 1;
	expect((await push(sandbox(), document)).status).toBe(413);
	sandbox().settings.pushBodyLimitBytes = size;
	expect((await push(sandbox(), document)).status).toBe(200);
	Object.assign(sandbox().settings, defaultSettings());
	const large = { id: '2', name: 'x', text: 'x'.repeat(5_000_000) };
	expect((await push(sandbox(), large)).status).toBe(413);
	expect(ids()).toEqual(['1']);
	expect(sandbox().requests.map(({ status }) => status)).toEqual([413, 200, 413]);
	expect(sandbox().requests[2].bodyBytes).toBeGreaterThan(5_000_000);
	expect(sandbox().requests[2].body).toBeUndefined();
});

describe('deletes', () => {
	test('have no effect if the id is pushed again', async () => {
		await push(sandbox(), { id: '1', name: 'a' });
		await remove(sandbox(), '1');
		await push(sandbox(), { id: '1', name: 'b' });
		sandbox().commit();
		expect(ids()).toEqual(['1']);
	});

	test.each([
		'https://example.org/a/b?c=d&e=f#g',
		'a b+c%2Fd%',
		'%252F',
		'ż😀\u0000\n',
		'..a',
		'x'.repeat(3000),
		';:@=,$',
	])('accept any id as one path segment (%#)', async (id) => {
		await push(sandbox(), [
			{ id, name: 'x' },
			{ id: 'stays', name: 'x' },
		]);
		expect(sandbox().documents('docs')[0].id).toBe(id);
		expect((await remove(sandbox(), id, '?commit=true')).status).toBe(200);
		expect(ids()).toEqual(['stays']);
		expect(sandbox().requests[1].path).toContain(`/${encodeURIComponent(id)}`);
	});

	test('an id in two path segments matches no route', async () => {
		const url = `${sandbox().urls.pushUrl}${PATHS.push}/docs/a/b`;
		const { status } = await http.delete(url, { headers: { 'X-API-Key': DEMO.pushKey } });
		expect([status, sandbox().requests[0].route]).toEqual([404, 'other']);
	});
});

test('the index survives restarts; everything else does not', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
	const dataFile = join(folder, 'deep', 'index.db');
	const first = await startSandbox({ dataFile });
	await push(first, [
		{ id: '1', name: 'Survivor' },
		{ id: '2', name: 'Goner' },
	]);
	await remove(first, '2');
	await first.close();
	const second = await startSandbox({ dataFile });
	expect(second.documents('docs')).toHaveLength(2);
	expect(second.search('docs', 'survivor')).toHaveLength(1);
	expect(second.requests).toEqual([]);
	second.commit();
	await second.close();
	const third = await startSandbox({ dataFile });
	expect(third.documents('docs')).toEqual([{ id: '1', name: 'Survivor' }]);
	expect(third.search('docs', 'survivor')).toHaveLength(1);
	third.reset();
	await push(third, { id: '3', name: 'Later' });
	expect(third.documents('docs')).toEqual([{ id: '3', name: 'Later' }]);
	await third.close();
	rmSync(folder, { recursive: true });
});

test('the page lists documents with their fields, chunks under their parents, what was pushed last on top, and searches', async () => {
	const chunk = (number: number, text: string) => ({
		id: `guide#${number}`,
		name: 'Guide',
		parentId: 'guide',
		chunkIndex: number,
		text,
		vector: Array.from({ length: 384 }, () => 0),
	});
	await push(sandbox(), [
		chunk(1, 'Parcels <b>leave</b> today'),
		chunk(0, 'Returns'),
		{ id: 'other', name: 'Other' },
	]);
	const page = async (query = '') => String((await http.get(`${sandbox().url}/${query}`)).data);
	const all = await page();
	expect(all).toContain('<p>2 documents, 2 chunks</p>');
	expect(all).toMatch(/guide, 2 chunks.*guide#0.*guide#1/s);
	expect(all).toContain('Parcels &lt;b&gt;leave&lt;/b&gt; today');
	expect(all).toContain('384 values');
	const found = await page('?q=LEAVE+parcels');
	expect(found).toContain('<p>Found 1 document, 1 chunk, of 2 documents, 2 chunks</p>');
	expect(found).not.toContain('Other');
	expect(sandbox().requests.map(({ route }) => route)).toEqual(['push']);
	expect(all).toMatch(/>Other.*>Guide/s);
	await push(sandbox(), [chunk(0, 'Returns')]);
	expect(await page()).toMatch(/>Guide.*>Other/s);
});
