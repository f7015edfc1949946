import apis from '../../../examples/src/code/apis';
import pages from '../../../examples/src/code/pages';
import type { ApiPlace } from '../../../examples/src/parts/types';

const at: ApiPlace = {
	...{ site: 'https://a', path: '/list', page: '?page=', firstPage: 1, pages: '', next: '' },
	...{ list: 'body.items', total: '', leaveOut: '', isHtml: false, isHtmlName: false },
	...{ id: 'id', name: 'name', link: 'link', text: 'text' },
};
const page = (...items: unknown[]) => ({ body: { items } });
const total = (number: unknown, ...items: unknown[]) => ({ body: { items, total: number } });
const read = (responses: Array<{ body: unknown; headers?: object }>, place = at) =>
	pages({ responses, place }).map(({ json }) => json);

test('all entries of all pages are returned', () => {
	const ids = (responses: Array<{ body: unknown }>, place = at) =>
		read(responses, place).map(({ id }) => id);
	expect(ids([page({ id: 1 }, { id: 2 }), page({ id: 3 }), page()])).toEqual([1, 2, 3]);
	expect(ids([{ body: [{ id: 1 }] }], { ...at, list: 'body' })).toEqual([1]);
	expect(read([page(), page()])).toEqual([]);
	const entry = { id: 'a', name: 'N', link: '/x', text: 'A & B' };
	expect(read([page(entry)])).toEqual([
		{ id: 'a', name: 'N', url: 'https://a/x', text: 'A & B' },
	]);
});

