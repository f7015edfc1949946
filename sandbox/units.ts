/** [start, end) in UTF-16 units of a text, as JavaScript slices it. */
export type Span = readonly [start: number, end: number];

/** A unit of text that chunkers join: a line or a sentence. */
export interface Unit {
	start: number;
	end: number;
	tokens: number;
}

/** Tokens of a text, approximated as 1.3 for each word (README.md, "Approximations"). */
export function countTokens(text: string): number {
	const words = text.match(/\S+/g)?.length ?? 0;
	return Math.ceil(words * 1.3);
}

/** The span without white space at its ends; undefined if nothing is left. */
function trimSpan(text: string, start: number, end: number): Span | undefined {
	const slice = text.slice(start, end);
	const from = start + (slice.length - slice.trimStart().length);
	const to = start + slice.trimEnd().length;
	return from < to ? [from, to] : undefined;
}

function unitOf(text: string, start: number, end: number): Unit | undefined {
	const span = trimSpan(text, start, end);
	if (!span) return undefined;
	return { start: span[0], end: span[1], tokens: countTokens(text.slice(span[0], span[1])) };
}

/** Characters segmented in one step; see `sentencesOf`. */
const WINDOW = 2_000;

/**
 * Sentences by Unicode's rules (ICU, built into Node), except blank ones. Reads the text in
 * windows, because the time Intl.Segmenter needs grows with the square of the text's length. The
 * last sentence of a window may continue behind it, so the next window begins with it.
 */
export function* sentencesOf(text: string): Generator<Unit> {
	const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
	let start = 0;
	let size = WINDOW;
	while (start < text.length) {
		const isLast = start + size >= text.length;
		const segments = [...segmenter.segment(text.slice(start, start + size))];
		if (!isLast && segments.length === 1) {
			size *= 2;
			continue;
		}
		const complete = isLast ? segments : segments.slice(0, -1);
		for (const { index, segment } of complete) {
			const unit = unitOf(text, start + index, start + index + segment.length);
			if (unit) yield unit;
		}
		if (isLast) return;
		start += segments.at(-1)?.index ?? 0;
		size = WINDOW;
	}
}

/** Lines, except blank ones. */
export function* linesOf(text: string): Generator<Unit> {
	let start = 0;
	while (start < text.length) {
		const found = text.indexOf('\n', start);
		const end = found < 0 ? text.length : found;
		const unit = unitOf(text, start, end);
		if (unit) yield unit;
		start = end + 1;
	}
}

/**
 * Joins units as long as they stay within a number of tokens; a unit above it stays whole and
 * alone. The last `overlap` units of a chunk begin the next one, as far as there is room.
 */
export function* joinUnits(
	units: Iterable<Unit>,
	maxTokens: number,
	overlap: number,
): Generator<Span> {
	let current: Unit[] = [];
	let tokens = 0;
	for (const unit of units) {
		if (current.length > 0 && tokens + unit.tokens > maxTokens) {
			yield spanOf(current);
			current = overlap > 0 ? current.slice(Math.max(1, current.length - overlap)) : [];
			tokens = sumTokens(current);
			while (current.length > 0 && tokens + unit.tokens > maxTokens) {
				tokens -= current.shift()?.tokens ?? 0;
			}
		}
		current.push(unit);
		tokens += unit.tokens;
	}
	if (current.length > 0) yield spanOf(current);
}

/** From the first unit's start to the last one's end; there must be one. */
export function spanOf(units: readonly Unit[]): Span {
	return [units[0]?.start ?? 0, units.at(-1)?.end ?? 0];
}

function sumTokens(units: readonly Unit[]): number {
	return units.reduce((sum, unit) => sum + unit.tokens, 0);
}
