import { parse } from 'csv-parse/sync';
import fc from 'fast-check';

import { CsvReader } from '../../../nodes/shared/formats/csv-reader';
import { Findings } from '../../../nodes/shared/formats/findings';
import type { SourceRecord } from '../../../nodes/shared/formats/record';
import { csvRow } from '../../../support/csv';
import { runs } from '../../../support/runs';
import { Variations } from '../../../support/variations';
import { brief, lengths, readAll } from './support';

test('reads rows as objects of text, with their number, line and text', () => {
	const text = '\r\nid,name , note\r\n1,"a, ""b""\r\nc",\r\n\r\n  \r\n2\r\n3,x,"y"';
	const records = [
		'1@3 1,"a, ""b""\r\nc", -> {"id":"1","name":"a, \\"b\\"\\r\\nc","note":""}',
		'2@7 2 -> {"id":"2"}',
		'3@8 3,x,"y" -> {"id":"3","name":"x","note":"y"}',
	];
	for (const cuts of [[1000], [1], [3, 1]]) {
		const reader = new CsvReader();
		expect(brief(reader, text, cuts)).toStrictEqual({ records });
		expect(reader.columns).toStrictEqual(['id', 'name', 'note']);
		expect(reader.header).toBe('id,name , note');
	}
});

test.each(['\n', '\r\n', '\r'])('rows may end with %j, and are returned at once', (lineBreak) => {
	const text = ['a,b', '1,"x', 'y"', '2,z', ''].join(lineBreak);
	for (const cuts of [[1000], [1]]) {
		const { records } = readAll(new CsvReader(), text, cuts);
		expect(records.map(({ line, value }) => [line, value])).toStrictEqual([
			[2, { a: '1', b: `x${lineBreak}y` }],
			[4, { a: '2', b: 'z' }],
		]);
	}
	// A CR at the end of a piece can be the first half of CRLF, so the reader waits for the next piece.
	const atOnce = lineBreak === '\r' ? 2 : 3;
	expect([...new CsvReader().push(['a', 1, 2, 3, ''].join(lineBreak))]).toHaveLength(atOnce);
});

test('a repeated header row, as in joined exports, is skipped', () => {
	const { records } = readAll(new CsvReader(), 'id,name\n1,a\nid,name\n2,b\n');
	expect(records.map(({ record, line }) => [record, line])).toStrictEqual([
		[1, 2],
		[2, 4],
	]);
	expect(readAll(new CsvReader(), 'id\nid\n').records).toHaveLength(1);
});

describe('delimiter', () => {
	test.each([
		['a,b\n1,2', { a: '1', b: '2' }],
		['a;b\n1;2,5', { a: '1', b: '2,5' }],
		['a\tb\n1\t2', { a: '1', b: '2' }],
		['a|b\n1|2', { a: '1', b: '2' }],
		['a\n1;2', { a: '1;2' }],
		['"a,x";"b"\n1;"2"', { 'a,x': '1', b: '2' }],
		['a,"b;c;d"\n1,2', { a: '1', 'b;c;d': '2' }],
		['a,b;c\n1,2', { a: '1', 'b;c': '2' }],
	])('is detected in the header row of %j', (text, value) => {
		expect(readAll(new CsvReader(), text).records).toMatchObject([{ value }]);
	});

	test('can be set', () => {
		const { records } = readAll(new CsvReader({ delimiter: '#' }), 'a#b,c,d\n1#"2#3"\n"x",#5');
		expect(records).toMatchObject([
			{ value: { a: '1', 'b,c,d': '2#3' } },
			{ error: { record: 2 } },
		]);
	});
});

