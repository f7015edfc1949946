/** A range [start, end) in a text, in UTF-16 units. */
export type Span = readonly [start: number, end: number];

/** A line or a sentence. Chunkers join several units into a chunk. */
export interface Unit {
	start: number;
	end: number;
	tokens: number;
}

/** Estimates a text's token count as 1.3 tokens per word (README.md, "Approximations"). */
export function countTokens(text: string): number {
	const words = text.match(/\S+/g)?.length ?? 0;
	return Math.ceil(words * 1.3);
}

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

const WINDOW = 2_000;

/**
 * Yields all sentences of a text except blank ones. Unicode's rules (ICU, built into Node) define the sentences. The
 * text is read in windows, because the time that Intl.Segmenter needs grows with the square of the text's length. A
 * window's last sentence can continue past the window, so the next window begins with that sentence.
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
 * Joins units into chunks with a maximum number of tokens. A unit above the maximum becomes its own chunk. Each
 * chunk begins with the previous chunk's last `overlap` units, or with fewer if they do not fit.
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

export function spanOf(units: readonly Unit[]): Span {
	return [units[0]?.start ?? 0, units.at(-1)?.end ?? 0];
}

function sumTokens(units: readonly Unit[]): number {
	return units.reduce((sum, unit) => sum + unit.tokens, 0);
}
