import fc from 'fast-check';

import { JsonReader } from '../../../nodes/shared/records/json/json-reader';
import { ValueEnd } from '../../../nodes/shared/records/json/json-text';
import { cut, lengths, parsed } from './support';

/** Reads a text cut into pieces of the given lengths, over and over. */
function read(text: string, cuts: number[] = [text.length]): unknown {
	const reader = new JsonReader();
	for (const piece of cut(text, cuts)) reader.push(piece);
	return reader.end();
}

/** How many characters are read to find the ends of values. */
function charactersRead(work: () => void): number {
	let characters = 0;
	const { find } = ValueEnd.prototype;
	const spy = jest.spyOn(ValueEnd.prototype, 'find').mockImplementation(function (
		this: ValueEnd,
		piece,
		from,
	) {
		const end = find.call(this, piece, from);
		characters += (end < 0 ? piece.length : end) - from;
		return end;
	});
	try {
		work();
	} finally {
		spy.mockRestore();
	}
	return characters;
}

const numbers = fc.array(fc.oneof(fc.integer(), fc.double({ noNaN: true })), { maxLength: 6 });
const trickyText = fc
	.array(fc.constantFrom('[', ']', '"', '\\', '1', ',', ' ', '{', 'e', 'é', '😀', '\ud800'), {
		maxLength: 12,
	})
	.map((characters) => characters.join(''));
const { content } = fc.letrec<{ content: unknown }>((tie) => ({
	content: fc.oneof(
		{ maxDepth: 5 },
		numbers,
		trickyText,
		fc.jsonValue(),
		fc.array(tie('content'), { maxLength: 4 }),
		fc.dictionary(
			fc.oneof(trickyText, fc.constantFrom('__proto__', '1', '0')),
			tie('content'),
			{
				maxKeys: 4,
			},
		),
	),
}));

/** Long enough that lists and objects are read value by value. */
const PADDING = 'padding '.repeat(20_000);

/** Puts a value deep into a long text, so that all that surrounds it is read value by value. */
const surrounded = (json: string): string =>
	`{"first":[${json},{"list":[],"padding":"${PADDING}","value":${json}}],"last":${json}}`;

test('reads what JSON.parse reads, however the text is cut', () => {
	fc.assert(
		fc.property(
			content,
			lengths,
			fc.constantFrom(undefined, 1, '\t'),
			(value, cuts, indent) => {
				const text = JSON.stringify({ value }, undefined, indent);
				expect(read(text, cuts)).toStrictEqual(JSON.parse(text));
				const other = JSON.stringify(value, undefined, indent);
				expect(read(other, cuts)).toStrictEqual(JSON.parse(other));
			},
		),
		{ numRuns: 1000 },
	);
});

test('reads a long text as JSON.parse does, value by value', () => {
	fc.assert(
		fc.property(content, fc.integer({ min: 1, max: 100_000 }), (value, length) => {
			const text = surrounded(JSON.stringify(value, undefined, 1));
			expect(read(text, [length])).toStrictEqual(JSON.parse(text));
		}),
		{ numRuns: 100 },
	);
});

test.each([
	'-0',
	'1e400',
	'"\\ud83d\\ude00 \\ud800"',
	'{"a":1,"b":2,"a":3}',
	'{"__proto__":{"polluted":true}}',
	'{"10":1,"9":2,"x":3}',
	' \t\r\n[ 1 , 2 ] \n',
	'[[],{},[[]],[{}]]',
	'null',
	'0.1E-7',
	'[1,"2",null,true]',
])('reads %j like JSON.parse, alone and within a long text', (json) => {
	for (const text of [json, surrounded(json)]) {
		for (const cuts of [[text.length], [65_536], ...(text === json ? [[1]] : [])]) {
			const found = read(text, cuts);
			expect(found).toStrictEqual(JSON.parse(text));
			expect(JSON.stringify(found)).toBe(JSON.stringify(JSON.parse(text)));
		}
	}
	expect(Object.is(read('-0'), -0)).toBe(true);
});

