/** The first entries of a list, for a message, and how many more there are. */
export function listOf(entries: ReadonlyArray<string | number>, max = 20, between = ', '): string {
	const others = entries.length - max;
	const first = entries.slice(0, max).join(between);
	return others > 0 ? `${first} and ${figure(others)} more` : first;
}

/** `12,000`. */
export const figure = (number: number): string => number.toLocaleString('en-US');

/** `1 document`, `3 documents`. */
export function formatCount(number: number, noun: string, plural = `${noun}s`): string {
	return `${figure(number)} ${number === 1 ? noun : plural}`;
}
