/**
 * Reads CSV with a header row (RFC 4180). The reader collects text until it has a complete row. The first row that
 * contains all required columns is the header row, and any rows before it are titles. If there is no such row, the
 * first row is the header row. Each later row becomes a record, which is an object with one string per column.
 *
 * The reader also accepts the variations that real programs write:
 *
 * - Rows end with LF, CRLF or CR. Blank rows are skipped.
 * - In a file that joins several exports, the header row is repeated. Repeated header rows are skipped.
 * - If a row has fewer cells than the header row, its record has no values for the last columns.
 * - If a row has a value beyond the last column, only that row fails.
 * - Values in columns without a name are left out and counted.
 * - If several columns have the same name, the first nonempty value is used.
 */
import { DELIMITERS, likeliestDelimiter } from './csv-delimiter';
import {
	afterLine,
	cellsOf,
	columnsOf,
	endOfRow,
	hasLineBreaks,
	MAX_COUNTED_LINES,
	hasColumn,
	isBlankRow,
	lineBreaksIn,
	NO_LINES,
	NOT_CLOSED,
	NOT_ENDED,
	rowLikeLinesIn,
	type Dialect,
	type RowLikeLines,
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
const REORDERED_HEADER = 'is a header row with the columns in a different order';
const SPLIT_ADVICE =
	'The file was joined from exports with different columns. Split it at this line, and read each part by itself.';
const SUSPICIOUS_QUOTE = `has a cell that begins with a quote, and the lines after it look like rows: ${QUOTES_ADVICE}. If these lines belong to the cell, export the file with all cells in quotes, including the header row`;

/**
 * A line looks like a row if it has as many cells as the header row. If this many consecutive lines in a quoted cell
 * look like rows, the reader treats the opening quote as part of the text. The row with the quote then fails, and the
 * lines are read as separate rows. Without this rule, all rows up to the next quote would become part of the cell.
 */
const MIN_LINES_OF_ROWS = MAX_COUNTED_LINES;
/**
 * Lines in a quoted cell are treated as rows only if the header row has at least this many columns. With two columns,
 * any line of prose with one comma would look like a row.
 */
const MIN_COLUMNS = 3;
const MIN_LINES_TO_REPORT = 3;

/**
 * Lines that some programs write before the header row. Excel writes `sep=;`, and PowerShell writes `#TYPE`
 * and a type name.
 */
const SEPARATOR_LINE = /^"?sep=(.)"?$/i;
const TYPE_LINE = /^#TYPE\b/i;
/** SQL tools and SAP write a line of dashes below the header row. */
const RULE_LINE = /^[\s+|,;-]*--[\s+|,;-]*$/;
const MAX_TITLE_ROWS = 20;

export interface CsvOptions {
	/** The delimiter is a single character. By default, the reader detects it from the header row. */
	delimiter?: string | undefined;
	hasQuotes?: boolean;
	findings?: Findings;
}

interface Row {
	text: string;
	/** Index of the next row in the buffered text. */
	next: number;
	defect?: string;
	/** Whether the file ends right after this row, without a line break. */
	isCut: boolean;
}

export class CsvReader implements RecordReader {
	columns: readonly string[] | undefined;
	/** The header row and all lines before it, exactly as in the file. */
	header: string | undefined;
	skip = 0;
	requiredFields: readonly string[] = [];
	private record = 0;
	private line = 1;
	private dialect: Dialect;
	private readonly findings: Findings;
	private headerRow = '';
	/**
	 * Column names in lowercase, as a list and as a set. With a set, lookups are fast even if there are many columns.
	 */
	private names: readonly string[] = [];
	private nameSet: ReadonlySet<string> = new Set();
	private joinedHeader = '';
	/** Whether all cells of the header row are in quotes. If so, this file definitely uses quotes to enclose cells. */
	private isHeaderQuoted = false;
	private readonly preamble: string[] = [];
	private readonly titleRows: Array<{ text: string; line: number }> = [];
	/** Number of columns, not counting unnamed columns at the end. */
	private width = 0;
	/**
	 * `incompleteRow` is the beginning of a row whose end has not been found yet. `newText` is the text that
	 * has arrived since the reader last looked for the end of this row.
	 */
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
		// If the reader does not find the end of a row, it searches again only after the text has doubled in length.
		// Therefore, each character is read only a few times.
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

	/** Returns the row that begins at `from`, or undefined if more text is needed. */
	private rowAt(text: string, from: number, isLast: boolean): Row | undefined {
		const end = endOfRow(text, from, this.dialect);
		const isOpen = end === NOT_CLOSED;
		const rest = end === NOT_ENDED ? '' : text.slice(from, isOpen ? text.length : end);
		const rowLike = this.rowLikeLinesIn(rest, isOpen && !isLast);
		if (rowLike.total >= MIN_LINES_OF_ROWS && this.isWide)
			return rowOf(text, from, from + rowLike.firstLineEnd, SUSPICIOUS_QUOTE);
		if (isOpen && isLast)
			throw recordError(UNCLOSED_QUOTE, this.record + 1, this.line, UNCLOSED_QUOTE_ADVICE);
		if (end < 0) return isLast ? rowOf(text, from, text.length) : undefined;
		// A CR at the end may be the first half of CRLF.
		if (end === text.length - 1 && !isLast && text.charAt(end) === '\r') return undefined;
		if (rowLike.total >= MIN_LINES_TO_REPORT) this.findings.add('quotedRows', this.line);
		return rowOf(text, from, end);
	}

	private rowLikeLinesIn(row: string, isOpen: boolean): RowLikeLines {
		const { columns, dialect } = this;
		const applies = columns && dialect.hasQuotes && !this.isHeaderQuoted;
		if (!applies || !hasLineBreaks(row)) return NO_LINES;
		return rowLikeLinesIn(row, dialect, columns.length, isOpen);
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
		// If several exports were appended to each other, the header row and the lines before it occur again.
		const isHeader = text === this.headerRow && this.columns.length > 1;
		if (isHeader || this.preamble.includes(text)) return undefined;
		if (this.record === 0 && RULE_LINE.test(text)) return undefined;
		const isSkipped = this.record < this.skip;
		// A repeated header row is not a record and must not be counted as one. To recognize it, the reader also parses
		// skipped rows that are about as long as the header row.
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
		const value = error ? undefined : this.objectOf(this.columns, cells ?? [], line);
		return { record, line, text, value, error };
	}

	/** Quotes can make each cell up to two characters longer. */
	private isAsLongAsHeader(text: string): boolean {
		return Math.abs(text.length - this.headerRow.length) <= 2 * this.names.length;
	}

	/** Joined exports repeat the header row, sometimes with the columns in a different order. */
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

	/**
	 * Removes a repeated header row from the end of a row. A header row appears there if exports were
	 * joined without a line break between them.
	 */
	private withoutHeader(row: string): string {
		const { joinedHeader: joined } = this;
		return joined !== '' && row.endsWith(joined) ? row.slice(0, -joined.length) : row;
	}

	private objectOf(columns: readonly string[], cells: readonly string[], line: number): object {
		const fields = new Map<string, string>();
		let isValueLost = false;
		for (const [index, cell] of cells.entries()) {
			const name = columns[index];
			if (!name) isValueLost ||= cell.trim() !== '';
			else if (!fields.get(name)) fields.set(name, cell);
		}
		if (isValueLost) this.findings.add('unnamedColumn', line);
		return Object.fromEntries(fields);
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
		// None of the rows contains all required columns. The first row becomes the header row, so that the
		// caller can report which columns are missing.
		const [first] = this.titleRows;
		if (isTitle && first) return this.setHeader(first.text, first.line);
		this.setHeader(text, line);
		for (const title of this.titleRows) {
			this.findings.add('titleRow', title.line);
			this.preamble.push(title.text);
		}
	}

	get delimiter(): string {
		return this.dialect.delimiter;
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
		const defect = columns ? describeBadCharacters(text, delimiter) : BAD_QUOTE;
		if (!columns || defect !== undefined)
			throw new RecordError(`The header row (line ${line}) ${defect}`, 1, line);
		this.columns = columns;
		this.names = columns.map((name) => name.trim().toLowerCase());
		this.nameSet = new Set(this.names);
		this.width = columns.findLastIndex((name) => name !== '') + 1;
		this.headerRow = text;
		this.joinedHeader = `\ufeff${text}`;
		this.isHeaderQuoted = text === columns.map(inQuotes).join(delimiter);
		this.header = [...this.preamble, text].join('\n');
	}
}

function rowOf(text: string, from: number, end: number, defect?: string): Row {
	const next = afterLine(text, end);
	const isCut = end === text.length;
	return { text: text.slice(from, end), next, isCut, ...(defect !== undefined && { defect }) };
}

const inQuotes = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
