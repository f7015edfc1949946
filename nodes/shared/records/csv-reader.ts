import {
	checkLength,
	MAX_RECORD_CHARACTERS,
	RecordError,
	recordError,
	type RecordReader,
	type SourceRecord,
} from './record';
import { characterProblem } from './text';

/** Delimiters that are recognized, the most likely first. */
const DELIMITERS = [',', ';', '\t', '|'] as const;

const QUOTE = '"';
const LINE_BREAK = /\r\n|\r|\n/g;
const BAD_QUOTE = 'has text between a closing quote and the next delimiter';

/**
 * Reads CSV with a header row (RFC 4180). Rows end with LF, CRLF or CR; rows without any value, and the
 * header row again, are no records. A record is an object with the names of the header; all its values are
 * strings. A row with fewer cells lacks the last fields; a row with more fails. Columns without a name are
 * ignored; of several with one name, the first that is not empty counts.
 */
export class CsvReader implements RecordReader {
	/** The names of the columns, once the header was read. */
	columns: readonly string[] | undefined;
	/** The header row as it is in the file, with the line before it that says the delimiter. */
	header: string | undefined;
	skip = 0;
	private record = 0;
	private line = 1;
	/** The line `sep=;` that Excel writes, with a line break. */
	private separatorLine = '';
	/** The beginning of a row, and the text that followed: kept until it is worth reading the row again. */
	private rest = '';
	private gathered = '';

	/** @param delimiter one character; detected in the header row if undefined */
	constructor(private delimiter?: string) {}

	get position(): { record: number; line: number } {
		return { record: this.record + 1, line: this.line };
	}

	*push(piece: string): Generator<SourceRecord> {
		this.gathered += piece;
		// A long row is read again only after its text has doubled, so each character is read a few times only.
		const { length } = this.gathered;
		const isTooLong = this.rest.length + length > MAX_RECORD_CHARACTERS;
		if (length >= this.rest.length || isTooLong) yield* this.read(false);
	}

	*end(isBroken = false): Generator<SourceRecord> {
		yield* this.read(!isBroken);
	}

	private get delimiters(): string {
		return this.delimiter ?? DELIMITERS.join('');
	}

	private *read(isLast: boolean): Generator<SourceRecord> {
		const text = this.rest + this.gathered;
		this.gathered = '';
		let at = 0;
		while (at < text.length) {
			let end = endOfRow(text, at, this.delimiters);
			if (end === NOT_CLOSED && isLast)
				throw recordError('has an unclosed quote', this.record + 1, this.line);
			if (end < 0 && isLast) end = text.length;
			// The line break may be the first half of CRLF.
			if (end < 0 || (end === text.length - 1 && !isLast && text.charAt(end) === '\r')) break;
			const found = this.row(text.slice(at, end));
			at = end + (text.startsWith('\r\n', end) ? 2 : 1);
			if (found) yield found;
		}
		this.rest = text.slice(at);
		checkLength(this.rest.length, this.record + 1, this.line);
	}

	private row(text: string): SourceRecord | undefined {
		const { line } = this;
		const lineBreaks = text.includes(QUOTE) ? text.match(LINE_BREAK) : null;
		this.line += 1 + (lineBreaks?.length ?? 0);
		if (isBlankRow(text, this.delimiters)) return undefined;
		if (!this.columns) return this.readHeader(text, line);
		// Exports that were joined have it again.
		const isHeader = this.separatorLine + text === this.header;
		if (isHeader && this.columns.length > 1) return undefined;
		const record = ++this.record;
		if (record <= this.skip) return undefined;
		const cells = cellsOf(text, this.delimiter ?? ',');
		const problem = problemOf(cells, this.columns);
		const error = problem === undefined ? undefined : recordError(problem, record, line);
		const value = error ? undefined : objectOf(this.columns, cells ?? []);
		return { record, line, text, value, error };
	}

	private readHeader(text: string, line: number): undefined {
		const separator = line === 1 ? /^sep=(.)$/i.exec(text)?.[1] : undefined;
		if (separator !== undefined) {
			this.delimiter ??= separator;
			this.separatorLine = `${text}\n`;
			return;
		}
		this.delimiter ??= likeliestDelimiter(text);
		const columns = cellsOf(text, this.delimiter)?.map((name) => name.trim());
		const problem = columns ? characterProblem(text) : BAD_QUOTE;
		if (problem !== undefined)
			throw new RecordError(`The header row (line ${line}) ${problem}`, 1, line);
		this.columns = columns;
		this.header = this.separatorLine + text;
	}
}

/** Whether a row consists of delimiters, white space and quotes: spreadsheets write such rows at their end. */
function isBlankRow(row: string, delimiters: string): boolean {
	for (const character of row) {
		const hasValue = character !== QUOTE && character.trim() !== '';
		if (hasValue && !delimiters.includes(character)) return false;
	}
	return true;
}

function problemOf(
	cells: readonly string[] | undefined,
	columns: readonly string[],
): string | undefined {
	if (!cells) return BAD_QUOTE;
	if (cells.length <= columns.length) return undefined;
	return `has ${cells.length} cells, but the header row has ${columns.length}`;
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

const QUOTE_OR_LINE_BREAK = /["\r\n]/g;
/** `endOfRow`: the text ends with the row. */
const NOT_ENDED = -1;
/** `endOfRow`: the text ends within quotes. */
const NOT_CLOSED = -2;

/**
 * Finds the end of a row. Only a quote at the beginning of a cell starts a quoted cell.
 *
 * @param delimiters the characters that may separate cells
 * @returns the index of the line break after the row, or one of the constants above
 */
function endOfRow(text: string, from: number, delimiters: string): number {
	for (let at = from; ; ) {
		QUOTE_OR_LINE_BREAK.lastIndex = at;
		if (!QUOTE_OR_LINE_BREAK.test(text)) return NOT_ENDED;
		const found = QUOTE_OR_LINE_BREAK.lastIndex - 1;
		if (text.charAt(found) !== QUOTE) return found;
		at = found + 1;
		if (found > from && !delimiters.includes(text.charAt(found - 1))) continue;
		at = closingQuote(text, found) + 1;
		if (at === 0) return NOT_CLOSED;
	}
}

/**
 * The cells of a row, without quotes around them.
 *
 * @returns undefined if something other than a delimiter follows a closing quote, or there is none
 */
function cellsOf(row: string, delimiter: string): string[] | undefined {
	if (!row.includes(QUOTE)) return row.split(delimiter);
	const cells: string[] = [];
	for (let at = 0; ; at++) {
		let end: number;
		if (row.charAt(at) === QUOTE) {
			end = closingQuote(row, at) + 1;
			const isClosed = end > 0;
			if (!isClosed || (end < row.length && row.charAt(end) !== delimiter)) return undefined;
			cells.push(row.slice(at + 1, end - 1).replaceAll('""', QUOTE));
		} else {
			end = row.indexOf(delimiter, at);
			if (end < 0) end = row.length;
			cells.push(row.slice(at, end));
		}
		if (end === row.length) return cells;
		at = end;
	}
}

/** The delimiter that is most frequent in a row, outside quotes. */
function likeliestDelimiter(row: string): string {
	const unquoted = row.replaceAll(/"[^"]*"/g, '');
	const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length);
	return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The index of the quote that closes the one at `opening`, or -1. */
function closingQuote(text: string, opening: number): number {
	let at = text.indexOf(QUOTE, opening + 1);
	while (at >= 0 && text.charAt(at + 1) === QUOTE) at = text.indexOf(QUOTE, at + 2);
	return at;
}
