/**
 * Tests that random CSV files are read as their author meant them. The files have the variations that real programs
 * write. Each row becomes one record, one error or nothing, and the generator knows which.
 */
import fc from 'fast-check';

import type { ReaderFinding } from '../../../nodes/shared/formats/findings';
import { csvRow } from '../../../support/csv';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import { ENCODINGS, lengths, lineBreaksIn, readFile, type FoundRecord } from './support';

interface Row {
	text: string;
	/** The record's cells. */
	cells?: readonly string[];
	/** The record's error. */
	error?: string;
	isBlank?: boolean;
	/** Text after the record on the same line. */
	tail?: string;
	/** The error that ends the file. */
	stops?: string;
	/** Whether the file ends with this row, without a line break. */
	isLast?: boolean;
}

interface Layout {
	delimiter: string;
	columns: readonly string[];
	/** Whether all cells of the header row are in quotes. */
	isHeaderQuoted: boolean;
	header: string;
	/** The rows before the header row. */
	preamble: readonly Row[];
}

/** Returns the number of columns up to the last one with a name. */
const widthOf = (columns: readonly string[]) => columns.findLastIndex((name) => name !== '') + 1;

const inQuotes = (text: string) => `"${text.replaceAll('"', '""')}"`;
const blank = (text: string): Row => ({ text, isBlank: true });

type RowMaker = (layout: Layout, all: string[]) => Row[];

/** A quote that opens a cell in a file without quotes, and rows that would all belong to the cell. */
const strayQuote =
	(end: string): RowMaker =>
	({ columns, isHeaderQuoted, delimiter }, [first]) => {
		// With such a header row, quotes are never part of the text.
		if (isHeaderQuoted) return [];
		const rowOf = (...cells: string[]): string =>
			cells.slice(0, columns.length).join(delimiter) + end.replace('D', delimiter);
		const text = rowOf(first, '"x', 'y', 'z');
		const rows = Array.from({ length: 12 }, (_, at) => rowOf(`${first}-${at}`, 'a', '', 'é'));
		return [
			{ text, error: 'has a cell that begins with a quote' },
			...rows.map((row) => ({ text: row, cells: row.split(delimiter) })),
		];
	};

const ROWS: Record<string, RowMaker> = {
	'a row with quotes where needed': ({ delimiter }, all) => [
		{ text: csvRow(all, delimiter), cells: all },
	],
	'a row in quotes': ({ delimiter }, all) => [
		{ text: all.map(inQuotes).join(delimiter), cells: all },
	],
	'a quote within a cell': ({ delimiter }, [first]) => {
		const cells = [first, '7" x', 'b""'];
		return [{ text: cells.join(delimiter), cells }];
	},
	'a short row': ({ delimiter }, all) => {
		const cells = all.slice(0, 2);
		return [{ text: csvRow(cells, delimiter), cells }];
	},
	'a delimiter at the end': ({ delimiter }, all) => [
		{ text: all.map(inQuotes).join(delimiter) + delimiter, cells: [...all, ''] },
	],
	'a long row': ({ delimiter }, all) => [
		{
			text: csvRow([...all, 'x'], delimiter),
			error: `has ${all.length + 1} cells, but the header row has ${all.length}`,
		},
	],
	'text after a quote': ({ delimiter }, [first]) => [
		{ text: `"${first}"x${delimiter}b`, error: 'has text between a closing quote and' },
	],
	'a control character': ({ delimiter, columns }, [first]) => {
		const cells = columns.map((_, at) => (at === 0 ? `${first}-\x01` : ''));
		return [{ text: cells.join(delimiter), error: 'has control characters' }];
	},
	'an empty row': () => [blank('')],
	'a row of white space': () => [blank(' \t ')],
	'a row of delimiters': ({ delimiter }) => [blank(delimiter.repeat(3))],
	'a row of quotes': ({ delimiter }) => [blank(`""${delimiter}" "`)],
	'the header again': ({ header }) => [{ text: header }],
	'the header again, in quotes': ({ columns, delimiter }) => [
		{ text: columns.map(inQuotes).join(delimiter) },
	],
	'the header again, in upper case': ({ header }) => [{ text: header.toUpperCase() }],
	'the header again, with spaces': ({ columns, delimiter }) => [
		{
			text: csvRow(
				columns.map((name) => `${name} `),
				delimiter,
			),
		},
	],
	'the header again, after a byte order mark': ({ header }) => [{ text: `\ufeff${header}` }],
	'the header again, joined to a row': ({ header, delimiter }, all) => [
		{ text: csvRow(all, delimiter), cells: all, tail: `\ufeff${header}` },
	],
	'the rows before the header again': ({ preamble }) => [...preamble],
	'a stray quote before many rows': strayQuote(''),
	'a stray quote before many rows that end with a delimiter': strayQuote('D'),
};

