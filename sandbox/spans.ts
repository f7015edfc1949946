import type { Span } from './units';

/**
 * The service's spans count Python characters, which are Unicode code points. JavaScript counts UTF-16 units. The
 * two counts differ only in texts with surrogate pairs.
 */
const SURROGATES = /[\ud800-\udbff][\udc00-\udfff]/;

/**
 * Maps every UTF-16 offset to a code-point offset. Returns undefined if the offsets are equal throughout the text.
 */
function codePointOffsets(text: string): Uint32Array | undefined {
	if (!SURROGATES.test(text)) return undefined;
	const offsets = new Uint32Array(text.length + 1);
	let point = 0;
	let unit = 0;
	for (const character of text) {
		offsets[unit] = point;
		// Both halves of a surrogate pair belong to the same character.
		if (character.length === 2) offsets[unit + 1] = point;
		unit += character.length;
		point += 1;
	}
	offsets[unit] = point;
	return offsets;
}

/** Creates a function that converts a text's spans from UTF-16 units to code points. */
export function toCodePoints(text: string): (span: Span) => [number, number] {
	const offsets = codePointOffsets(text);
	return offsets
		? ([start, end]) => [offsets[start] ?? 0, offsets[end] ?? 0]
		: ([start, end]) => [start, end];
}
