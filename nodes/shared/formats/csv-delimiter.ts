import { columnsOf, hasColumn } from './csv-rows';

/** Delimiters that can be detected, with the most likely one first. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

/**
 * Returns the delimiter that finds the most required fields in the header row. If several delimiters are equally good,
 * returns the one that occurs most often outside quotes.
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
	// Sorting is stable, so delimiters with equal scores stay in the order of `DELIMITERS`.
	scores.sort((one, other) => other.found - one.found || other.cells - one.cells);
	return scores[0]?.delimiter ?? ',';
}