test.each<[string, unknown]>([
	['NaN', null],
	['-Infinity', null],
	['[NaN,1, Infinity ,-Infinity]', [null, 1, null, null]],
	['{"a":[0.5,NaN],"NaN":"NaN \\"Infinity\\\\"}', { a: [0.5, null], NaN: 'NaN "Infinity\\' }],
])('reads %s, which Python writes, with null for what is no number', (text, value) => {
	for (const cuts of [[text.length], [1]]) expect(read(text, cuts)).toStrictEqual(value);
	const long = surrounded('7').replaceAll(/(?<=[[:])7/g, text);
	expect(read(long, [1000])).toStrictEqual(
		JSON.parse(surrounded('7').replaceAll(/(?<=[[:])7/g, JSON.stringify(value))),
	);
});

test.each(['[-NaN]', '[NaN', '[Nan]', '[NaN1]', '[1NaN]', '[+Infinity]', '{"a":NaN "b"}', '[I]'])(
	'%s is not JSON',
	(text) => {
		expect(read(text)).toBe(text);
		expect(read(text, [1])).toBe(text);
	},
);

test('reads damaged text as JSON only if JSON.parse does', () => {
	fc.assert(
		fc.property(
			content,
			lengths,
			fc.nat(),
			fc.string({ maxLength: 2 }),
			(value, cuts, nat, by) => {
				const whole = JSON.stringify({ value });
				const at = nat % whole.length;
				const text = whole.slice(0, at) + by + whole.slice(at + 1);
				expect(read(text, cuts)).toStrictEqual(parsed(text));
			},
		),
		{ numRuns: 1000 },
	);
});

test.each([
	'[1 2]',
	'{"a":1 "b":2}',
	'{"a" 1}',
	'{a:1}',
	'{"a":}',
	'{"a":1,}',
	'[1,]',
	'[,1]',
	'[1}',
	'{"a":1]',
	'{"a":tru}',
	'{"a":01}',
	'{"a":"\n"}',
	'{"a":"\\x"}',
	'{"a":+1}',
	'{"a":.5}',
	'{]',
	'[}',
	'{,}',
	'{"a",1}',
	'{1:1}',
	'\u00a01',
])('%j is not JSON, alone and within a long text', (json) => {
	expect(read(json)).toBe(json);
	expect(read(json, [1])).toBe(json);
	const long = surrounded(json);
	expect(read(long)).toBe(long);
	expect(read(long, [1000])).toBe(long);
});

test.each([
	'',
	' ',
	'<html>[1, 2] "[3]"</html>',
	'Bad Gateway',
	'[404] Not found',
	'"',
	'\\',
	'[',
	'{}{}',
	'1 2',
	'[],',
	'[],[]',
	'1,2',
])('gives the text %j as it is', (text) => {
	expect(read(text, [1])).toBe(text);
	expect(read(text)).toBe(text);
});

test('a beginning of JSON is text', () => {
	const whole = JSON.stringify({
		vectors: [
			[1, 2.5],
			['a', '[1'],
		],
		status: 'READY',
	});
	for (let length = 1; length < whole.length; length++) {
		expect(read(whole.slice(0, length), [3])).toBe(whole.slice(0, length));
	}
});

test('a long text that turns out not to be JSON keeps its content', () => {
	const vectors = Array.from({ length: 400 }, (_, index) => ({
		text: `Chunk ${index} ${'é'.repeat(3000)}`,
		vector: [index, 0.5],
	}));
	const whole = JSON.stringify({ status: 'READY', data: vectors });
	for (const end of ['}', ',"vector":[1,2', ',"vector"', ' <html>']) {
		const found = read(`${whole.slice(0, -3)}${end}`, [65_536]);
		expect(typeof found).toBe('string');
		const text = found as string;
		for (const { text: each } of vectors) expect(text.includes(each)).toBe(true);
		expect(text.endsWith(end)).toBe(true);
		expect(text.length).toBeLessThan(whole.length + 100);
	}
});

describe('nesting', () => {
	const nested = (depth: number): string =>
		`${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;

	test.each([[[100_000]], [[1000]]])(
		'keeps what is deeper than 200 levels as text (pieces of %j)',
		(cuts) => {
			expect(read(nested(200), cuts)).toStrictEqual(JSON.parse(nested(200)));
			let value = read(`{"b":2,"a":${nested(202)}}`, cuts);
			expect(value).toMatchObject({ b: 2 });
			for (let depth = 0; depth < 200; depth++) value = Object.values(value as object).at(-1);
			expect(value).toBe('{"a":[{"a":1}]}');
		},
	);

	test('keeps only what is too deep as text, and what is beside it', () => {
		const text = `{"status":"READY","data":[[0.5],{"a":1}],"message":${nested(3000)},"last":[]}`;
		for (const cuts of [[100_000], [7]]) {
			const found = read(text, cuts) as Record<string, unknown>;
			expect(Object.keys(found)).toStrictEqual(['status', 'data', 'message', 'last']);
			expect(found).toMatchObject({ status: 'READY', data: [[0.5], { a: 1 }], last: [] });
			let value = found.message;
			for (let depth = 0; depth < 199; depth++) value = Object.values(value as object)[0];
			expect(JSON.parse(value as string)).toStrictEqual(JSON.parse(`{"a":${nested(2800)}}`));
		}
	});

	test('invalid JSON below the deepest level is found', () => {
		const text = nested(3000).replace('1', 'x');
		expect(read(text)).toBe(text);
		expect(read(text, [100])).toBe(text);
	});

	test('what is nested far too deep costs no time', () => {
		const json = nested(100_000);
		const characters = charactersRead(() => {
			expect(read(`{"a":${json},"b":1}`, [10_000])).toMatchObject({ a: [{}], b: 1 });
		});
		expect(characters).toBeLessThan(12 * json.length);
	});

	test('only what is nested too deep is read value by value', () => {
		const member = { a: 1, b: 2, c: 3, d: 4, e: 5, text: 'x'.repeat(300) };
		const list = Array.from({ length: 1000 }, () => member);
		const text = `[${nested(300)},${JSON.stringify(list).slice(1)}`;
		const spy = jest.spyOn(JSON, 'parse');
		try {
			expect(read(text, [10_000])).toMatchObject([[{}], ...list]);
			expect(spy.mock.calls.length).toBeLessThan(1500);
		} finally {
			spy.mockRestore();
		}
	});

	test('brackets in strings do not count as levels', () => {
		const value = { text: '[{'.repeat(1000), list: Array.from({ length: 500 }, () => [{}]) };
		expect(read(JSON.stringify(value))).toStrictEqual(value);
	});
});

test.each([
	['numbers', { vector: Array.from({ length: 300_000 }, (_, index) => index / 7) }],
	['one string', { text: 'a\\"'.repeat(1_500_000) }],
	['deep lists', Array.from({ length: 20_000 }, () => [[[['a', 1]]], { b: [] }])],
])('one value of very many characters is not read over and over: %s', (_, value) => {
	const text = JSON.stringify(value);
	const characters = charactersRead(() => {
		expect(read(text, [1000])).toStrictEqual(value);
	});
	expect(characters).toBeGreaterThan(text.length / 2);
	expect(characters).toBeLessThan(3 * text.length);
});
