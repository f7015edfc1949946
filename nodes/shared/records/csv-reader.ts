import {
	mostRowLikeCell,
	cellsOf,
	columnsOf,
	DELIMITERS,
	endOfRow,
	MAX_COUNTED_LINES,
	hasColumn,
	isBlankRow,
	likeliestDelimiter,
	lineBreaksIn,
	NOT_CLOSED,
	NOT_ENDED,
	type Dialect,
} from './csv-rows';
import { Findings } from './findings';
import {
	checkLength,
	MAX_RECORD_CHARACTERS,
	MAY_BE_CUT,
	RecordError,
	recordError,
	type RecordReader,
	type SourceRecord,
} from './record';
import { describeBadCharacters } from './text';

const BAD_QUOTE = 'has text between a closing quote and the next delimiter';
const QUOTES_ADVICE =
	"if quotes are ordinary characters in this file, set the option 'Quotes' to 'None'";
const UNCLOSED_QUOTE = 'has an unclosed quote';
const UNCLOSED_QUOTE_ADVICE =
	"Correct the file, or set the option 'Quotes' to 'None' if quotes are ordinary characters in it.";
const REORDERED_HEADER = 'is a header row whose columns have another order';
const SPLIT_ADVICE =
	'The file was joined from exports with different columns. Split it at this line, and read each part by itself.';
const SUSPICIOUS_QUOTE = `has a cell that begins with a quote, and the lines after it look like rows: ${QUOTES_ADVICE}`;

/** A quoted cell with so many lines in a row that have the cells of a row is none. */
const MIN_LINES_OF_ROWS = MAX_COUNTED_LINES;
/** Lines of prose often have one comma, so rows are recognized only if they have more cells. */
const MIN_COLUMNS = 3;
/** Fewer lines are read as one cell, and counted from this number on. */
const MIN_LINES_TO_REPORT = 3;

/** Lines that programs write before the header row: `sep=;` of Excel, and the type of objects of PowerShell. */
const SEPARATOR_LINE = /^"?sep=(.)"?$/i;
const TYPE_LINE = /^#TYPE\b/i;
/** A line under the header row, as SQL tools and SAP write it. */
const RULE_LINE = /^[\s+|,;-]*--[\s+|,;-]*$/;
/** Rows that are searched for the header row: titles and settings come before it in many exports. */
const MAX_TITLE_ROWS = 20;

export interface CsvOptions {
	/** One character; detected in the header row if undefined. */
	delimiter?: string | undefined;
	/** Whether cells may be in quotes. */
	hasQuotes?: boolean;
	findings?: Findings;
}

/** A row in the text that was read. */
interface Row {
	text: string;
	/** Where the next row begins. */
	next: number;
	/** What is wrong with the row as a whole. */
	defect?: string;
	/** The file ends with it, without a line break. */
	isCut: boolean;
}

/**
 * Reads CSV with a header row (RFC 4180). Rows end with LF, CRLF or CR; rows without any value, and the
 * header row again, are no records. A record is an object with the names of the header; all its values are
 * strings. A row with fewer cells lacks the last fields; a row with a value beyond the header fails. Columns
 * without a name are ignored; of several with one name, the first that is not empty counts.
 */
export class CsvReader implements RecordReader {
	/** The names of the columns, once the header was read. */
	columns: readonly string[] | undefined;
	/** The header row as it is in the file, with the lines before it. */
	header: string | undefined;
	skip = 0;
	requiredFields: readonly string[] = [];
	private record = 0;
	private line = 1;
	private dialect: Dialect;
	private readonly findings: Findings;
	/** The header row, and the lines before it: exports that were joined have them again. */
	private headerRow = '';
	/** The names of the columns in lower case; as a set too, since a header may have tens of thousands. */
	private names: readonly string[] = [];
	private nameSet: ReadonlySet<string> = new Set();
	private joinedHeader = '';
	private readonly preamble: string[] = [];
	/** Rows before the header row, which lack a column that is needed. */
	private readonly titleRows: Array<{ text: string; line: number }> = [];
	/** Number of columns up to the last one that has a name. */
	private width = 0;
	/** The beginning of a row, and the text that followed: kept until it is worth reading the row again. */
	private incompleteRow = '';
	private newText = '';

	constructor({
		delimiter = DELIMITERS.join(''),
		hasQuotes = true,
		findings = new Findings(),
	}: CsvOptions = {}) {
		this.dialect = { delimiter, hasQuotes };
		this.findings = findings;
	}

