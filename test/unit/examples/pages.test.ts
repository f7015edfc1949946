import pages from '../../../examples/src/code/pages';

const at = { list: 'body.items', total: '' };
const page = (...items: unknown[]) => ({ body: { items } });
const total = (number: unknown, ...items: unknown[]) => ({ body: { items, total: number } });
const read = (responses: Array<{ body: unknown }>, place = at) =>
	pages({ responses, place }).map(({ json }) => json);

test('all entries of all pages are returned', () => {
	expect(read([page({ a: 1 }, { a: 2 }), page({ a: 3 }), page()])).toEqual([
		{ a: 1 },
		{ a: 2 },
		{ a: 3 },
	]);
	expect(read([{ body: [{ a: 1 }] }], { list: 'body', total: '' })).toEqual([{ a: 1 }]);
	expect(read([page(), page()])).toEqual([]);
});

test.each<[what: string, responses: Array<{ body: unknown }>, place: typeof at, why: RegExp]>([
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
	['no total', [page(1)], { ...at, total: 'body.total' }, /no number at 'body.total'/],
])('%s changes nothing', (_what, responses, place, why) => {
	expect(() => read(responses, place)).toThrow(why);
	expect(() => read(responses, place)).toThrow(/^Nothing was changed: /);
});

test('the largest total counts, and it may be a text', () => {
	const place = { ...at, total: 'body.total' };
	expect(read([total('2', 1), total(null, 2)] as never, place)).toHaveLength(2);
	expect(() => read([total('2', 1), total('3', 2)], place)).toThrow(/has 3 entries/);
});
