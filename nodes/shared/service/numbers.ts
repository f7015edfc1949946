/** Joins the first entries of a list for use in a message, and adds the number of remaining entries. */
export function listOf(entries: ReadonlyArray<string | number>, max = 20, between = ', '): string {
	const others = entries.length - max;
	const first = entries.slice(0, max).join(between);
	return others > 0 ? `${first} and ${figure(others)} more` : first;
}

/** Formats a number with thousands separators, for example `12,000`. */
export const figure = (number: number): string => number.toLocaleString('en-US');

/** Formats a number with a noun, for example `1 document` or `3 documents`. */
export function formatCount(number: number, noun: string, plural = `${noun}s`): string {
	return `${figure(number)} ${number === 1 ? noun : plural}`;
}