	get position(): { record: number; line: number } {
		return { record: this.record + 1, line: this.line };
	}

	*push(piece: string): Generator<SourceRecord> {
		this.newText += piece;
		// A long row is read again only after its text has doubled, so each character is read a few times only.
		const { length } = this.newText;
		const isTooLong = this.incompleteRow.length + length > MAX_RECORD_CHARACTERS;
		if (length >= this.incompleteRow.length || isTooLong) yield* this.read(false);
	}

	*end(isBroken = false): Generator<SourceRecord> {
		yield* this.read(!isBroken);
		const [first] = this.titleRows;
		if (!this.columns && first) this.setHeader(first.text, first.line);
	}

	private *read(isLast: boolean): Generator<SourceRecord> {
		const text = this.incompleteRow + this.newText;
		this.newText = '';
		let at = 0;
		while (at < text.length) {
			const row = this.rowAt(text, at, isLast);
			if (!row) break;
			at = row.next;
			const record = this.recordOf(row);
			if (record) yield record;
		}
		this.incompleteRow = text.slice(at);
		checkLength(this.incompleteRow.length, this.record + 1, this.line);
	}

	/** The row that begins there; undefined if more text is needed. */
	private rowAt(text: string, from: number, isLast: boolean): Row | undefined {
		const end = endOfRow(text, from, this.dialect);
		const isOpen = end === NOT_CLOSED;
		const rest = end === NOT_ENDED ? '' : text.slice(from, isOpen ? text.length : end);
		const cell = this.columns && this.rowLikeCell(rest, isOpen && !isLast);
		if (cell && cell.rowLikeLines >= MIN_LINES_OF_ROWS && this.isWide)
			return rowOf(text, from, from + cell.firstLineEnd, SUSPICIOUS_QUOTE);
		if (isOpen && isLast)
			throw recordError(UNCLOSED_QUOTE, this.record + 1, this.line, UNCLOSED_QUOTE_ADVICE);
		if (end < 0) return isLast ? rowOf(text, from, text.length) : undefined;
		// The line break may be the first half of CRLF.
		if (end === text.length - 1 && !isLast && text.charAt(end) === '\r') return undefined;
		if (cell && cell.rowLikeLines >= MIN_LINES_TO_REPORT)
			this.findings.add('quotedRows', this.line);
		return rowOf(text, from, end);
	}

	private rowLikeCell(row: string, isOpen: boolean) {
		if (!this.dialect.hasQuotes) return undefined;
		return mostRowLikeCell(row, this.dialect, this.columns?.length ?? 0, isOpen);
	}

	private get isWide(): boolean {
		return (this.columns?.length ?? 0) >= MIN_COLUMNS;
	}

	private recordOf({ text: row, defect: rowDefect, isCut }: Row): SourceRecord | undefined {
		const { line } = this;
		const text = this.withoutHeader(row);
		this.line += 1 + lineBreaksIn(row);
		if (isBlankRow(text, this.dialect)) {
			if (this.record >= this.skip) this.findings.add('blankRow', line);
			return undefined;
		}
		if (!this.columns) return this.readHeader(text, line);
		// Exports that were joined have them again.
		const isHeader = text === this.headerRow && this.columns.length > 1;
		if (isHeader || this.preamble.includes(text)) return undefined;
		if (this.record === 0 && RULE_LINE.test(text)) return undefined;
		const isSkipped = this.record < this.skip;
		// A skipped row is only parsed if it may be the header row, which must not be counted then either.
		const isParsed = rowDefect === undefined && (!isSkipped || this.isAsLongAsHeader(text));
		const cells = isParsed ? cellsOf(text, this.dialect) : undefined;
		const headerMatch = cells && this.compareWithHeader(cells);
		if (headerMatch === 'same') return undefined;
		const record = ++this.record;
		if (headerMatch === 'other order')
			throw recordError(REORDERED_HEADER, record, line, SPLIT_ADVICE);
		if (isSkipped) return undefined;
		const defect = rowDefect ?? this.defectOf(cells, isCut);
		const error = defect === undefined ? undefined : recordError(defect, record, line);
		if (!error && cells && cells.length < this.width) this.findings.add('shortRow', line);
		const value = error ? undefined : objectOf(this.columns, cells ?? []);
		return { record, line, text, value, error };
	}

