import { fieldOf } from './fields';
import { indexOfMatch, isWhiteSpace } from './text';

export interface Dialect {
	/**
	 * Character between two cells. Until the delimiter is detected, this string contains all candidates.
	 */
	delimiter: string;
	hasQuotes: boolean;
}

const QUOTE = '"';
const LINE_BREAKS = /\r\n|\r|\n/g;
const QUOTE_OR_LINE_BREAK = /["\r\n]/g;
const LINE_END = /[\r\n]/g;
/** Returned by `endOfRow` if no line break follows the row. */
export const NOT_ENDED = -1;
/** Returned by `endOfRow` if the text ends within a quoted cell. */
export const NOT_CLOSED = -2;

/** Two searches are faster than one regular expression. */
export const hasLineBreaks = (row: string): boolean => row.includes('\n') || row.includes('\r');

export const lineBreaksIn = (row: string): number =>
	hasLineBreaks(row) ? (row.match(LINE_BREAKS)?.length ?? 0) : 0;

/**
 * Finds the end of a row. A cell is quoted only if its first character is a quote.
 *
 * @returns the index of the line break after the row, or `NOT_ENDED` or `NOT_CLOSED`
 */
export function endOfRow(text: string, from: number, { delimiter, hasQuotes }: Dialect): number {
	const ends = hasQuotes ? QUOTE_OR_LINE_BREAK : LINE_END;
	for (let at = from; ; ) {
		const found = indexOfMatch(ends, text, at);
		if (found < 0) return NOT_ENDED;
		if (text.charAt(found) !== QUOTE) return found;
		at = found + 1;
		if (found > from && !delimiter.includes(text.charAt(found - 1))) continue;
		at = closingQuote(text, found) + 1;
		if (at === 0) return NOT_CLOSED;
	}
}

/**
 * Splits a row into cells and removes the quotes around them.
 *
 * @returns undefined if a quote is not closed, or if anything other than a delimiter follows a closing
 *   quote
 */
export function cellsOf(row: string, { delimiter, hasQuotes }: Dialect): string[] | undefined {
	if (!hasQuotes || !row.includes(QUOTE)) return row.split(delimiter);
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

/**
 * Returns true if a row contains only delimiters, white space and quotes. Spreadsheet programs write such
 * rows at the end of a file.
 */
export function isBlankRow(row: string, { delimiter, hasQuotes }: Dialect): boolean {
	for (const character of row) {
		const hasValue = !isWhiteSpace(character) && !(hasQuotes && character === QUOTE);
		if (hasValue && !delimiter.includes(character)) return false;
	}
	return true;
}

/** Returns the column names in a header row, or undefined if the row's quoting is invalid. */
export const columnsOf = (header: string, dialect: Dialect): string[] | undefined =>
	cellsOf(header, dialect)?.map((name) => name.trim());

/** Returns true if `fieldOf` would find the field in a record with these columns. */
export const hasColumn = (columns: readonly string[], field: string): boolean =>
	fieldOf(Object.fromEntries(columns.map((column) => [column, column])), field) !== undefined;

function closingQuote(text: string, opening: number): number {
	let at = text.indexOf(QUOTE, opening + 1);
	while (at >= 0 && text.charAt(at + 1) === QUOTE) at = text.indexOf(QUOTE, at + 2);
	return at;
}

/** The caller needs to know only whether at least this many lines look like rows. */
export const MAX_COUNTED_LINES = 10;

export interface RowLikeLines {
	total: number;
	/** End of the line on which the quoted cell begins, counted from the beginning of the row. */
	firstLineEnd: number;
}

export const NO_LINES: RowLikeLines = { total: 0, firstLineEnd: 0 };

/**
 * Counts the lines of quoted cells that look like rows. In a file that was written without quoting, a cell may happen
 * to begin with a quote. It then seems to contain all rows up to the next quote.
 *
 * @param width number of columns
 * @param isOpen whether the text ends within a quoted cell. If so, the last line may be incomplete
 * @returns the highest count of a cell
 */
export function rowLikeLinesIn(
	row: string,
	{ delimiter }: Dialect,
	width: number,
	isOpen: boolean,
): RowLikeLines {
	let most = { total: 0, at: -1 };
	let lineStart = 0;
	let lineEnd = endOfLine(row, 0);
	/** The count of the quoted cells that begin on the current line, or undefined before the first one. */
	let total: number | undefined;
	for (let at = 0; at >= 0 && at < row.length; ) {
		if (row.charAt(at) === QUOTE) {
			total ??= countRowLike(row, lineStart, delimiter, width, isOpen);
			// The last of equal cells, because the line before a stray quote may belong to a correct cell.
			if (total >= most.total) most = { total, at };
			at = closingQuote(row, at) + 1;
			if (at === 0) break;
			for (; lineEnd < at; lineEnd = endOfLine(row, lineStart)) {
				lineStart = afterLine(row, lineEnd);
				total = undefined;
			}
		}
		at = row.indexOf(delimiter, at);
		if (at >= 0) at++;
	}
	return most.at < 0 ? NO_LINES : { total: most.total, firstLineEnd: endOfLine(row, most.at) };
}

function countRowLike(
	row: string,
	from: number,
	delimiter: string,
	width: number,
	isOpen: boolean,
): number {
	let total = 0;
	for (let at = from; at <= row.length && total < MAX_COUNTED_LINES; ) {
		const end = endOfLine(row, at);
		if (end === row.length && isOpen) break;
		const line = row.slice(at, end);
		const cells = line.split(delimiter).length;
		// Some programs write a delimiter at the end of each row, but not at the end of the header row.
		const isLikeRow = cells === width || (cells === width + 1 && line.endsWith(delimiter));
		// The first line ends within a quoted cell. Delimiters in this cell are counted too, so the first line may not
		// look like a row even if it is one.
		if (!isLikeRow && at > from) break;
		if (isLikeRow) total++;
		at = afterLine(row, end);
	}
	return total;
}

function endOfLine(text: string, from: number): number {
	const end = indexOfMatch(LINE_END, text, from);
	return end < 0 ? text.length : end;
}

/** Returns the index after the line break at `end`. */
export const afterLine = (text: string, end: number): number =>
	end + (text.startsWith('\r\n', end) ? 2 : 1);
