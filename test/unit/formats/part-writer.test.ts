import fc from 'fast-check';

import { CsvReader } from '../../../nodes/shared/formats/csv-reader';
import { jsonLinesReader } from '../../../nodes/shared/formats/line-reader';
import {
	LINES,
	PartWriter,
	type Frame,
	type Part,
} from '../../../nodes/shared/formats/part-writer';
import { csvRow } from '../../../support/csv';
import { readAll } from './support';

const withHeader = (header: string): Frame => ({ ...LINES, before: `${header}\n` });

function write(texts: string[], maxBytes: number, frame?: Frame): Part[] {
	const writer = new PartWriter(maxBytes, frame);
	const parts = [...texts.map((text) => writer.add(text)), writer.end()];
	expect(writer.end()).toBeUndefined();
	return parts.filter((part) => part !== undefined);
}

/** A record that is too large by itself has its own part. */
const expectWithin = (maxBytes: number, parts: Part[]) => {
	for (const { buffer, records } of parts)
		expect(buffer.length <= maxBytes || records === 1).toBe(true);
};

const contents = (parts: Part[]) => parts.map(({ buffer }) => buffer.toString());

test('writes records as lines, in parts of limited size', () => {
	const parts = write(['aé', 'b', 'cc', 'a long one', 'd', ''], 6);
	expect(contents(parts)).toStrictEqual(['aé\nb\n', 'cc\n', 'a long one\n', 'd\n\n']);
	expect(parts.map(({ records, buffer }) => [records, buffer.length])).toStrictEqual([
		[2, 6],
		[1, 3],
		[1, 11],
		[2, 3],
	]);
});

test('each part begins with the header, which does not count as a record', () => {
	const parts = write(['1,2', '3,4', '5,6'], 12, withHeader('a,b'));
	expect(contents(parts)).toStrictEqual(['a,b\n1,2\n3,4\n', 'a,b\n5,6\n']);
	expect(parts.map(({ records }) => records)).toStrictEqual([2, 1]);
});

test('without records there is no part', () => {
	expect(write([], 100)).toStrictEqual([]);
	expect(write([], 100, withHeader('a,b'))).toStrictEqual([]);
});

test('reads back the JSON Lines that were written', () => {
	fc.assert(
		fc.property(
			fc.array(fc.jsonValue({ stringUnit: 'grapheme' })),
			fc.integer({ min: 1, max: 200 }),
			(values, maxBytes) => {
				const lines = values.map((value) => JSON.stringify(value));
				const parts = write(lines, maxBytes);
				expectWithin(maxBytes, parts);
				const found = contents(parts).flatMap(
					(text) => readAll(jsonLinesReader(), text).records,
				);
				expect(found.map(({ text }) => text)).toStrictEqual(lines);
				expect(parts.reduce((sum, { records }) => sum + records, 0)).toBe(values.length);
			},
		),
		{ numRuns: 200 },
	);
});

describe('CSV', () => {
	test('reads back what was written', () => {
		// A row of dashes below the header row is skipped, so no cell here consists of dashes.
		const text = fc.string({ unit: 'grapheme' }).filter((value) => !/^\s*-+\s*$/.test(value));
		const cell = fc.oneof(text, fc.constantFrom('"', '""', '\r\n', ',', ' ', ''));
		fc.assert(
			fc.property(
				fc.array(fc.tuple(cell, cell)),
				fc.integer({ min: 1, max: 100 }),
				fc.constantFrom(',', ';', '\t', '|'),
				(cells, maxBytes, delimiter) => {
					const hasValue = (row: string[]) =>
						/[^"\s]/.test(row.join('').replaceAll(delimiter, ''));
					const rows = cells.filter(hasValue);
					const texts = rows.map((row) => csvRow(row, delimiter));
					const header = withHeader(csvRow(['first', 'second'], delimiter));
					const parts = write(texts, maxBytes, header);
					expectWithin(maxBytes, parts);
					const found = contents(parts).flatMap(
						(text) => readAll(new CsvReader(), text).records,
					);
					expect(found.map(({ value }) => value)).toStrictEqual(
						rows.map(([first, second]) => ({ first, second })),
					);
					expect(found.map(({ text }) => text)).toStrictEqual(texts);
				},
			),
			{ numRuns: 300 },
		);
	});
});
