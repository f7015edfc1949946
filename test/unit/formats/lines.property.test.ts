/** Tests that random files with one record per line are read as their author meant them. */
import fc from 'fast-check';

import type { RecordFormat } from '../../../nodes/shared/formats/format';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import { ENCODINGS, lengths, readFile, type FoundRecord } from './support';

/** The records of a line. A text that is not the value itself is JSON, or has an error. */
interface Line {
	text: string;
	records?: Array<{ text: string; error?: string }>;
}

const whole = (text: string, error?: string): Line => ({
	text,
	records: [{ text, ...(error !== undefined && { error }) }],
});

/** A line that is longer than the reader keeps before it looks for complete objects. */
const LONG = 'x'.repeat(1_000_001);

/** Blank lines, and lines that no format reads in a special way. */
const BLANK_LINES: Record<string, Line> = {
	'an empty line': { text: '' },
	'a line of white space': { text: ' \t ' },
	'a byte order mark in an empty line': { text: '\ufeff' },
};

const JSON_LINES: Record<string, Line> = {
	...BLANK_LINES,
	'an object': whole('{"id":"a","é":[{}]}'),
	'another value': whole('"😀 }{"'),
	'an empty value': whole('{}'),
	'white space around a value': whole(' \t[1, 2] '),
	'escaped characters': whole('{"a\\\\":"\\"\\\\","\\u00e9":"\\ud83d\\ude00"}'),
	'half of a surrogate pair': whole('"\\ud83d"'),
	'a key twice': whole('{"a":1,"a":2}'),
	'another line separator': whole('"\u2028\u2029\x85"'),
	'a missing value': whole('{"a":}', 'is not valid JSON: '),
	'a word that is no JSON': whole('nul', 'is not valid JSON: '),
	'two lists in a line': whole('[1][2]', 'is not valid JSON: '),
	'a control character': whole('"a\x01"', 'has control characters'),
	'two objects in a line': {
		text: '{"a":"}{\\""} \t{"b":[{}]}',
		records: [{ text: '{"a":"}{\\""}' }, { text: '{"b":[{}]}' }],
	},
	'an object that is no JSON among others': {
		text: '{"a":1}{"b":}{"c":3}',
		records: [
			{ text: '{"a":1}' },
			{ text: '{"b":}', error: 'is not valid JSON: ' },
			{ text: '{"c":3}' },
		],
	},
	'a byte order mark': { text: '\ufeff{"a":1}', records: [{ text: '{"a":1}' }] },
	'objects that were joined at a byte order mark': {
		text: '{"a":1}\ufeff{"b":2}',
		records: [{ text: '{"a":1}' }, { text: '{"b":2}' }],
	},
	'a long line': whole(`{"a":"${LONG}"}`),
	'a long line of two objects': {
		text: `{"a":1}{"b":"${LONG}"}`,
		records: [{ text: '{"a":1}' }, { text: `{"b":"${LONG}"}` }],
	},
};

const TEXT_LINES: Record<string, Line> = {
	...BLANK_LINES,
	'a line of text': whole('a-1'),
	'white space around a text': whole(' é b\t'),
	'quotes and delimiters': whole('"a",b;\'c'),
	'a carriage return': whole('a\rb'),
	'another line separator': whole('a\u2028b\x85c'),
	'a control character': whole('a\x01', 'has control characters'),
	'a byte order mark': { text: '\ufeffa-2', records: [{ text: 'a-2' }] },
	'lines that were joined at a byte order mark': {
		text: 'a-3\ufeffa-4',
		records: [{ text: 'a-3' }, { text: 'a-4' }],
	},
	'a long line': whole(LONG),
};

const ENDS = ['a line break at the end', 'no line break at the end', 'an end-of-file character'];
/** A line of text that is cut off is a shorter line of text. */
const JSON_ENDS = [...ENDS, 'a line that is cut off'];
const CUT_OFF: Line = {
	text: '{"a":1}{"b":',
	records: [{ text: '{"a":1}' }, { text: '{"b":', error: 'is not valid JSON: .* truncated$' }],
};
const LINE_BREAKS = ['\n', '\r\n'];