describe('a row that is wrong', () => {
	test('is the only row that fails', () => {
		const text = 'a,b\n1,2,3\n"x"y,2\n4,5\n"x" ,"z\n"\n6,7"8\n9,""\n"a""';
		const badQuote = 'has text between a closing quote and the next delimiter';
		for (const cuts of [[1000], [1]]) {
			expect(brief(new CsvReader(), text, cuts)).toStrictEqual({
				records: [
					'1@2 1,2,3 !! Record 1 (line 2) has 3 cells, but the header row has 2',
					`2@3 "x"y,2 !! Record 2 (line 3) ${badQuote}`,
					'3@4 4,5 -> {"a":"4","b":"5"}',
					`4@5 "x" ,"z\n" !! Record 4 (line 5) ${badQuote}`,
					'5@7 6,7"8 -> {"a":"6","b":"7\\"8"}',
					'6@8 9,"" -> {"a":"9","b":""}',
				],
				error: '7@9 Record 7 (line 9) has an unclosed quote',
			});
		}
	});

	test('an unclosed quote ends the file', () => {
		const text = 'a,b\n1,2\n3,"4\n5,6\n';
		for (const cuts of [[1000], [1]]) {
			expect(brief(new CsvReader(), text, cuts)).toStrictEqual({
				records: ['1@2 1,2 -> {"a":"1","b":"2"}'],
				error: '2@3 Record 2 (line 3) has an unclosed quote',
			});
		}
		expect(brief(new CsvReader(), 'a,"b\n').error).toBe(
			'1@1 Record 1 (line 1) has an unclosed quote',
		);
	});

	test('a row that is too long ends the file, whatever was read before it', () => {
		const reader = new CsvReader();
		const rows = ['a\n1\n', 'x'.repeat(40_000_000), 'x'.repeat(30_000_000)];
		const found = rows.slice(0, 2).flatMap((piece) => [...reader.push(piece)]);
		expect(found).toHaveLength(1);
		expect(() => [...reader.push(rows[2])]).toThrow(
			/^Record 2 \(line 3\) is longer than 64 MB/,
		);
	});
});

describe('header', () => {
	test('a quote that is closed only by another delimiter is not closed', () => {
		expect(brief(new CsvReader(), ',a;"b,"c\n1,2\n').error).toBe(
			'1@1 The header row (line 1) has text between a closing quote and the next delimiter',
		);
	});

	test.each([
		[
			'\nid;Fl\udce4che\n1;2',
			"1@2 The header row (line 2) has a byte that is not UTF-8 (0xe4): set the option 'Encoding' to the encoding of the file, or save the file as UTF-8",
		],
		[
			'\n"a"x,b\n1,2',
			'1@2 The header row (line 2) has text between a closing quote and the next delimiter',
		],
	])('%j ends the file', (text, error) => {
		expect(brief(new CsvReader(), text)).toStrictEqual({ records: [], error });
	});

	test('columns without a name are ignored, and every name is accepted', () => {
		const { records } = readAll(new CsvReader(), 'a,,__proto__,,constructor\n1,2,3,4,5');
		expect(JSON.stringify(records[0].value)).toBe(
			'{"a":"1","__proto__":"3","constructor":"5"}',
		);
	});

	test.each(['', '\n \r\n', 'a,b', 'a,b\n\n'])('%j has no records', (text) => {
		expect(brief(new CsvReader(), text)).toStrictEqual({ records: [] });
	});

	test.each<[string, object[], string?]>([
		['a,a,b,a\n1,2,3,4\n,,5,6\n,,,\n7\n', [{ a: '1', b: '3' }, { a: '6', b: '5' }, { a: '7' }]],
		['sep=;\na,b;c\n1;2', [{ 'a,b': '1', c: '2' }]],
		['SEP=#\r\na#b,c\r\n1#2', [{ a: '1', 'b,c': '2' }]],
		['sep=\t\na\tb\n1\t2', [{ a: '1', b: '2' }]],
		['sep=,\na;b,c\n1;2,3', [{ a: '1', 'b,c': '2,3' }], ';'],
	])(
		'of %j: columns of one name, or a line with the delimiter',
		(text, values, delimiter = '') => {
			const { records } = readAll(new CsvReader({ delimiter: delimiter || undefined }), text);
			expect(records.map(({ value }) => value)).toStrictEqual(values);
		},
	);
});

