/**
 * One form for all ways to write a text: percent-encoded, escaped in JSON or HTML, in another letter
 * case, without its spaces and control characters. Only for finding texts, since it loses some.
 */

/** Encoded bytes in a row, however often they were encoded. */
const ENCODED_BYTES = /(?:%(?:25)*[\da-f]{2})+/gi;

/** An escape of JSON, however often it was escaped. */
const ESCAPE = /\\+(?:[uU][\da-fA-F]{4}|[nrtbf])?/g;

/** An entity of HTML, however often it was escaped. */
const ENTITY = /&(?:amp;)*(?:#x[\da-f]{1,6}|#\d{1,7}|amp|lt|gt|quot|apos);/gi;
const NAMED_ENTITIES: Readonly<Record<string, string>> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
};

/**
 * Spaces and control characters, which are lost on the way; `+` and `-`, which stand for spaces in forms
 * and for each other in base64; the padding of base64; and backslashes.
 */
const LOST = /[\s\p{Cc}\p{Cf}\\+=-]+/gu;
/** The same for ASCII, which is most texts and much faster. */
const ASCII_LOST = /[\0-\x20\x7f\\+=-]+/g;

/** Whether a text has ASCII characters only. */
const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** `/` in base64 is `_` in URLs. */
const UNDERSCORE = /_/g;

type Step = [pattern: RegExp, replace: (match: string) => string];

const STEPS: readonly Step[] = [
	[ENCODED_BYTES, decoded],
	[ESCAPE, unescaped],
	[ENTITY, entity],
	[LOST, () => ''],
	[UNDERSCORE, () => '/'],
];

const MAX_CODE_POINT = 0x10ffff;

/** The canonical form of a text: equal for two texts that may be the same. */
export function canonical(text: string): string {
	if (!isAscii(text) || /[%\\&]/.test(text)) {
		return folded(STEPS.reduce((form, step) => form.replace(...step), text));
	}
	return text.replace(ASCII_LOST, '').replaceAll('_', '/').toLowerCase();
}

function decoded(encoded: string): string {
	const bytes = encoded.replace(/%(?:25)*(?=[\da-f]{2})/gi, '');
	return Buffer.from(bytes, 'hex').toString();
}

function unescaped(escape: string): string {
	const code = /u([\da-f]{4})$/i.exec(escape)?.[1];
	return code === undefined ? '' : String.fromCharCode(parseInt(code, 16));
}

function entity(escaped: string): string {
	const name = escaped
		.slice(1, -1)
		.replace(/^(?:amp;)+/i, '')
		.toLowerCase();
	if (!name.startsWith('#')) return NAMED_ENTITIES[name] ?? '';
	const code = name.startsWith('#x') ? parseInt(name.slice(2), 16) : Number(name.slice(1));
	return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : '';
}

/** The same for all letter cases; `ς` is what `Σ` becomes at the end of a word. */
function folded(text: string): string {
	return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
