/**
 * Formats a CSV row (RFC 4180).
 *
 * @param cells the values in the row. Strings stay unchanged. Undefined and null become empty cells. Other values
 * become JSON
 * @returns the row without a line break
 */
export function csvRow(cells: readonly unknown[], delimiter = ','): string {
	const row = cells.map((cell) => csvCell(cell, delimiter)).join(delimiter);
	// Readers skip blank lines, so a row with a single blank cell is quoted.
	return row.trim() === '' && cells.length === 1 ? `"${row}"` : row;
}

function csvCell(cell: unknown, delimiter: string): string {
	const text =
		typeof cell === 'string'
			? cell
			: cell === undefined || cell === null
				? ''
				: JSON.stringify(cell);
	const isPlain = !/["\r\n]/.test(text) && !text.includes(delimiter);
	return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}
