/**
 * Files as the tests write them, and what the nodes read in them. The model never parses a file: it knows what was
 * written.
 */
import { gzipSync } from 'node:zlib';

import { csvRow } from '../../support/csv';

/** A row or line of a file. */
export type Row =
	| { value: unknown }
	/** The cells of a CSV row. A row can have fewer or more cells than the header row. */
	| { cells: string[] }
	/** A line that is not JSON. */
	| { line: string }
	/** An empty line, or a row with only empty cells. */
	| 'blank';

export interface SourceFile {
	name: string;
	format: 'jsonLines' | 'jsonArray' | 'csv' | 'lines' | 'text';
	rows: Row[];
	/** The columns of a CSV file. */
	header?: string[];
	/** The columns with JSON (option JSON Columns). */
	jsonColumns?: string[];
	/** Where the list is in a JSON file, for example `data.list`. */
	listPath?: string;
	isGzip?: boolean;
	/** How the file ends. `cut`: within its last record. `open`: the last record opens a quote that is never closed. */
	end?: 'whole' | 'cut' | 'open';
	/** The content of a text file. */
	text?: string;
}

export interface ReadRecord {
	/** The record as it is returned if it fails, in a form that does not depend on the format. */
	source: string;
	value?: unknown;
	is?: 'unreadable' | 'notJson';
	/** The number of blank rows before the record. */
	blanks?: number;
	/** The row has fewer cells than the header row. */
	isShort?: boolean;
}

export interface ReadFile {
	records: ReadRecord[];
	/** The number of blank rows after the last record. */
	blanks: number;
	/** The file cannot be read to its end. The record where reading stops counts as failed, but is not returned. */
	readError?: true;
}

const CUT = 2;

/** Returns the content of the file. */
export function write({
	format,
	rows,
	header = [],
	listPath = '',
	isGzip,
	end,
	text,
}: SourceFile): Buffer {
	let content = '';
	if (format === 'text') content = text ?? '';
	else if (format === 'jsonArray') {
		const list = `[${rows.map(lineOf).join(',\n')}]`;
		const names = listPath.split('.').filter(Boolean);
		content = names.reduceRight((inner, name) => `{"first":1,"${name}":${inner}}`, list);
	} else {
		const lines = rows.map((row) => (format === 'csv' ? rowOf(row, header) : lineOf(row)));
		content = [...(format === 'csv' ? [csvRow(header)] : []), ...lines].join('\n') + '\n';
	}
	if (end === 'open') content += `${'x,'.repeat(Math.max(header.length - 1, 0))}"never closed\n`;
	if (end === 'cut') content = cut(content, format);
	return isGzip ? gzipSync(content) : Buffer.from(content);
}

const lineOf = (row: Row): string =>
	row === 'blank'
		? ''
		: 'line' in row
			? row.line
			: 'value' in row
				? JSON.stringify(row.value)
				: '';

const rowOf = (row: Row, header: string[]): string =>
	row === 'blank'
		? header.map(() => '').join(',')
		: 'cells' in row
			? csvRow(row.cells)
			: lineOf(row);

/** Cuts the file within its last record: JSON is no longer valid, and a CSV row has fewer cells. */
function cut(content: string, format: SourceFile['format']): string {
	if (format === 'jsonArray') return content.slice(0, content.lastIndexOf(']') - CUT);
	return content.trimEnd().slice(0, -CUT);
}

/** Returns what a node reads. */
export function read(file: SourceFile): ReadFile {
	const { format, rows, end } = file;
	const records: ReadRecord[] = [];
	let blanks = 0;
	for (const row of rows) {
		if (row === 'blank') {
			blanks++;
			continue;
		}
		records.push({ ...readRow(row, file), ...(blanks > 0 && { blanks }) });
		blanks = 0;
	}
	if (end === 'open') return { records, blanks, readError: true };
	if (end !== 'cut') return { records, blanks };
	const last = records.pop();
	if (format === 'jsonArray') return { records, blanks, readError: true };
	// Without the last line break, nobody knows whether the last line is complete.
	const source = last?.source ?? '';
	const left =
		format === 'csv'
			? JSON.stringify((JSON.parse(source) as string[]).slice(0, -CUT))
			: cut(source, format);
	return { records: [...records, { ...last, source: left, is: 'unreadable' }], blanks };
}

function readRow(row: Exclude<Row, 'blank'>, file: SourceFile): ReadRecord {
	if ('value' in row) return { source: JSON.stringify(row.value), value: row.value };
	if ('line' in row)
		return {
			source: row.line,
			...(file.format === 'lines' ? { value: row.line } : { is: 'unreadable' }),
		};
	return {
		...recordOf(row.cells, file),
		...(row.cells.length < (file.header ?? []).length && { isShort: true }),
	};
}

/** Returns the record of a CSV row. All values are text, except in columns with JSON. */
function recordOf(cells: string[], { header = [], jsonColumns = [] }: SourceFile): ReadRecord {
	const source = JSON.stringify(cells);
	if (cells.length > header.length) return { source, is: 'unreadable' };
	const value: Record<string, unknown> = {};
	for (const [at, name] of header.entries()) {
		const cell = cells[at];
		if (cell === undefined) continue;
		if (!jsonColumns.includes(name)) value[name] = cell;
		else if (cell !== '') {
			try {
				value[name] = JSON.parse(cell);
			} catch {
				return { source, value, is: 'notJson' };
			}
		}
	}
	return { source, value };
}
