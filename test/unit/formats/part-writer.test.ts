import fc from 'fast-check';

import { FORMATS, type RecordFormat } from '../../../nodes/shared/formats/format';
import {
	LINES,
	PartWriter,
	type Frame,
	type Part,
} from '../../../nodes/shared/formats/part-writer';
import { csvRow } from '../../../support/csv';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import { readAll } from './support';

const withHeader = (header: string): Frame => ({ ...LINES, before: `${header}\n` });
const LIST: Frame = { before: '[\n', between: ',\n', after: '\n]\n' };

function write(texts: string[], maxBytes: number, frame?: Frame): Part[] {
	const writer = new PartWriter(maxBytes, frame);
	const parts = [...texts.map((text) => writer.add(text)), writer.end()];
	expect(writer.end()).toBeUndefined();
	return parts.filter((part) => part !== undefined);
}

const contents = (parts: Part[]) => parts.map(({ buffer }) => buffer.toString());

const contentOf = (texts: string[], { before, between, after }: Frame): string =>
	before + texts.join(between) + after;
const bytesOf = (texts: string[], frame: Frame): number =>
	Buffer.byteLength(contentOf(texts, frame));

const FRAMES: Record<string, Frame> = {
	lines: LINES,
	'rows below a header row': withHeader('ä,b'),
	'a list': LIST,
};

const RECORDS: Record<string, string> = {
	'an empty record': '',
	'a short record': 'a',
	'another short record': 'é€😀',
	// The writer encodes text in blocks of 64 Ki characters.
	'most of a block': 'x'.repeat(40_000),
	'more than a block': 'y'.repeat(70_000),
};

const SIZES = [
	...['a part that is exactly full', 'a record that is one byte too long for a part'],
	...['a record that is too long for any part', 'several parts', 'no records'],
];

test('each part contains as many records as fit, and a record that is too large has its own part', () => {
	const variations = new Variations();
	const anyRecord = fc.oneof(
		{ weight: 6, arbitrary: fc.constantFrom(...Object.keys(RECORDS).slice(0, 3)) },
		{ weight: 1, arbitrary: fc.constantFrom(...Object.keys(RECORDS)) },
	);
	fc.assert(
		fc.property(
			fc.array(anyRecord, { maxLength: 12 }),
			fc.constantFrom(...Object.keys(FRAMES)),
			fc.integer({ min: 1, max: 4 }),
			fc.integer({ min: -1, max: 1 }),
			(kinds, form, count, more) => {
				const texts = kinds.map((kind) => RECORDS[kind] ?? '');
				const frame = FRAMES[form];
				const maxBytes = bytesOf(texts.slice(0, count), frame) + more;
				const expected: string[][] = [];
				const sizes = new Set<string>();
				for (const text of texts) {
					const current = expected.at(-1);
					const bytes = bytesOf([...(current ?? []), text], frame);
					if (current && bytes === maxBytes) sizes.add(SIZES[0]);
					if (current && bytes === maxBytes + 1) sizes.add(SIZES[1]);
					if (bytesOf([text], frame) > maxBytes) sizes.add(SIZES[2]);
					if (current && bytes <= maxBytes) current.push(text);
					else expected.push([text]);
				}
				if (expected.length > 1) sizes.add('several parts');
				if (expected.length === 0) sizes.add('no records');
				const parts = write(texts, maxBytes, frame);
				expect(contents(parts)).toEqual(expected.map((each) => contentOf(each, frame)));
				expect(parts.map(({ records }) => records)).toEqual(
					expected.map(({ length }) => length),
				);
				variations.note({
					...occurring(Object.keys(RECORDS), (kind) => kinds.includes(kind)),
					...occurring(Object.keys(FRAMES), (name) => name === form),
					'characters of several bytes': texts.some((text) => /[^\0-\x7f]/.test(text)),
					...occurring(SIZES, (size) => sizes.has(size)),
				});
			},
		),
		{ numRuns: runs(300) },
	);
	expect(variations.rarerThan(2)).toEqual([]);
});

/** Values, and the variations that they are. */
const CELLS: Record<string, string> = {
	'a quote': '"',
	'two quotes': '""',
	'a line break': 'a\r\nb',
	'a delimiter': ',;\t|',
	'white space': ' a ',
	'an empty cell': '',
};
const DELIMITERS = [',', ';', '\t', '|'];

const VALUES: Record<string, unknown> = {
	'an object': { a: [{ b: '}' }] },
	'an empty object': {},
	'a list': [1, [2], '],['],
	'text with line breaks': '"\n\r\u2028é😀',
	'a number': -0.5,
	null: null,
};

/** Reads what was written, part by part, as the nodes read their own files. */
const readBack = (format: RecordFormat, parts: Part[], delimiter?: string) =>
	contents(parts).flatMap(
		(text) =>
			readAll(FORMATS[format].reader(delimiter === undefined ? {} : { delimiter }), text)
				.records,
	);

test.each<[RecordFormat, Frame]>([
	['jsonLines', LINES],
	['jsonArray', LIST],
])('%s: reads back the values that were written', (format, frame) => {
	const variations = new Variations();
	const anyValue = fc.oneof(
		fc.constantFrom(...Object.values(VALUES)),
		fc.jsonValue({ stringUnit: 'grapheme' }),
	);
	fc.assert(
		fc.property(fc.array(anyValue), fc.integer({ min: 1, max: 200 }), (values, maxBytes) => {
			const lines = values.map((value) => JSON.stringify(value));
			const found = readBack(format, write(lines, maxBytes, frame));
			expect(found.map(({ text }) => text)).toStrictEqual(lines);
			variations.note(
				occurring(Object.keys(VALUES), (name) => values.includes(VALUES[name])),
			);
		}),
		{ numRuns: runs(200) },
	);
	expect(variations.rarerThan(5)).toEqual([]);
});

test('csv: reads back the cells that were written', () => {
	const variations = new Variations();
	// A row of dashes below the header row is skipped, so no cell here consists of dashes.
	const text = fc.string({ unit: 'grapheme' }).filter((value) => !/^\s*-+\s*$/.test(value));
	const anyCell = fc.oneof(text, fc.constantFrom(...Object.values(CELLS)));
	fc.assert(
		fc.property(
			fc.array(fc.tuple(anyCell, anyCell)),
			fc.integer({ min: 1, max: 100 }),
			fc.constantFrom(...DELIMITERS),
			fc.boolean(),
			(cells, maxBytes, delimiter, isKnown) => {
				const hasValue = (row: string[]) =>
					/[^"\s]/.test(row.join('').replaceAll(delimiter, ''));
				const rows = cells.filter(hasValue);
				const texts = rows.map((row) => csvRow(row, delimiter));
				const header = withHeader(csvRow(['first', 'second'], delimiter));
				const parts = write(texts, maxBytes, header);
				const found = readBack('csv', parts, isKnown ? delimiter : undefined);
				expect(found.map(({ value }) => value)).toStrictEqual(
					rows.map(([first, second]) => ({ first, second })),
				);
				expect(found.map(({ text: each }) => each)).toStrictEqual(texts);
				variations.note({
					...occurring(Object.keys(CELLS), (name) => rows.flat().includes(CELLS[name])),
					...occurring(DELIMITERS, (each) => each === delimiter),
					'a delimiter that is chosen': isKnown,
					'a delimiter that is found': !isKnown,
				});
			},
		),
		{ numRuns: runs(300) },
	);
	expect(variations.rarerThan(5)).toEqual([]);
});
