const MAX_EXCERPT_CHARACTERS = 200;

/** Matches spaces that look like an ordinary space, and characters that cannot be seen, such as a zero-width space. */
const INVISIBLE = /(?![ \u3000])[\p{Zs}\p{Cf}]/gu;

const escaped = (character: string): string =>
	`\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Zero-width characters, which a copied text may contain. White space includes only one of them (U+FEFF). */
const EDGES = /^[\s\u00ad\u200b-\u200f\u2060]+|[\s\u00ad\u200b-\u200f\u2060]+$/g;

/** Removes white space and zero-width characters from both ends of a text. */
export const trimmed = (text: string): string => text.replace(EDGES, '');

/**
 * Puts an ID in quotation marks for a message. A very long ID is shortened, control characters are replaced, and
 * characters that cannot be seen are escaped.
 */
export function quoted(id: string): string {
	const excerpt = id
		.slice(0, MAX_EXCERPT_CHARACTERS)
		.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/gu, '�')
		.replace(INVISIBLE, escaped);
	return `'${excerpt}${id.length > MAX_EXCERPT_CHARACTERS ? '…' : ''}'`;
}

/** Returns the names for a message. Each name is in quotes. A long list is shortened. */
export const quotedList = (names: readonly string[]): string => listOf(names.map(quoted));

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

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Returns true if a value is undefined, null or a blank string. Such a value cannot be an ID, because the
 * service might treat all blank IDs as the same ID.
 */
export const isNullOrBlankText = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