test.each([
	[';;;\n \na;b\n;\n1;2\n ;\t\n"";""\n ; \n3\n', ['1@5 1;2', '2@9 3']],
	['a\tb\n\t\n  \n"1"\t\n', ['1@4 "1"\t']],
	['a\n""\n\n;\nx', ['1@4 ;', '2@5 x']],
])('rows without any value are skipped: %j', (text, found) => {
	const { records } = readAll(new CsvReader(), text);
	expect(records.map(({ record, line, text }) => `${record}@${line} ${text}`)).toEqual(found);
});

const cell = fc
	.array(fc.constantFrom('a', 'b', '"', ',', ';', '\t', '|', '\n', '\r', ' ', 'é', '😀'), {
		maxLength: 6,
	})
	.map((characters) => characters.join(''));

test('reads the same as csv-parse, however the text is cut', () => {
	const variations = new Variations();
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 4 }),
			fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 6 }),
			fc.constantFrom(',', ';', '\t', '|'),
			fc.constantFrom('\n', '\r\n', '\r'),
			fc.boolean(),
			lengths,
			(width, rows, delimiter, lineBreak, isGiven, cuts) => {
				const columns = ['id', 'name', 'text', 'url'].slice(0, width);
				const hasValue = (row: string[]) =>
					/[^"\s]/.test(row.join('').replaceAll(delimiter, ''));
				const all = [columns, ...rows.map((row) => row.slice(0, width)).filter(hasValue)];
				// The text ends with a line break. Without this line break, the reader would report that the final row
				// could be truncated.
				const text = all.map((row) => csvRow(row, delimiter) + lineBreak).join('');
				const cells = all.flat();
				variations.note({
					'a cell in quotes': /(^|[,;\t|])"/m.test(text),
					'a quote in a cell': cells.some((value) => value.includes('"')),
					'a line break in a cell': cells.some((value) => /[\r\n]/.test(value)),
					'a delimiter in a cell': cells.some((value) => value.includes(delimiter)),
					'an empty cell': cells.includes(''),
					'a short row': all.some((row) => row.length < width),
					'a detected delimiter': !isGiven && width > 1,
				});
				const { records, error } = readAll(
					new CsvReader({ delimiter: isGiven || width === 1 ? delimiter : undefined }),
					text,
					cuts,
				);
				expect(error).toBeUndefined();
				const expected: unknown = parse(text, {
					columns: true,
					delimiter,
					record_delimiter: lineBreak,
					relax_column_count_less: true,
				});
				expect(records.map(({ value }) => value)).toStrictEqual(expected);
				expect(records.map((each) => each.text)).toStrictEqual(
					all.slice(1).map((row) => csvRow(row, delimiter)),
				);
			},
		),
		{ numRuns: runs(1000) },
	);
	expect(variations.rarerThan(2)).toEqual([]);
});

test('returns the same records of a damaged text for any cuts', () => {
	const variations = new Variations();
	fc.assert(
		fc.property(
			cell.chain((first) =>
				fc.array(cell, { maxLength: 12 }).map((rest) => [first, ...rest].join('')),
			),
			lengths,
			(text, cuts) => {
				const whole = `id,name\n1,2\n${text}`;
				const { records, error } = readAll(new CsvReader(), whole, cuts);
				expect({ records, error }).toStrictEqual(readAll(new CsvReader(), whole));
				expect(records[0].value).toStrictEqual({ id: '1', name: '2' });
				const messages = [...records.map((one) => one.error), error].map(String).join();
				variations.note({
					'an open quote': messages.includes('unclosed quote'),
					'text after a quote': messages.includes('a closing quote'),
					'too many cells': messages.includes(' cells, but'),
					'a row that is cut off': messages.includes('truncated'),
				});
				let at = 0;
				for (const each of records) {
					at = whole.indexOf(each.text, at);
					expect(at).toBeGreaterThan(0);
					expect(each.line).toBe(whole.slice(0, at).split(/\r\n|\r|\n/).length);
					at += each.text.length;
				}
			},
		),
		{ numRuns: runs(1000) },
	);
	expect(variations.rarerThan(1)).toEqual([]);
});

