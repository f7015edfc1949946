import fc from 'fast-check';

import { ReplyReader } from '../../../nodes/shared/service/reply-reader';

/** Reads a text cut into pieces of the given lengths, over and over. */
function read(text: string, lengths: number[] = [text.length]): unknown {
	const reader = new ReplyReader();
	for (let at = 0, turn = 0; at < text.length; turn++) {
		const length = Math.max(1, lengths[turn % lengths.length] ?? 1);
		reader.push(text.slice(at, at + length));
		at += length;
	}
	return reader.end();
}

const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const numbers = fc.array(fc.oneof(fc.integer(), fc.double({ noNaN: true })), { maxLength: 6 });
const trickyText = fc
	.array(fc.constantFrom('[', ']', '"', '\\', '1', ',', ' ', '{', 'e', 'é', '😀'), {
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
		fc.dictionary(fc.oneof(trickyText, fc.constant('__proto__')), tie('content'), {
			maxKeys: 4,
		}),
	),
}));

/** What `JSON.parse` makes of a text, or the text. */
function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

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

test('takes a damaged text for JSON only where JSON.parse does', () => {
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
				const expected = parsed(text);
				const found = read(text, cuts);
				if (typeof expected === 'object') expect(found).toStrictEqual(expected);
				else expect(typeof found).toBe(typeof expected);
			},
		),
		{ numRuns: 1000 },
	);
});

test.each(['', '<html>[1, 2] "[3]"</html>', 'Bad Gateway', '[404] Not found', '"', '\\', '['])(
	'gives the text %j as it is',
	(text) => {
		expect(read(text, [1])).toBe(text);
		expect(read(text)).toBe(text);
	},
);

test('a beginning of JSON is text', () => {
	const whole = JSON.stringify({
		vectors: [
			[1, 2.5],
			['a', '[1'],
		],
		status: 'READY',
	});
	for (let length = 1; length < whole.length; length++) {
		expect(typeof read(whole.slice(0, length), [3])).toBe('string');
	}
});

test('one array of very many numbers is not read over and over', () => {
	const vector = Array.from({ length: 300_000 }, (_, index) => index / 7);
	const text = JSON.stringify({ vector });
	// Each time, all that has come since the last complete token is gone through.
	const passes = jest.spyOn(ReplyReader.prototype as unknown as { read: () => void }, 'read');
	const found = read(text, [1000]);
	const { length } = passes.mock.calls;
	passes.mockRestore();
	expect(found).toEqual({ vector });
	expect(length).toBeGreaterThan(5);
	expect(length).toBeLessThan(3 + Math.log2(text.length / 1000));
});
