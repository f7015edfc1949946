import { fieldOf, nameIn, plainName, withoutField } from '../../../nodes/shared/formats/fields';

test.each([
	['a', 1],
	['b.c', 'dotted'],
	['b.d', 2],
	['b.e.0', 'first'],
	['b.x', undefined],
	['b.x.y', undefined],
	['a.length', undefined],
	['s.length', undefined],
	['n.x', undefined],
	['constructor', undefined],
	['b.constructor.name', undefined],
	['', 'empty'],
	['.', undefined],
	["m['Article No']", 7],
	["m['a.b'].c[1]", 'second'],
	['b.e[0]', 'first'],
	["b['constructor']", undefined],
	["['Article No']", undefined],
	['odd[1', 'odd'],
])('the field %j is %j', (path, value) => {
	const record = {
		a: 1,
		'b.c': 'dotted',
		b: { c: 'nested', d: 2, e: ['first'] },
		s: 'text',
		n: null,
		'': 'empty',
		m: { 'Article No': 7, 'a.b': { c: ['first', 'second'] } },
		'odd[1': 'odd',
	};
	expect(fieldOf(record, path)).toBe(value);
});

test.each<[string, object]>([
	['a', { b: { c: 1, list: [1, 2] }, 'x.y': 2 }],
	['b.c', { a: 0, b: { list: [1, 2] }, 'x.y': 2 }],
	['x.y', { a: 0, b: { c: 1, list: [1, 2] } }],
	['b.x', { a: 0, b: { c: 1, list: [1, 2] }, 'x.y': 2 }],
	['a.x', { a: 0, b: { c: 1, list: [1, 2] }, 'x.y': 2 }],
])('without %j', (path, rest) => {
	const record = { a: 0, b: { c: 1, list: [1, 2] }, 'x.y': 2 };
	const before = structuredClone(record);
	expect(withoutField(record, path)).toEqual(rest);
	expect(record).toEqual(before);
});

describe('names that look the same', () => {
	test.each([
		['Product\u00a0ID', 'Product ID'],
		['Product\u202fID', 'Product ID'],
		['Product \n ID\t', 'Product ID'],
		['\ufeffProduct ID', 'Product ID'],
		['Pro\u200bduct\u2060 \u00adID\u200e', 'Product ID'],
		['\u200b \u200dProduct ID\u200c ', 'Product ID'],
		['Socie\u0301te\u0301', 'Soci\u00e9t\u00e9'],
	])('%j', (odd, plain) => {
		const record = { [odd]: 1, m: { [odd]: 2 }, other: 3 };
		expect([plainName(odd), plainName(plain)]).toEqual([plain, plain]);
		expect([nameIn(record, plain), nameIn(record, odd)]).toEqual([odd, odd]);
		expect([fieldOf(record, plain), fieldOf(record, `m.${plain}`)]).toEqual([1, 2]);
		expect(fieldOf({ [plain]: 1 }, odd)).toBe(1);
		expect(withoutField(record, plain)).toEqual({ m: { [odd]: 2 }, other: 3 });
		expect(withoutField(record, `m['${plain}']`)).toEqual({ [odd]: 1, m: {}, other: 3 });
	});

	test('the field with exactly this name comes first', () => {
		const record = { 'a\u00a0b': 1, 'a b': 2 };
		expect([fieldOf(record, 'a b'), fieldOf(record, 'a\u00a0b')]).toEqual([2, 1]);
	});

	test.each([
		['ab', 'a b'],
		['Id', 'id'],
		['\u0645\u06cc\u200c\u062e', '\u0645\u06cc\u062e'],
		['\u200b', ''],
	])('but not %j and %j', (one, other) => {
		expect(fieldOf({ [one]: 1 }, other)).toBeUndefined();
	});
});