/** Generates a row of three cells for a file in which quotes are ordinary characters. */
const looseRow = fc
	.tuple(
		fc.oneof(
			{ weight: 2, arbitrary: fc.constant('x') },
			fc.constantFrom('"x', 'x"', '12" x', '""', ''),
		),
		fc.constantFrom('', 'y'),
	)
	.map(([title, more]) => ['id', title, more].join('\t'));

test('reads rows without quoting as csv-parse does without quotes', () => {
	fc.assert(
		fc.property(fc.array(looseRow, { maxLength: 30 }), lengths, (rows, cuts) => {
			const text = ['a\tb\tc', ...rows].map((row) => `${row}\n`).join('');
			const { records, error } = readAll(new CsvReader({ hasQuotes: false }), text, cuts);
			expect(error).toBeUndefined();
			expect(records.map(({ value }) => value)).toStrictEqual(
				parse(text, { columns: true, delimiter: '\t', quote: null }),
			);
		}),
	);
});

test('rows without quoting never disappear: each is read, or fails with its line', () => {
	const variations = new Variations();
	fc.assert(
		fc.property(fc.array(looseRow, { minLength: 30, maxLength: 60 }), lengths, (rows, cuts) => {
			const text = ['a\tb\tc', ...rows].map((row) => `${row}\n`).join('');
			const findings = new Findings();
			const { records, error } = readAll(new CsvReader({ findings }), text, cuts);
			expect({ records, error }).toStrictEqual(readAll(new CsvReader(), text));
			const last = error ? (error as { line: number }).line : rows.length + 2;
			const covered = records.map(({ line, text: own }) => [line, own.split('\n').length]);
			let next = 2;
			for (const [line, count] of covered) {
				expect(line).toBe(next);
				next += count;
				// If a quoted cell has more than 10 lines, the reader treats these lines as separate rows. The test
				// stays within this limit.
				expect(count).toBeLessThanOrEqual(10);
			}
			expect(next).toBe(last);
			const isLong = ({ error: wrong, text: own }: SourceRecord) =>
				!wrong && own.split('\n').length > 2;
			if (records.some(isLong)) expect(findings.byKind.get('quotedRows')).toBeDefined();
			const errors = records.map((one) => String(one.error)).join();
			variations.note({
				'rows in one cell': records.some(isLong),
				'a stray quote before many rows': errors.includes('begins with a quote'),
				'text after a quote': errors.includes('a closing quote'),
				'a quote that stays open': error !== undefined,
			});
		}),
		{ numRuns: runs(300) },
	);
	expect(variations.rarerThan(1)).toEqual([]);
});

describe('a quoted cell whose lines look like rows', () => {
	const file = (lines: number, columns: number, first = 'x') => {
		const row = `r${',x'.repeat(columns - 1)}\n`;
		const header = `${['a', 'b', 'c'].slice(0, columns).join(',')}\n`;
		return `${header}${first}${',"x'.padStart(columns + 1, ',')}\n${row.repeat(lines - 2)}r,${columns > 2 ? 'x,' : ''}x"\nz${',z'.repeat(columns - 1)}\n`;
	};
	test.each([
		[10, 3, 11],
		[9, 3, 2],
		[40, 2, 2],
	])('of %d lines and %d columns: %d records', (lines, columns, count) => {
		for (const cuts of [[1], [7], [10_000]]) {
			const { records } = readAll(new CsvReader(), file(lines, columns), cuts);
			expect(records).toHaveLength(count);
			expect(records.filter(({ error }) => error)).toHaveLength(count > 2 ? 1 : 0);
		}
	});

	test('is one cell without a finding if all cells of the header row are in quotes', () => {
		const rows = 'r,x,x\n'.repeat(20);
		const text = `"a","b ""c""","d"\n1,x,"y\n${rows}"\n2,x,z\n`;
		for (const cuts of [[1], [7], [10_000]]) {
			const findings = new Findings();
			const { records } = readAll(new CsvReader({ findings }), text, cuts);
			expect(records.map(({ value }) => value)).toEqual([
				{ a: '1', 'b "c"': 'x', d: `y\n${rows}` },
				{ a: '2', 'b "c"': 'x', d: 'z' },
			]);
			expect(findings.byKind.size).toBe(0);
		}
	});

	test.each(['"1\n2"', '"1\n2\n3"'])(
		'is reported with the line where its quote opens, even after the multiline cell %j',
		(cell) => {
			const rows = 'r,x,x\n'.repeat(12);
			// The last row ends the stray quote. The first row would otherwise be a complete record.
			for (const end of ['', 'r,x,x"\n']) {
				const text = `a,b,c\n${cell},x,"y\n${rows}${end}`;
				const { records } = readAll(new CsvReader(), text, [3]);
				expect(records[0]).toMatchObject({ line: 2, text: `${cell},x,"y` });
				expect(records[0].error?.message).toMatch(
					/^Record 1 \(line 2\) .*'Quotes' to 'None'/,
				);
				const first = 2 + cell.split('\n').length;
				expect(records.slice(1).map(({ line }) => line)).toEqual(
					Array.from({ length: end === '' ? 12 : 13 }, (_, at) => at + first),
				);
			}
		},
	);
});

