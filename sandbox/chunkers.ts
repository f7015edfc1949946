import { breather } from './breathe';
import { splitByPattern } from './python-re';
import type { Static } from './schema';
import type { Span, Unit } from './units';
import { joinUnits, linesOf, sentencesOf, spanOf, sumTokens } from './units';

const POSITIVE = { type: 'integer', minimum: 1 } as const;
const NOT_NEGATIVE = { type: 'integer', minimum: 0 } as const;

/** A chunker as jobs use it. */
export interface Chunker {
	/** The members of `chunkerConfig` that it knows, as JSON schemas. */
	config: Record<string, object>;
	/**
	 * Splits the texts of a checked request.
	 * @returns the spans of each text's chunks, in UTF-16 units
	 */
	split: (texts: string[], config: Record<string, unknown>) => Promise<Span[][]>;
}

/** The values of a checked `chunkerConfig`. */
type Config<Members extends Record<string, object>> = {
	[Name in keyof Members]?: Static<Members[Name]>;
};

/** Declares a chunker that splits one text after the other, with pauses for other requests. */
function chunker<const Members extends Record<string, object>>(
	config: Members,
	splitText: (text: string, config: Config<Members>) => Iterable<Span>,
): Chunker {
	return {
		config,
		split: async (texts, values) => {
			const breathe = breather();
			const all: Span[][] = [];
			for (const text of texts) {
				const spans: Span[] = [];
				for (const span of splitText(text, values as Config<Members>)) {
					spans.push(span);
					await breathe();
				}
				all.push(spans);
			}
			return all;
		},
	};
}

/**
 * Every chunker by its name in the path, with the defaults of the interface as far as it states
 * them. To add one, add an entry: route, checks and splitting follow.
 */
export const CHUNKERS: Record<string, Chunker> = {
	/** The pieces between the matches of a Python regular expression. */
	'regex-splitter': {
		config: { regex: { type: 'string' } },
		split: async (texts, { regex = '\\n' }) =>
			await Promise.resolve(splitByPattern(String(regex), texts)),
	},

	/** Lines joined up to `maxChunkSize` tokens; no overlap. */
	'dynamic-newline': chunker({ maxChunkSize: POSITIVE }, (text, { maxChunkSize = 512 }) =>
		joinUnits(linesOf(text), maxChunkSize, 0),
	),

	/** Sentences joined up to `maxChunkSize` tokens; neighbors share `overlapSize` sentences. */
	'dynamic-sentence': chunker(
		{ maxChunkSize: POSITIVE, overlapSize: NOT_NEGATIVE },
		(text, { maxChunkSize = 512, overlapSize = 1 }) =>
			joinUnits(sentencesOf(text), maxChunkSize, overlapSize),
	),

	/** `chunkSize` sentences per chunk; neighbors share `overlapSize` of them. */
	sentence: chunker(
		{ chunkSize: POSITIVE, overlapSize: NOT_NEGATIVE },
		(text, { chunkSize = 5, overlapSize = 0 }) => groupSentences(text, chunkSize, overlapSize),
	),

	/**
	 * A new chunk begins where the bag-of-words cosine of two neighboring sentences is below
	 * `cosineThreshold`, or where the chunk would exceed `maxChunkSize` tokens; the latter repeats
	 * `overlapSize` sentences. The service compares embeddings; `approximate` changes nothing here.
	 */
	semantic: chunker(
		{
			maxChunkSize: POSITIVE,
			overlapSize: NOT_NEGATIVE,
			cosineThreshold: { type: 'number', minimum: -1, maximum: 1 },
			approximate: { type: 'boolean' },
		},
		(text, { maxChunkSize = 512, overlapSize = 1, cosineThreshold = 0.567 }) =>
			splitByMeaning(text, maxChunkSize, overlapSize, cosineThreshold),
	),
};

function* groupSentences(text: string, size: number, overlapSize: number): Generator<Span> {
	const overlap = Math.min(overlapSize, size - 1);
	let current: Unit[] = [];
	let fresh = 0;
	for (const unit of sentencesOf(text)) {
		current.push(unit);
		fresh += 1;
		if (current.length === size) {
			yield spanOf(current);
			current = overlap > 0 ? current.slice(-overlap) : [];
			fresh = 0;
		}
	}
	// The rest may be nothing but the overlap of the chunk before.
	if (fresh > 0) yield spanOf(current);
}

function* splitByMeaning(
	text: string,
	maxTokens: number,
	overlap: number,
	threshold: number,
): Generator<Span> {
	let current: Unit[] = [];
	let previous: Map<string, number> | undefined;
	for (const unit of sentencesOf(text)) {
		const bag = bagOfWords(text.slice(unit.start, unit.end));
		if (previous && cosine(previous, bag) < threshold) {
			yield spanOf(current);
			current = [];
		} else if (current.length > 0 && sumTokens(current) + unit.tokens > maxTokens) {
			yield spanOf(current);
			current = overlap > 0 ? current.slice(Math.max(1, current.length - overlap)) : [];
			while (current.length > 0 && sumTokens(current) + unit.tokens > maxTokens) {
				current.shift();
			}
		}
		current.push(unit);
		previous = bag;
	}
	if (current.length > 0) yield spanOf(current);
}

/** Lower-case words of a sentence and how often each occurs. */
function bagOfWords(sentence: string): Map<string, number> {
	const bag = new Map<string, number>();
	for (const word of sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
		bag.set(word, (bag.get(word) ?? 0) + 1);
	}
	return bag;
}

/** Cosine of the angle between two bags, 0 to 1. */
function cosine(a: Map<string, number>, b: Map<string, number>): number {
	let dot = 0;
	for (const [word, count] of a) dot += count * (b.get(word) ?? 0);
	const norm = (bag: Map<string, number>) =>
		Math.sqrt([...bag.values()].reduce((sum, count) => sum + count * count, 0));
	return dot === 0 ? 0 : dot / (norm(a) * norm(b));
}
