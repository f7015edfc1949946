/**
 * Matches numbers that `JSON.parse` may change. `JSON.parse` keeps about 16 digits and turns 1e400 into
 * Infinity.
 */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

/** Matches strings and numbers in JSON. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** In JSON, the U+0000 in this prefix is written as an escape sequence. */
const MARK = '\0exact:';
const MARKED = /"\\u0000exact:([^"]*)"/g;

/** Returns true if parsing this JSON may change a number. */
export const hasLongNumbers = (json: string): boolean => LONG_NUMBER.test(json);

/**
 * Parses JSON like `JSON.parse`. However, a number that `JSON.parse` would change is returned as a marked
 * string. `exactJson` turns the marked strings back into numbers.
 */
export const parseExactly = (json: string): unknown =>
	JSON.parse(
		json.replace(TOKENS, (token) => (isExact(token) ? token : JSON.stringify(MARK + token))),
	);

/** Restores the original numbers after a value from `parseExactly` has been written as JSON. */
export const exactJson = (json: string): string => json.replace(MARKED, '$1');

/**
 * Returns the first number that `JSON.parse` would change. Checks integers, and any number that is too large for
 * JavaScript. The rounding of decimal fractions is ignored.
 */
export function inexactNumberIn(json: string): string | undefined {
	if (!hasLongNumbers(json)) return undefined;
	return json.match(TOKENS)?.find((token) => {
		if (isExact(token)) return false;
		const number = Number(token);
		return !Number.isFinite(number) || /^-?\d+$/.test(token);
	});
}

const isExact = (token: string): boolean =>
	token.startsWith('"') || !LONG_NUMBER.test(token) || String(Number(token)) === token;
