/** Delimiters that are recognized, the most likely first. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

const QUOTE = '"';
const QUOTE_OR_LINE_BREAK = /["\r\n]/g;

/**
 * Finds the end of a CSV row. Only a quote at the beginning of a cell starts a quoted cell.
 *
 * @param delimiters the characters that may separate cells
 * @returns the index of the line break after the row; -1 if there is none outside quotes, and -2 if a
 *   quote is not closed
 */
export function endOfRow(text: string, from: number, delimiters: string): number {
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

/** `endOfRow`: the text ends with the row. */
const NOT_ENDED = -1;
/** `endOfRow`: the text ends within quotes. */
export const NOT_CLOSED = -2;

/**
 * The cells of one CSV row, without quotes around them.
 *
 * @returns undefined if something other than a delimiter follows a closing quote, or there is none
 */
export function cellsOf(row: string, delimiter: string): string[] | undefined {
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
export function likeliestDelimiter(row: string): string {
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
