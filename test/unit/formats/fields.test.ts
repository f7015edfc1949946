import { fieldOf, withoutField } from '../../../nodes/shared/formats/fields';

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
