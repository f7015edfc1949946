export type Cell = string | number;

/** Formats a Markdown table with aligned columns. Numbers are right-aligned. */
export function table(head: string[], rows: Cell[][]): string {
	const texts = [head, ...rows.map((row) => row.map(String))];
	const widths = head.map((_, column) => Math.max(3, ...texts.map((row) => row[column].length)));
	const isNumber = head.map((_, column) =>
		rows.every((row) => /^[-≥~\d]/.test(String(row[column]))),
	);
	const line = (row: string[]) =>
		`| ${row.map((text, column) => (isNumber[column] ? text.padStart(widths[column]) : text.padEnd(widths[column]))).join(' | ')} |`;
	const rule = `| ${widths.map((width, column) => (isNumber[column] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`;
	return [line(texts[0]), rule, ...texts.slice(1).map(line)].join('\n');
}

/** Formats a number as `12,345`. */
export const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

export const ratio = (value: number): string => value.toFixed(2);

export const print = (...lines: string[]): void => console.log(lines.join('\n'));
