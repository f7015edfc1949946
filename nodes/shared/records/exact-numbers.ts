/** A number that `JSON.parse` may change: it keeps about 16 digits, and makes Infinity of 1e400. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

/** Strings and numbers of JSON. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** What a text begins with that stands for a number. JSON writes U+0000 as an escape. */
const MARK = '\0exact:';
const MARKED = /"\\u0000exact:([^"]*)"/g;

/** Whether JSON has numbers that may not stay as they are if it is parsed and written again. */
export const hasLongNumbers = (json: string): boolean => LONG_NUMBER.test(json);

/**
 * Parses JSON like `JSON.parse`, but returns numbers that would change as texts, of which `exactJson`
 * makes numbers again.
 */
export const parseExactly = (json: string): unknown =>
	JSON.parse(
		json.replace(TOKENS, (token) => (isExact(token) ? token : JSON.stringify(MARK + token))),
	);

/** Returns JSON of a value from `parseExactly`, with its numbers as they were. */
export const exactJson = (json: string): string => json.replace(MARKED, '$1');

/** Returns a number of JSON that is an integer which would change, or too large for any number. */
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
