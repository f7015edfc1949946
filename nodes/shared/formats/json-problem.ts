/**
 * Returns what `JSON.parse` says about a record or a cell. From Node.js 22 on, it adds a line and a column, but they count
 * from the beginning of the record, and the file has other lines.
 */
export const jsonProblem = (error: unknown): string =>
	(error as Error).message.replace(/ \(line \d+ column \d+\)$/, '');
