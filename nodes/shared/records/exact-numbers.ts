/** Matches numbers that `JSON.parse` may change. It keeps about 16 digits, and turns 1e400 into Infinity. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

/** Matches the strings and numbers of JSON. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Prefix of the strings that stand for numbers. In JSON, its U+0000 is written as an escape. */
const MARK = '\0exact:';
const MARKED = /"\\u0000exact:([^"]*)"/g;

/** Tells whether JSON contains numbers that may change when it is parsed and written again. */
export const hasLongNumbers = (json: string): boolean => LONG_NUMBER.test(json);

/**
 * Parses JSON like `JSON.parse`, but returns numbers that would change as strings. `exactJson` turns these
 * strings back into numbers.
 */
export const parseExactly = (json: string): unknown =>
	JSON.parse(
		json.replace(TOKENS, (token) => (isExact(token) ? token : JSON.stringify(MARK + token))),
	);

/** Restores the original numbers in the JSON of a value that `parseExactly` returned. */
export const exactJson = (json: string): string => json.replace(MARKED, '$1');

/**
 * Returns the first number of a JSON text that is too large for JavaScript, or that is an integer and
 * would change.
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