const isLong = (kind: string) => kind.startsWith('a long line');

interface AnyFile {
	kinds: string[];
	encoding: (typeof ENCODINGS)[0];
	/** These line breaks take turns. */
	lineBreaks: string[];
	end: string;
	skip: number;
	cuts: number[];
}

const anyFile = (all: string[], ends: string[]): fc.Arbitrary<AnyFile> =>
	fc.record({
		kinds: fc.array(
			fc.oneof(
				{ weight: 100, arbitrary: fc.constantFrom(...all.filter((kind) => !isLong(kind))) },
				{ weight: 2, arbitrary: fc.constantFrom(...all.filter(isLong)) },
			),
			{ maxLength: 10 },
		),
		encoding: fc.constantFrom(...ENCODINGS),
		lineBreaks: fc.subarray(LINE_BREAKS, { minLength: 1 }),
		end: fc.constantFrom(...ends),
		skip: fc.nat(3),
		cuts: lengths,
	});

function linesOf({ kinds, end }: AnyFile, all: Record<string, Line>): Line[] {
	const lines = kinds.map((kind) => all[kind]);
	if (end === 'an end-of-file character') lines.push({ text: '\x1a' });
	if (end === 'a line that is cut off') lines.push(CUT_OFF);
	// Without a line break, an empty line is no line.
	while (end === 'no line break at the end' && /^\ufeff?$/.test(lines.at(-1)?.text ?? 'none'))
		lines.pop();
	return lines;
}

describe.each<[RecordFormat, Record<string, Line>, string[], (text: string) => unknown]>([
	['jsonLines', JSON_LINES, JSON_ENDS, JSON.parse],
	['lines', TEXT_LINES, ENDS, (text) => text],
])('%s', (format, all, ends, valueOf) => {
	const variations = new Variations();

	test('each line becomes one record, one error, several of them, or nothing', async () => {
		await fc.assert(
			fc.asyncProperty(anyFile(Object.keys(all), ends), async (file) => {
				const { kinds, encoding, lineBreaks, end, skip, cuts } = file;
				variations.note({
					...occurring(Object.keys(all), (name) => kinds.includes(name)),
					...occurring(
						ENCODINGS.map(([name]) => name),
						(name) => encoding[0] === name,
					),
					...occurring(ends, (name) => end === name),
					'LF and CRLF': lineBreaks.length > 1,
					'only LF': lineBreaks.join() === '\n',
					'only CRLF': lineBreaks.join() === '\r\n',
					'records to skip': skip > 0,
				});
				const expected: FoundRecord[] = [];
				let blankRows = 0;
				const lines = linesOf(file, all);
				for (const [at, { records }] of lines.entries()) {
					if (!records && expected.length >= skip) blankRows++;
					for (const { text, error } of records ?? []) {
						const place = { record: expected.length + 1, line: at + 1, text };
						const message = `^(Line|.* \\(line) ${at + 1}\\)? ${error}`;
						expected.push(
							error === undefined
								? { ...place, value: valueOf(text) }
								: { ...place, error: expect.stringMatching(message) },
						);
					}
				}
				const text = lines
					.map((line, at) => {
						const isLast = end !== ENDS[0] && at === lines.length - 1;
						return line.text + (isLast ? '' : lineBreaks[at % lineBreaks.length]);
					})
					.join('');
				const found = await readFile(format, encoding[1](text), {
					cuts: kinds.some(isLong) ? cuts.map((length) => length * 5000) : cuts,
					skip,
				});
				expect(found.records).toEqual(expected.slice(skip));
				expect(found.error).toBe('');
				expect(found.findings.byKind.get('blankRow')?.total ?? 0).toBe(blankRows);
			}),
			{ numRuns: runs(200) },
		);
	});

	test('each variation has occurred', () => {
		expect(variations.rarerThan(0.5)).toEqual([]);
	});
});