const BEFORE: Record<string, (delimiter: string) => Row[]> = {
	'nothing before the header': () => [],
	'blank rows before the header': () => [blank(''), blank('  ')],
	'a line with the delimiter': (delimiter) => [{ text: `sep=${delimiter}` }],
	'a line with a type': () => [{ text: '#TYPE System.Object' }],
	'title rows': (delimiter) => [
		{ text: 'Report: 2025' },
		blank(''),
		{ text: `id (old)${delimiter}x` },
		{ text: `"a ""quoted"" title"` },
	],
};

const ENDS: Record<string, RowMaker> = {
	'a line break at the end': () => [],
	'no line break at the end': ({ delimiter, columns }, all) => {
		const cells = all.slice(0, widthOf(columns));
		return [{ text: csvRow(cells, delimiter), cells, isLast: true }];
	},
	'a row that is cut off': ({ delimiter }, [first]) => [
		{ text: `${first}${delimiter}x`, error: 'has 2 cells, but .* truncated', isLast: true },
	],
	'an open quote': ({ delimiter }, [first]) => [
		{ text: `${first}${delimiter}"x${delimiter}y`, stops: 'has an unclosed quote' },
	],
	'blank rows at the end': ({ delimiter }) => ['', delimiter.repeat(4), ''].map(blank),
	'an end-of-file character': () => [{ ...blank('\x1a'), isLast: true }],
	'columns in another order': ({ columns: [first, second, ...others], delimiter }) => {
		const cells = [second, first, ...others];
		const text = csvRow(cells, delimiter);
		return others.includes(second) ? [{ text, cells }] : [{ text, stops: 'is a header row' }];
	},
};

const DELIMITERS = [',', ';', '\t', '|', '#'];
const LINE_BREAKS = ['\n', '\r\n', '\r'];
const COLUMNS: string[][] = [
	['id', 'name', 'text'],
	['id', 'name', 'text', ''],
	['id', '', 'name', 'text'],
	['id', 'name', 'text', 'te,;|x'],
	['id', 'name', 'text', 'name'],
];

const cell = fc
	.array(fc.constantFrom('a', 'b', '"', ',', ';', '\t', '|', '#', '\n', '\r', ' ', 'é', '😀'), {
		maxLength: 6,
	})
	.map((characters) => characters.join(''));

const anyFile = fc
	.record({
		delimiter: fc.constantFrom(...DELIMITERS),
		isGiven: fc.boolean(),
		lineBreak: fc.constantFrom(...LINE_BREAKS),
		encoding: fc.constantFrom(...ENCODINGS),
		before: fc.constantFrom(...Object.keys(BEFORE)),
		columns: fc.constantFrom(...COLUMNS),
		isHeaderQuoted: fc.boolean(),
		hasRule: fc.boolean(),
		rows: fc.array(
			fc.record({
				kind: fc.constantFrom(...Object.keys(ROWS)),
				cells: fc.array(cell, { minLength: 3, maxLength: 3 }),
			}),
			{ maxLength: 12 },
		),
		end: fc.constantFrom(...Object.keys(ENDS)),
		skip: fc.nat(3),
		cuts: lengths,
	})
	.map((file) => {
		if (file.delimiter !== '#') return file;
		// A line before the header names this delimiter, or the option does. It does not occur in lines of dashes.
		const before = file.isGiven ? file.before : 'a line with the delimiter';
		return { ...file, before, hasRule: false };
	});

type AnyFile = typeof anyFile extends fc.Arbitrary<infer Value> ? Value : never;

function rowsOf({
	delimiter,
	columns,
	isHeaderQuoted,
	hasRule,
	before,
	rows,
	end,
}: AnyFile): Row[] {
	const preamble = BEFORE[before](delimiter);
	const header = isHeaderQuoted
		? columns.map(inQuotes).join(delimiter)
		: csvRow(columns, delimiter);
	const layout: Layout = { delimiter, columns, isHeaderQuoted, header, preamble };
	const cellsOf = (first: string, others: readonly string[]) =>
		[first, ...others].slice(0, columns.length);
	return [
		...preamble,
		{ text: header },
		...(hasRule ? [{ text: columns.map(() => '---').join(delimiter) }] : []),
		...rows.flatMap(({ kind, cells }, at) => ROWS[kind](layout, cellsOf(`r${at}`, cells))),
		...ENDS[end](layout, cellsOf('last', ['a', 'b', 'c'])),
	];
}

/** Returns the record of a row. If several columns have one name, the first value counts. */
function valueOf(columns: readonly string[], cells: readonly string[]): object {
	const value: Record<string, string> = {};
	for (const [at, name] of columns.entries())
		if (name !== '' && at < cells.length) value[name] ||= cells[at];
	return value;
}

