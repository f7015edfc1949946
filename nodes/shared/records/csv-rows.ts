import { fieldOf } from './fields';
import { isWhiteSpace } from './text';

/** How the cells of a file are written. */
export interface Dialect {
	/** The character between two cells; several while it is not known which. */
	delimiter: string;
	/** Whether a cell that begins with a quote ends with the next one. */
	hasQuotes: boolean;
}

/** Delimiters that are recognized, the most likely first. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

const QUOTE = '"';
const LINE_BREAKS = /\r\n|\r|\n/g;
const QUOTE_OR_LINE_BREAK = /["\r\n]/g;
const LINE_END = /[\r\n]/g;
/** `endOfRow`: the text ends with the row. */
export const NOT_ENDED = -1;
/** `endOfRow`: the text ends within quotes. */
export const NOT_CLOSED = -2;

/** Whether a row has line breaks within its cells. Searching for characters is faster than matching. */
const hasLineBreaks = (row: string): boolean => row.includes('\n') || row.includes('\r');

/** Counts the line breaks within the cells of a row. */
export const lineBreaksIn = (row: string): number =>
	hasLineBreaks(row) ? (row.match(LINE_BREAKS)?.length ?? 0) : 0;

/**
 * Finds the end of a row. Only a quote at the beginning of a cell starts a quoted cell.
 *
 * @returns the index of the line break after the row, or one of the constants above
 */
export function endOfRow(text: string, from: number, { delimiter, hasQuotes }: Dialect): number {
	const ends = hasQuotes ? QUOTE_OR_LINE_BREAK : LINE_END;
	for (let at = from; ; ) {
		ends.lastIndex = at;
		if (!ends.test(text)) return NOT_ENDED;
		const found = ends.lastIndex - 1;
		if (text.charAt(found) !== QUOTE) return found;
		at = found + 1;
		if (found > from && !delimiter.includes(text.charAt(found - 1))) continue;
		at = closingQuote(text, found) + 1;
		if (at === 0) return NOT_CLOSED;
	}
}

/**
 * Returns the cells of a row, without quotes around them.
 *
 * @returns undefined if something other than a delimiter follows a closing quote, or there is none
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

/** Whether a row consists of delimiters, white space and quotes: spreadsheets write such rows at their end. */
export function isBlankRow(row: string, { delimiter, hasQuotes }: Dialect): boolean {
	for (const character of row) {
		const hasValue = !isWhiteSpace(character) && !(hasQuotes && character === QUOTE);
		if (hasValue && !delimiter.includes(character)) return false;
	}
	return true;
}

/** Returns the names of the columns; undefined for a row that is none. */
export const columnsOf = (header: string, dialect: Dialect): string[] | undefined =>
	cellsOf(header, dialect)?.map((name) => name.trim());

/** Whether there is a column for a field, see `fieldOf`. */
export const hasColumn = (columns: readonly string[], field: string): boolean =>
	fieldOf(Object.fromEntries(columns.map((column) => [column, column])), field) !== undefined;

/**
 * Returns the delimiter under which a header row has most of the columns that are needed. If it is the same
 * for several, the one that is most frequent outside quotes.
 */
export function likeliestDelimiter(
	header: string,
	hasQuotes: boolean,
	requiredFields: readonly string[],
): string {
	const unquoted = hasQuotes ? header.replaceAll(/"[^"]*"/g, '') : header;
	const scores = DELIMITERS.map((delimiter) => {
		const columns = columnsOf(header, { delimiter, hasQuotes }) ?? [];
		const found = requiredFields.filter((field) => hasColumn(columns, field)).length;
		return { delimiter, found, cells: unquoted.split(delimiter).length };
	});
	// Sorting is stable, so the first of equal ones stays the first.
	scores.sort((one, other) => other.found - one.found || other.cells - one.cells);
	return scores[0]?.delimiter ?? ',';
}

/** The index of the quote that closes the one at `opening`, or -1. */
function closingQuote(text: string, opening: number): number {
	let at = text.indexOf(QUOTE, opening + 1);
	while (at >= 0 && text.charAt(at + 1) === QUOTE) at = text.indexOf(QUOTE, at + 2);
	return at;
}

/** Maximum number of lines that are counted. */
export const MAX_COUNTED_LINES = 10;

/** A quoted cell of several lines, as lines that may be rows of their own. */
export interface MultilineCell {
	/** Index in the row where the line ends in which the quote opens. */
	firstLineEnd: number;
	/** Number of consecutive lines, from the first or the second line on, that have as many cells as the header. */
	rowLikeLines: number;
}

/**
 * Returns the cell of a row whose lines look most like rows. A file that is written without quoting may
 * have a cell that begins with a quote, which then seems to contain all rows up to the next quote.
 *
 * @param width number of columns
 * @param isOpen whether the row ends within quotes, and its last line may be incomplete
 * @returns undefined if no cell has line breaks
 */
export function mostRowLikeCell(
	row: string,
	{ delimiter }: Dialect,
	width: number,
	isOpen: boolean,
): MultilineCell | undefined {
	if (!hasLineBreaks(row)) return undefined;
	let found: MultilineCell | undefined;
	let lineStart = 0;
	for (let at = 0; at < row.length; at++) {
		if (row.charAt(at) === QUOTE) {
			const end = closingQuote(row, at) + 1;
			const lineEnd = end === 0 ? row.length : endOfLine(row, end);
			const lines = linesOf(row, lineStart, lineEnd);
			const rowLikeLines = countRowLike(lines, delimiter, width, end === 0 && isOpen);
			if (rowLikeLines >= (found?.rowLikeLines ?? 0))
				found = { firstLineEnd: endOfLine(row, at), rowLikeLines };
			if (end === 0) break;
			const lastBreak = Math.max(
				row.lastIndexOf('\n', end - 1),
				row.lastIndexOf('\r', end - 1),
			);
			lineStart = Math.max(lineStart, lastBreak + 1);
			at = end;
		}
		at = row.indexOf(delimiter, at);
		if (at < 0) break;
	}
	return found;
}

function endOfLine(text: string, from: number): number {
	LINE_END.lastIndex = from;
	return LINE_END.test(text) ? LINE_END.lastIndex - 1 : text.length;
}

/** The lines of a part of a text, one after the other: a cell may have 64 MB, and its first lines tell. */
function* linesOf(
	text: string,
	from: number,
	to: number,
): Generator<{ line: string; isLast: boolean }> {
	for (let at = from; at <= to; ) {
		const end = Math.min(endOfLine(text, at), to);
		yield { line: text.slice(at, end), isLast: end === to };
		at = end + (text.startsWith('\r\n', end) ? 2 : 1);
	}
}

/** @param isCut the last line may be incomplete */
function countRowLike(
	lines: Iterable<{ line: string; isLast: boolean }>,
	delimiter: string,
	width: number,
	isCut: boolean,
): number {
	let total = 0;
	let index = 0;
	for (const { line, isLast } of lines) {
		if (total === MAX_COUNTED_LINES || (isLast && isCut)) break;
		const cells = line.split(delimiter).length;
		// Some programs end each row, but not the header, with a delimiter.
		const isLikeRow = cells === width || (cells === width + 1 && line.endsWith(delimiter));
		// The cell that begins with a quote may have delimiters, so that its own line is no row.
		if (!isLikeRow && index > 0) break;
		if (isLikeRow) total++;
		index++;
	}
	return total;
}