test.each<[string, string[], object]>([
	['id;n (a,b,c,d)\n1;x\n', ['id'], { id: '1', 'n (a,b,c,d)': 'x' }],
	['id\tn,m,o\n1\tx\n', ["['id']"], { id: '1', 'n,m,o': 'x' }],
	['"id";"n,m,o"\n1;x\n', ['id', 'n,m,o'], { id: '1', 'n,m,o': 'x' }],
])('the delimiter of %j is the one under which %j exists', (text, needed, value) => {
	const reader = new CsvReader();
	reader.requiredFields = needed;
	expect(readAll(reader, text).records[0].value).toEqual(value);
});

test.each(['', 'sep=$\n', 'SEP=$\r\n', '"sep=$"\n', '#TYPE X\n', '#TYPE X\r\nsep=$\r\n'])(
	'a file of the header and some records is read like the file itself, after %j',
	(before) => {
		const delimiters = before.includes('$') ? ',;\t|#:^' : ',;\t|';
		for (const delimiter of delimiters) {
			const rows = [
				['id', 'a,b;c', 'name'],
				['1', 'x', 'a "word"'],
				['2', '', 'a:b#c'],
			];
			const text = rows.map((row) => csvRow(row, delimiter)).join('\r\n');
			const reader = new CsvReader();
			const { records } = readAll(reader, before.replace('$', delimiter) + text);
			expect(records.map(({ value }) => Object.values(Object(value)))).toEqual(rows.slice(1));
			const part = [reader.header, records[1].text].join('\n');
			const again = readAll(new CsvReader(), part).records.map(({ value }) => value);
			expect([delimiter, again]).toEqual([delimiter, [records[1].value]]);
		}
	},
);

describe('rows before the header row', () => {
	const TITLES = ['Report; 2025\n\nid (old);x\n', '"EXTF";700;"id"x\n', 'a,b,c,d,e\n', '-----\n'];
	test.each(TITLES)('%j is skipped', (title) => {
		for (const cuts of [[1], [1000]]) {
			const findings = new Findings();
			const reader = new CsvReader({ findings });
			reader.requiredFields = ['id', 'name'];
			const { records } = readAll(
				reader,
				`${title}id;name\n--;----\n1;A\n${title}2;B\n`,
				cuts,
			);
			expect(records.map(({ value }) => value)).toEqual([
				{ id: '1', name: 'A' },
				{ id: '2', name: 'B' },
			]);
			expect(reader.header).toBe('id;name');
			expect(findings.byKind.get('titleRow')).toMatchObject({ line: 1 });
		}
	});

	test.each([3, 30])(
		'if none of %d rows has the columns, the first row is the header',
		(count) => {
			const reader = new CsvReader();
			reader.requiredFields = ['id'];
			expect(readAll(reader, 'a;b,c\n1;x,y\n'.repeat(count)).error).toBeUndefined();
			expect(reader.columns).toEqual(['a;b', 'c']);
		},
	);
});
