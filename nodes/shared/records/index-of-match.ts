/** Matches the end of a JSON string, or a backslash that escapes the next character. */
export const QUOTE_OR_BACKSLASH = /["\\]/g;

/**
 * Works like `String.indexOf`, but searches for a regular expression.
 *
 * @param expression matches a single character and has the `g` flag
 * @returns the index of the next match, or -1
 */
export function indexOfMatch(expression: RegExp, text: string, from: number): number {
	expression.lastIndex = from;
	return expression.test(text) ? expression.lastIndex - 1 : -1;
}
