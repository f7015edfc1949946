import { fieldOf, setMember } from '../../../nodes/shared/records/fields';

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
])('the field %j is %j', (path, value) => {
	const record = {
		a: 1,
		'b.c': 'dotted',
		b: { c: 'nested', d: 2, e: ['first'] },
		s: 'text',
		n: null,
		'': 'empty',
	};
	expect(fieldOf(record, path)).toBe(value);
});

test('sets members as JSON.parse does', () => {
	const object: Record<string, unknown> = {};
	setMember(object, 'a', 1);
	setMember(object, '__proto__', { b: 2 });
	expect(object).toStrictEqual(JSON.parse('{"a":1,"__proto__":{"b":2}}'));
	expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
	object.__proto__ = 3;
	expect(JSON.stringify(object)).toBe('{"a":1,"__proto__":3}');
});
