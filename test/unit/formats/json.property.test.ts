/**
 * Tests that random JSON files are read as their author meant them, whole or cut off anywhere. The generator knows which
 * records each file has.
 */
import fc from 'fast-check';

import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import { ENCODINGS, lengths, readFile, type FoundRecord } from './support';

/** Values in the list. Each text is JSON, or has an error. */
const ELEMENTS: Record<string, fc.Arbitrary<[text: string, error?: string]>> = {
	'any value': fc.json({ maxDepth: 2 }).map((text) => [text]),
	'an object': fc.constant(['{"id":"a","more":{"list":[1,{}]}}']),
	'brackets in a string': fc.constant(['{"a":"]}","b":"[{,"}']),
	'escaped characters': fc.constant(['{"a\\\\":"\\"\\\\","\\u00e9":"\\n\\/"}']),
	'an escaped surrogate pair': fc.constant(['"\\ud83d\\ude00"']),
	'half of a surrogate pair': fc.constant(['["\\ud83d"]']),
	'characters of several bytes': fc.constant(['{"é€":"😀"}']),
	'a key twice': fc.constant(['{"a":1,"b":2,"a":3}']),
	'line breaks': fc.constantFrom(['{\n"a":\r\n[\n]}'], ['[\n1]']),
	'an empty value': fc.constantFrom(['""'], ['{}'], ['[]'], ['null']),
	'a word that is no JSON': fc.constantFrom(
		['tru', 'is not valid JSON: '],
		['{"a":nul}', 'is not valid JSON: '],
	),
	'a missing value': fc.constant(['{"a":}', 'is not valid JSON: ']),
	'a line break in a string': fc.constant(['"a\nb"', 'is not valid JSON: ']),
	'a control character': fc.constant(['{"a":"\x01"}', 'has control characters']),
};

interface Layout {
	path: string;
	before: string;
	after: string;
}

const LAYOUTS: Record<string, Layout> = {
	'a list': { path: '', before: '[', after: ']' },
	'a list in an object': {
		path: 'data.docs',
		before: '{"data":{"docs":[',
		after: ']},"x":[{}]}',
	},
	'an escaped key': { path: 'data.dôcs', before: '{"d\\u0061ta":{"d\\u00f4cs":[', after: ']}}' },
	'a key with a dot': { path: 'data.docs', before: '{"a.b":[7],"data.docs":[', after: ']}' },
	'the key twice': {
		...{ path: 'data.docs', before: '{"data":{"docs":[' },
		after: ']},"data":{"docs":[7]},"docs":[7]}',
	},
	'other lists before the list': {
		...{ path: 'data.docs', after: ']}}' },
		before: '{"x":{"data":{"docs":[7]}},\n"data":{"é":[{"docs":[7]}],"y":{"docs":[7]},"docs":[',
	},
};

/** White space between an element and the commas around it. */
const SPACES = ['', ' ', '\n', '\r\n\t'];

const ENDS = [
	...(['the end of the JSON', 'white space', 'more text', 'a cut anywhere'] as const),
	...(['a cut after an element', 'a cut after the space after an element'] as const),
	'a cut within a character',
] as const;

const anyFile = fc.record({
	layout: fc.constantFrom(...Object.keys(LAYOUTS)),
	encoding: fc.constantFrom(...ENCODINGS),
	elements: fc.array(
		fc.constantFrom(...Object.keys(ELEMENTS)).chain((kind) =>
			fc.record({
				kind: fc.constant(kind),
				element: ELEMENTS[kind],
				before: fc.constantFrom(...SPACES),
				after: fc.constantFrom(...SPACES),
			}),
		),
		{ maxLength: 6 },
	),
	end: fc.constantFrom(...ENDS),
	/** Where the file is cut off, as a share of its bytes or elements. */
	cutAt: fc.double({ min: 0, max: 1, noNaN: true }),
	skip: fc.nat(3),
	cuts: lengths,
});

type AnyFile = typeof anyFile extends fc.Arbitrary<infer Value> ? Value : never;

const lineAfter = (text: string) => text.split('\n').length;

interface Element {
	found: FoundRecord;
	/** Length of the text with the element, and with the white space after it. */
	end: number;
	spaceEnd: number;
	/** Length of the text that is enough to read the element. */
	enough: number;
}

function write({ layout, elements }: AnyFile): { text: string; written: Element[] } {
	const { before, after } = LAYOUTS[layout];
	const written: Element[] = [];
	let text = before;
	for (const [at, { element, ...spaces }] of elements.entries()) {
		const [own, error] = element;
		text += (at > 0 ? ',' : '') + spaces.before;
		const place = { record: at + 1, line: lineAfter(text), text: own };
		const message = `^Record ${place.record} \\(line ${place.line}\\) ${error}`;
		const end = text.length + own.length;
		const spaceEnd = end + spaces.after.length;
		// Only a brace shows that an element is complete. A number, for example, could continue.
		const enough = own.endsWith('}') ? end : spaceEnd + 1;
		const found: FoundRecord =
			error === undefined
				? { ...place, value: JSON.parse(own) }
				: { ...place, error: expect.stringMatching(message) };
		written.push({ found, end, spaceEnd, enough });
		text += own + spaces.after;
	}
	return { text: text + after, written };
}