interface Expected {
	text: string;
	records: FoundRecord[];
	error: unknown;
	/** How often each kind occurs, and the line of the first one. */
	findings: Map<ReaderFinding, { total: number; line: number }>;
}

function expectedOf(file: AnyFile): Expected {
	const { columns, skip, before, lineBreak } = file;
	const width = widthOf(columns);
	const findings: Expected['findings'] = new Map();
	const find = (kind: ReaderFinding, at: number) =>
		findings.set(kind, {
			total: (findings.get(kind)?.total ?? 0) + 1,
			line: findings.get(kind)?.line ?? at,
		});
	if (before === 'title rows') for (const at of [1, 3, 4]) find('titleRow', at);
	const records: FoundRecord[] = [];
	let text = '';
	let line = 1;
	let error: unknown = '';
	for (const { cells, tail = '', isBlank, isLast, ...row } of rowsOf(file)) {
		const record = records.length + 1;
		const messageOf = (words: string): unknown =>
			expect.stringMatching(`^Record ${record} \\(line ${line}\\) ${words}`);
		const at = { record, line, text: row.text };
		if (isBlank && records.length >= skip) find('blankRow', line);
		if (row.stops !== undefined) error = messageOf(row.stops);
		if (row.error !== undefined) records.push({ ...at, error: messageOf(row.error) });
		if (cells) records.push({ ...at, value: valueOf(columns, cells) });
		if (cells && record > skip) {
			if (cells.length < width) find('shortRow', line);
			if (cells.some((value, at) => !columns[at] && value.trim() !== ''))
				find('unnamedColumn', line);
		}
		text += row.text + tail + (isLast ? '' : lineBreak);
		line += 1 + lineBreaksIn(row.text);
	}
	return { text, records, error, findings };
}

const variations = new Variations();

function note(file: AnyFile, { records, findings }: Expected): void {
	const values = records.flatMap(({ value }) => Object.values(value ?? {}) as string[]);
	const { delimiter, isGiven, lineBreak, encoding, columns, skip, rows, ...others } = file;
	const kinds = rows.filter(
		({ kind }) => !kind.startsWith('a stray quote') || !others.isHeaderQuoted,
	);
	variations.note({
		...occurring(Object.keys(ROWS), (name) => kinds.some(({ kind }) => kind === name)),
		...occurring(Object.keys(BEFORE), (name) => others.before === name),
		...occurring(Object.keys(ENDS), (name) => others.end === name),
		...occurring(
			ENCODINGS.map(([name]) => name),
			(name) => encoding[0] === name,
		),
		...occurring(LINE_BREAKS.map(inWords), (name) => inWords(lineBreak) === name),
		...occurring(
			DELIMITERS.flatMap((each) => [`${inWords(each)}, given`, `${inWords(each)}, detected`]),
			(name) => `${inWords(delimiter)}, ${isGiven ? 'given' : 'detected'}` === name,
		),
		'a header row in quotes': others.isHeaderQuoted,
		'a header row without quotes': !others.isHeaderQuoted,
		'a line of dashes': others.hasRule,
		'records to skip': skip > 0,
		'a column without a name': columns.includes(''),
		'two columns with one name': new Set(columns).size < columns.length,
		'a value in a column without a name': findings.has('unnamedColumn'),
		'a line break within a cell': values.some((value) => /[\r\n]/.test(value)),
		'a quote within quotes': values.some((value) => /^[\r\n]*"/.test(value)),
		'a delimiter within a cell': values.some((value) => value.includes(delimiter)),
	});
}
const inWords = (character: string): string => JSON.stringify(character);

test('each row becomes one record, one error, or nothing', async () => {
	await fc.assert(
		fc.asyncProperty(anyFile, async (file) => {
			const expected = expectedOf(file);
			note(file, expected);
			const { records, error, findings } = await readFile(
				'csv',
				file.encoding[1](expected.text),
				{
					cuts: file.cuts,
					skip: file.skip,
					requiredFields: file.before === 'title rows' ? ['id', 'name'] : [],
					...(file.isGiven && { delimiter: file.delimiter }),
				},
			);
			expect(records).toEqual(expected.records.slice(file.skip));
			expect(error).toEqual(expected.error);
			// Whether several lines of a cell look like rows depends on the cell's text.
			findings.exclude('quotedRows');
			const found = [...findings.byKind].map(([kind, { total, line }]) => [
				kind,
				{ total, line },
			]);
			expect(new Map(found as Iterable<[ReaderFinding, object]>)).toEqual(expected.findings);
		}),
		{ numRuns: runs(400) },
	);
});

test('each variation has occurred', () => {
	expect(variations.rarerThan(0.5)).toEqual([]);
});
