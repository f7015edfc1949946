import { parsePlainPath } from '../../../nodes/shared/parameters/plain-path';

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