/** Returns the bytes of a file that ends as wanted. */
function endedBytes(
	{ end, cutAt, encoding }: AnyFile,
	text: string,
	written: Element[],
): Uint8Array {
	const [, encode] = encoding;
	const element = written[Math.floor(cutAt * written.length)];
	const ends: Record<AnyFile['end'], () => Uint8Array> = {
		'the end of the JSON': () => encode(text),
		'white space': () => encode(text + WHITE_SPACE),
		'more text': () => encode(text + MORE_TEXT),
		'a cut anywhere': () => encode(text).subarray(0, cutAt * encode(text).length),
		'a cut within a character': () => {
			const at = text.search(/[^\0-\x7f]/);
			return encode(text).subarray(
				0,
				at < 0 ? undefined : encode(text.slice(0, at)).length + 1,
			);
		},
		'a cut after an element': () => encode(text.slice(0, element?.end ?? 0)),
		'a cut after the space after an element': () =>
			encode(text.slice(0, element?.spaceEnd ?? 0)),
	};
	return ends[end]();
}

const WHITE_SPACE = ' \r\n\n';
const MORE_TEXT = '\n 1';

/** Returns the beginning of a text whose characters are all within this number of bytes. */
function within(text: string, bytes: number, encode: (text: string) => Buffer): string {
	let whole = '';
	let left = bytes - encode('').length;
	for (const character of text) {
		left -= encode(character).length - encode('').length;
		if (left < 0) break;
		whole += character;
	}
	return whole;
}

const variations = new Variations();

test('each element of the list becomes one record or one error', async () => {
	await fc.assert(
		fc.asyncProperty(anyFile, async (file) => {
			const { layout, encoding, end, skip, cuts, elements } = file;
			const [, encode] = encoding;
			const { text, written } = write(file);
			const bytes = endedBytes(file, text, written);
			const rest = within(text, bytes.length, encode);
			const isCut = rest !== text;
			variations.note({
				...occurring(Object.keys(ELEMENTS), (name) =>
					elements.some(({ kind }) => kind === name),
				),
				...occurring(Object.keys(LAYOUTS), (name) => layout === name),
				...occurring(
					ENCODINGS.map(([name]) => name),
					(name) => encoding[0] === name,
				),
				...occurring(ENDS, (name) => end === name),
				'a cut within a character': isCut && encode(rest).length < bytes.length,
				'an empty list': elements.length === 0,
				'records to skip': skip > 0,
				...occurring(SPACES.map(inWords), (name) =>
					elements.some(({ before }) => inWords(before) === name),
				),
			});
			const { path } = LAYOUTS[layout];
			const found = await readFile('jsonArray', bytes, { cuts, skip, path });
			const expected = written.filter(({ enough }) => enough <= rest.length);
			expect(found.records).toEqual(expected.slice(skip).map((element) => element.found));
			// A part of a byte order mark is read as text that is not JSON.
			const isMark = bytes.length > 0 && bytes.length < encode('').length;
			if (isCut) expect(found.error).toMatch(isMark ? /./ : /ends early|truncated|is empty/);
			else if (end === 'more text')
				expect(found.error).toBe(
					`The file has more text after the end of its JSON (line ${lineAfter(text + MORE_TEXT)})`,
				);
			else expect(found.error).toBe('');
		}),
		{ numRuns: runs(400) },
	);
});

const inWords = (spaces: string): string => `${JSON.stringify(spaces)} around elements`;

const OBJECTS: Record<string, string> = {
	'an object': '{"id":1}',
	'two objects': '{"a":"}{"}{"b":2}',
	'two objects with a space between them': '{"é":[{}]} {"b":"😀"}',
	'an object that is no JSON': '{"a":}',
	'an empty line': '',
};

test('a file of objects, each on its own line', async () => {
	const objects = new Variations();
	const anyLines = fc.array(fc.constantFrom(...Object.keys(OBJECTS)), { maxLength: 6 });
	await fc.assert(
		fc.asyncProperty(
			anyLines,
			fc.boolean(),
			fc.nat(3),
			lengths,
			async (kinds, isEnded, skip, cuts) => {
				objects.note({
					...occurring(Object.keys(OBJECTS), (name) => kinds.includes(name)),
					'one object': kinds.length === 0,
					'no line break at the end': !isEnded && kinds.length > 1,
				});
				const lines = ['', '{"id":0}', ...kinds.map((kind) => OBJECTS[kind])];
				const bytes = Buffer.from(lines.join('\n') + (isEnded ? '\n' : ''));
				const { records, error } = await readFile('jsonArray', bytes, { cuts, skip });
				const texts = lines.flatMap((line, at) =>
					line
						.split(/(?<=\})\s?(?=\{["}]\w)/)
						.filter(Boolean)
						.map((text) => [at + 1, text]),
				);
				expect(records.map(({ line, text }) => [line, text])).toEqual(texts.slice(skip));
				expect(records.map(({ record }) => record)).toEqual(
					texts.map((_, at) => at + 1).slice(skip),
				);
				expect(
					records.filter((record) => 'error' in record).map(({ text }) => text),
				).toEqual(
					texts.slice(skip).flatMap(([, text]) => (text === '{"a":}' ? [text] : [])),
				);
				expect(error).toBe('');
			},
		),
	);
	expect(objects.rarerThan(1)).toEqual([]);
});

test('each variation has occurred', () => {
	expect(variations.rarerThan(0.5)).toEqual([]);
});