	/** Whether a row has about as many characters as the header row: each cell of either may be in quotes. */
	private isAsLongAsHeader(text: string): boolean {
		return Math.abs(text.length - this.headerRow.length) <= 2 * this.names.length;
	}

	/** Tells whether a row has the names of the columns, as in joined exports: in upper or lower case, in any order. */
	private compareWithHeader(cells: readonly string[]): 'same' | 'other order' | undefined {
		const { names, nameSet } = this;
		if (cells.length !== names.length || names.length < 2) return undefined;
		const [first = ''] = cells;
		if (!nameSet.has(first.trim().toLowerCase())) return undefined;
		const cellNames = cells.map((cell) => cell.trim().toLowerCase());
		if (cellNames.every((name, at) => name === names[at])) return 'same';
		const isSameSet = cellNames.every((name) => nameSet.has(name));
		return isSameSet && new Set(cellNames).size === names.length ? 'other order' : undefined;
	}

	/** Exports that were joined without a line break have the header row at the end of a row. */
	private withoutHeader(row: string): string {
		const { joinedHeader: joined } = this;
		return joined !== '' && row.endsWith(joined) ? row.slice(0, -joined.length) : row;
	}

	private defectOf(cells: readonly string[] | undefined, isCut: boolean): string | undefined {
		if (!cells) return BAD_QUOTE;
		const columns = this.columns?.length ?? 0;
		const isLong =
			cells.length > columns && cells.slice(columns).some((cell) => cell.trim() !== '');
		const isShort = isCut && cells.length < this.width;
		if (!isLong && !isShort) return undefined;
		const cellCount = `${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}`;
		const difference = `has ${cellCount}, but the header row has ${columns}`;
		return isShort ? difference + MAY_BE_CUT : difference;
	}

	private readHeader(text: string, line: number): undefined {
		const separator =
			line === this.preamble.length + 1 ? SEPARATOR_LINE.exec(text)?.[1] : undefined;
		const isKnown = this.dialect.delimiter.length === 1;
		if (separator !== undefined && !isKnown) this.dialect.delimiter = separator;
		if (separator !== undefined || TYPE_LINE.test(text)) {
			this.preamble.push(text);
			return;
		}
		const { columns = [] } = this.columnsIn(text);
		const isTitle = this.requiredFields.some((field) => !hasColumn(columns, field));
		if (isTitle && this.titleRows.length < MAX_TITLE_ROWS) {
			this.titleRows.push({ text, line });
			return;
		}
		// None of the rows has the columns: whoever reads the file says what is missing in the first one.
		const [first] = this.titleRows;
		if (isTitle && first) return this.setHeader(first.text, first.line);
		this.setHeader(text, line);
		for (const title of this.titleRows) {
			this.findings.add('titleRow', title.line);
			this.preamble.push(title.text);
		}
	}

	private columnsIn(row: string): { delimiter: string; columns: string[] | undefined } {
		const { delimiter: known, hasQuotes } = this.dialect;
		const delimiter =
			known.length === 1 ? known : likeliestDelimiter(row, hasQuotes, this.requiredFields);
		return { delimiter, columns: columnsOf(row, { delimiter, hasQuotes }) };
	}

	private setHeader(text: string, line: number): undefined {
		const { delimiter, columns } = this.columnsIn(text);
		this.dialect.delimiter = delimiter;
		const defect = columns ? describeBadCharacters(text) : BAD_QUOTE;
		if (!columns || defect !== undefined)
			throw new RecordError(`The header row (line ${line}) ${defect}`, 1, line);
		this.columns = columns;
		this.names = columns.map((name) => name.trim().toLowerCase());
		this.nameSet = new Set(this.names);
		this.width = columns.findLastIndex((name) => name !== '') + 1;
		this.headerRow = text;
		this.joinedHeader = `\ufeff${text}`;
		this.header = [...this.preamble, text].join('\n');
	}
}

function rowOf(text: string, from: number, end: number, defect?: string): Row {
	const next = end + (text.startsWith('\r\n', end) ? 2 : 1);
	const isCut = end === text.length;
	return { text: text.slice(from, end), next, isCut, ...(defect !== undefined && { defect }) };
}

/** The cells by the names of their columns. */
function objectOf(columns: readonly string[], cells: readonly string[]): object {
	const fields = new Map<string, string>();
	for (const [index, cell] of cells.entries()) {
		const name = columns[index];
		if (name && !fields.get(name)) fields.set(name, cell);
	}
	return Object.fromEntries(fields);
}
