import { breather } from './breathe';
import { splitByPattern } from './python-re';
import type { Static } from './schema';
import type { Span, Unit } from './units';
import { joinUnits, linesOf, sentencesOf, spanOf } from './units';

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

	/** Sentences like `dynamic-sentence`: the service compares embeddings, which the sandbox does not have. */
	semantic: chunker(
		{
			maxChunkSize: POSITIVE,
			overlapSize: NOT_NEGATIVE,
			cosineThreshold: { type: 'number', minimum: -1, maximum: 1 },
			approximate: { type: 'boolean' },
		},
		(text, { maxChunkSize = 512, overlapSize = 1 }) =>
			joinUnits(sentencesOf(text), maxChunkSize, overlapSize),
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