test.each<[what: string, responses: Array<{ body: unknown }>, place: ApiPlace, why: RegExp]>([
	[
		'a page without a list',
		[page(1), { body: { error: 'slow down' } }],
		at,
		/page 2 .* no list at 'body.items', only \{"error":"slow down"\}/,
	],
	[
		'a list at another place',
		[page(1)],
		{ ...at, list: 'items' },
		/enter 'body.items' in the node/,
	],
	['a body that is no JSON', [{ body: undefined }], at, /page 1 .* only undefined/],
	[
		'a page that repeats',
		[page(1), page(2), page(1)],
		at,
		/page 3 of the API is the same as page 1/,
	],
	[
		'a page that is lost',
		[total(3, 1, 2), total(3)],
		{ ...at, total: 'body.total' },
		/3 entries .* only 2 different/,
	],
	[
		'a page with copies',
		[total(3, 1, 2, 2), total(3)],
		{ ...at, total: 'body.total' },
		/only 2 different/,
	],
	[
		'a page that says so',
		[page(1), { body: { success: false, items: [] } }],
		at,
		/page 2 .* has failed: \{"success":false/,
	],
	...[
		{ errors: [{ message: 'timeout' }], data: {} },
		{ ok: false },
		{ acknowledged: false },
		{ status: 503 },
		{ status: 'error' },
		{ terminated_early: true },
		{ error: { code: 1 } },
		{ errorMessage: 'no' },
		{ timed_out: true },
		{ incomplete_results: true },
		{ _shards: { total: 5, failed: 1 } },
	].map((body): [string, Array<{ body: unknown }>, ApiPlace, RegExp] => [
		`a list beside ${JSON.stringify(body)}`,
		[page(1), { body: { ...body, items: [2] } }],
		at,
		/page 2 of the API says that it has failed/,
	]),
	['a total that is no number', [total('1.5', 1)], { ...at, total: 'body.total' }, /no number/],
	['no total', [page(1)], { ...at, total: 'body.total' }, /no number at 'body.total'/],
])('%s changes nothing', (_what, responses, place, why) => {
	expect(() => read(responses, place)).toThrow(why);
	expect(() => read(responses, place)).toThrow(/^Nothing was changed: /);
});

test('a page that names no failure is read', () => {
	const body = {
		...{ success: true, ok: true, status: 'ok', statusCode: 200, timed_out: false, took: 3 },
		...{ errors: [], error: null, errorMessage: '', _shards: { failed: 0, total: 5 } },
	};
	expect(read([{ body: { ...body, items: [{ id: 1 }] } }])).toHaveLength(1);
});

test('a link without a scheme is a complete address', () => {
	const link = (url: string, site = 'https://a') =>
		read([page({ id: 1, link: url })], { ...at, site })[0].url;
	expect(link('//cdn.example.com/a')).toBe('https://cdn.example.com/a');
	expect(link('//cdn.example.com/a', 'http://a')).toBe('http://cdn.example.com/a');
	expect(link('/a')).toBe('https://a/a');
	expect(link('https://b/a')).toBe('https://b/a');
});

test('entries are left out by several places, or by a value', () => {
	const place = { ...at, leaveOut: 'draft, segments , kind.name=secret' };
	const entries = [
		...[
			{ id: 1 },
			{ id: 2, draft: false, segments: [], kind: { name: 'open' } },
			{ id: 3, draft: true },
		],
		...[
			{ id: 4, segments: [7] },
			{ id: 5, kind: { name: 'secret' } },
			{ id: 6, segments: null },
		],
	];
	expect(read([page(...entries)], place).map(({ id }) => id)).toEqual([1, 2, 6]);
});

test('the largest total counts, and it may be a text', () => {
	const place = { ...at, total: 'body.total' };
	expect(read([total('2', 1), total(null, 2)], place)).toHaveLength(2);
	expect(() => read([total('2', 1), total('3', 2)], place)).toThrow(/has 3 entries/);
});

test.each(['1,234', '1.234', "1'234", '1 234', 1234, ' 1234'])('the total %j is 1234', (number) => {
	expect(() => read([total(number, 1)], { ...at, total: 'body.total' })).toThrow(
		/has 1234 entries according to 'body.total', but only 1 different/,
	);
});

// The responses are shortened from the documentation of the APIs.
describe('Where the List Is', () => {
	const placeOf = (api: string, site = 'https://example.com/') => apis({ api, site })[0].json;

	test('an API that is not in the table changes nothing', () => {
		expect(() => placeOf('Typo3')).toThrow(
			/no API 'Typo3' .* only Example, WordPress, Zendesk/,
		);
		expect(() => placeOf('constructor')).toThrow(/no API 'constructor'/);
	});

	test('WordPress', () => {
		const headers = { 'x-wp-total': '2', 'x-wp-totalpages': '1' };
		const entry = (id: number) => ({
			...{ id, link: `https://example.com/${id}/` },
			title: {
				rendered: 'Rock &#038; Roll &#8211; <em>&quot;live&quot;</em> Caf&eacute; &hellip;',
			},
			content: { rendered: '<p>A</p>', protected: false },
		});
		const place = placeOf('WordPress');
		expect(place).toMatchObject({
			site: 'https://example.com',
			pages: 'headers.x-wp-totalpages',
		});
		expect(read([{ body: [entry(1), entry(2)], headers }], place)[1]).toEqual({
			...{ id: 2, name: 'Rock & Roll – "live" Café …', url: 'https://example.com/2/' },
			text: 'A',
		});
		expect(() => read([{ body: [entry(1)], headers }], place)).toThrow(/has 2 entries/);
	});

	test('Zendesk, without drafts', () => {
		const article = (id: number, draft: boolean) => ({
			...{
				id,
				draft,
				title: 'Title',
				body: '<p>A</p>',
				html_url: `https://example.com/${id}`,
			},
		});
		const body = {
			...{ count: 2, page: 1, page_count: 1, per_page: 100, next_page: null },
			articles: [article(35467, false), article(35468, true)],
		};
		const only = (more: object) => ({ ...article(35469, false), ...more });
		body.articles.push(
			...[
				only({ user_segment_id: 11 }),
				only({ user_segment_id: null, user_segment_ids: [12] }),
			],
			only({ user_segment_id: null, user_segment_ids: [], id: 35470 }),
		);
		body.count = 5;
		const listedIds = read([{ body }], placeOf('Zendesk')).map(({ id }) => id);
		expect(listedIds).toEqual([35467, 35470]);
		const all = { ...placeOf('Zendesk'), leaveOut: 'draft' };
		expect(read([{ body }], all)).toHaveLength(4);
		body.articles.splice(2);
		body.count = 2;
		expect(read([{ body }], placeOf('Zendesk'))).toEqual([
			{
				...{ id: 35467, name: 'Title', url: 'https://example.com/35467' },
				text: 'A',
			},
		]);
	});

	test('Confluence', () => {
		const result = {
			...{
				id: '393219',
				type: 'page',
				status: 'current',
				title: 'Map<String, Integer> explained',
			},
			...{ body: { view: { value: '<p>A</p>', representation: 'view' } } },
			_links: { webui: '/display/FS/First+space' },
		};
		const body = {
			results: [result],
			start: 0,
			limit: 50,
			size: 1,
			_links: { context: '/wiki' },
		};
		const place = placeOf('Confluence', 'https://example.atlassian.net/wiki');
		const restrictedTo = (users: object[], groups: object[]) => ({
			read: {
				restrictions: {
					user: { results: users, size: users.length },
					group: { results: groups },
				},
			},
		});
		const others = [
			{
				...result,
				id: '1',
				space: { key: 'DOCS', type: 'global' },
				restrictions: restrictedTo([], []),
			},
			{ ...result, id: '2', space: { key: '~ann', type: 'personal' } },
			{ ...result, id: '3', restrictions: restrictedTo([{ accountId: 'ann' }], []) },
			{ ...result, id: '4', restrictions: restrictedTo([], [{ name: 'board' }]) },
		];
		const kept = read([{ body: { ...body, results: others } }], place).map(({ id }) => id);
		expect(kept).toEqual(['1']);
		const everything = read([{ body: { ...body, results: others } }], {
			...place,
			leaveOut: '',
		});
		expect(everything).toHaveLength(4);
		expect(read([{ body }], place)).toEqual([
			{
				...{ id: '393219', name: 'Map<String, Integer> explained', text: 'A' },
				url: 'https://example.atlassian.net/wiki/display/FS/First+space',
			},
		]);
	});
});

test('HTML becomes text, even if nothing is left of it', () => {
	const place = { ...at, isHtml: true };
	const texts = [
		page({ id: 1, text: '<img>' }, { id: 2, text: '<p>A&amp;B' }, { id: 3, text: 4 }),
	];
	expect(read(texts, place).map(({ text }) => text)).toEqual(['', 'A&B', 4]);
	expect(read([page({ id: 1, text: '<p>' })])[0].text).toBe('<p>');
});

describe('fields', () => {
	const fieldsOf = (api: string, fields: string, entry: object) => {
		const [{ json: place }] = apis({ api, site: 'https://a', fields });
		const list = place.list
			.split('.')
			.slice(1)
			.reduceRight((value, name) => ({ [name]: value }), [entry] as unknown);
		const headers = { 'x-wp-total': '1' };
		const body = place.total.startsWith('body.') ? { ...(list as object), count: 1 } : list;
		return { place, fields: pages({ responses: [{ body, headers }], place })[0].json.fields };
	};

	test.each<[api: string, fields: string, entry: object, expected: object, inPath: string]>([
		[
			'WordPress',
			'labels, changed',
			{
				id: 1,
				modified_gmt: '2026-01-01T00:00:00',
				_embedded: { 'wp:term': [[{ name: 'A' }], [], [{ name: 'B' }, {}]] },
			},
			{ labels: ['A', 'B'], changed: '2026-01-01T00:00:00' },
			'&_embed=wp:term',
		],
		[
			'Zendesk',
			'labels, section, language',
			{ id: 1, label_names: ['A'], section_id: 7, locale: 'en-us' },
			{ labels: ['A'], section: 7, language: 'en-us' },
			'articles.json',
		],
		[
			'Confluence',
			'labels, space, author',
			{
				...{ id: 1, space: { name: 'Docs' } },
				...{ metadata: { labels: { results: [{ name: 'A' }] } } },
				version: { by: { displayName: 'Ann' } },
			},
			{ labels: ['A'], space: 'Docs', author: 'Ann' },
			'version,metadata.labels',
		],
	])('of %s', (api, names, entry, expected, inPath) => {
		const { place, fields } = fieldsOf(api, names, entry);
		expect(fields).toEqual(expected);
		expect(place.path).toContain(inPath);
		expect(fieldsOf(api, '', entry).fields).toBeUndefined();
	});

	test('none are asked for unless they are named', () => {
		const path = (api: string, fields?: string) =>
			apis({ api, site: 'https://a', fields })[0].json.path;
		expect(path('WordPress')).not.toContain('_embed');
		expect(path('Confluence')).not.toContain('metadata.labels');
		expect(() => path('Zendesk', 'space')).toThrow(/no field 'space', .* only labels, section/);
	});
});
