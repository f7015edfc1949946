import fc from 'fast-check';

import { CsvReader } from '../../../nodes/shared/formats/csv-reader';
import { jsonLinesReader } from '../../../nodes/shared/formats/line-reader';
import { readRecords } from '../../../nodes/shared/formats/record';
import { cut, lengths } from './support';

test('records come in slices of up to 64 with their numbers and lines, and no piece is read ahead', async () => {
	let pieces = 0;
	async function* text(): AsyncGenerator<string> {
		for (; pieces < 3; pieces++) yield await Promise.resolve('1\n\n'.repeat(600));
	}
	const sizes: number[] = [];
	let record = 0;
	for await (const records of readRecords(text(), jsonLinesReader())) {
		sizes.push(records.length);
		for (const one of records) {
			expect(one).toMatchObject({ record: ++record, line: 2 * record - 1, value: 1 });
		}
		expect(pieces).toBe(Math.ceil(record / 600) - 1);
	}
	const piece = [...Array(9).fill(64), 24];
	expect(sizes).toEqual([...piece, ...piece, ...piece]);
});

test('the records before a broken one are returned first', async () => {
	async function* text(): AsyncGenerator<string> {
		yield '1\n2\n';
		await Promise.resolve();
		throw new Error('The disk is gone');
	}
	const found: number[] = [];
	const reading = (async () => {
		for await (const records of readRecords(text(), jsonLinesReader())) {
			found.push(...records.map(({ record }) => record));
		}
	})();
	await expect(reading).rejects.toThrow('The disk is gone');
	expect(found).toEqual([1, 2]);
});

test('all complete CSV rows and JSON lines before a break are returned, for any cuts of the text', async () => {
	const ROWS = ['1,a', '2,"b\nb"', '3,c'];
	const LINES = ['1', '[2]', '3'];
	await fc.assert(
		fc.asyncProperty(lengths, fc.boolean(), async (cuts, isCsv) => {
			const [header, rows] = isCsv ? ['name of the column,other\n', ROWS] : ['', LINES];
			async function* text(): AsyncGenerator<string> {
				for (const piece of cut(`${header}${rows.join('\n')}\n4`, cuts)) yield piece;
				await Promise.resolve();
				throw new Error('The disk is gone');
			}
			const found: string[] = [];
			const reading = (async () => {
				for await (const records of readRecords(
					text(),
					isCsv ? new CsvReader() : jsonLinesReader(),
				)) {
					found.push(...records.map((record) => record.text));
				}
			})();
			await expect(reading).rejects.toThrow('The disk is gone');
			expect(found).toEqual(rows);
		}),
	);
});
