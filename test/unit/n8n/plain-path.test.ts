import {
	NOT_PLAIN,
	parsePlainPath,
	readPlainPath,
} from '../../../nodes/shared/n8n/parameters/plain-path';

describe('an expression that only reads a field', () => {
	it.each([
		['={{ $json }}', []],
		['={{ $json.a }}', ['a']],
		['={{$json.a.b}}', ['a', 'b']],
		['={{ $json["a b"] }}', ['a b']],
		["={{ $json['a.b'].c }}", ['a.b', 'c']],
		['={{ $json.list[0] }}', ['list', '0']],
		['={{\n\t$json.größe\n}}', ['größe']],
		['={{ $json["it\'s"] }}', ["it's"]],
		['={{ $json[""] }}', ['']],
	])('%s is a path', (expression, path) => {
		expect(parsePlainPath(expression)).toEqual(path);
	});

	it.each([
		' ={{ $json.a }}',
		'={{ $json.a }} ',
		'= {{ $json.a }}',
		'={{ $json.a }}\n',
		'={{ $json.a }}{{ $json.b }}',
		'{{ $json.a }}',
		'={{ $json.a + 1 }}',
		'={{ $json.a() }}',
		'={{ $json .a }}',
		'={{ $json.list[-1] }}',
		'={{ $json.list[01] }}',
		'={{ $json.list[i] }}',
		'={{ $json["\\x61"] }}',
		'={{ $json["a}}"] }}',
		'={{ $json.length }}',
		'={{ $json.a.constructor }}',
		'={{ $json["__proto__"] }}',
		'={{ $json.prototype }}',
		'={{ $json.toString }}',
		'={{ $item.json.a }}',
		'={{ $jsona }}',
	])('%j is not one', (expression) => {
		expect(parsePlainPath(expression)).toBeUndefined();
	});
});

describe('a field', () => {
	it.each([
		[{ a: { b: 1 } }, ['a', 'b'], 1],
		[{ a: [{ b: 'x' }] }, ['a', '0', 'b'], 'x'],
		[{ a: [1] }, ['a', '1'], undefined],
		[{ a: null }, ['a'], null],
		[{ a: null }, ['a', 'b'], undefined],
		[{}, ['a', 'b', 'c'], undefined],
		[{ a: { 0: 'x' } }, ['a', '0'], 'x'],
		[{ a: [1, { b: undefined }] }, ['a'], [1, { b: undefined }]],
		[Object.assign(Object.create(null) as object, { a: 1 }), ['a'], 1],
	])('of %j at %j is %j', (json, path, value) => {
		expect(readPlainPath(json, path)).toEqual(value);
	});

	it.each<[string, unknown, string[]]>([
		['a step into text', { a: 'text' }, ['a', '0']],
		['a step into a date', { a: new Date(0) }, ['a', 'b']],
		['a member of a list that is no entry', { a: [1] }, ['a', 'b']],
		['a date', { a: new Date(0) }, ['a']],
		['a buffer', { a: Buffer.from('x') }, ['a']],
		['NaN', { a: NaN }, ['a']],
		['a function', { a: () => 1 }, ['a']],
		['an inherited member', Object.create({ a: 1 }), ['a']],
	])('that is %s is left to n8n', (_what, json, path) => {
		expect(readPlainPath(json, path)).toBe(NOT_PLAIN);
	});

	it('is the part of the item itself, not a copy', () => {
		const json = { a: { b: 1 } };
		expect(readPlainPath(json, ['a'])).toBe(json.a);
	});
});
