import { splitByPattern } from './python-re';
import type { Static } from './schema';
import { timeSlices } from './time-slices';
import type { Span, Unit } from './units';
import { joinUnits, linesOf, sentencesOf, spanOf } from './units';

const POSITIVE = { type: 'integer', minimum: 1 } as const;
const NOT_NEGATIVE = { type: 'integer', minimum: 0 } as const;

export interface Chunker {
	config: Record<string, object>;
	/**
	 * Splits the texts in a validated request.
	 * @returns the spans of each text's chunks, in UTF-16 units
	 */
	split: (texts: string[], config: Record<string, unknown>) => Promise<Span[][]>;
}

type Config<Members extends Record<string, object>> = {
	[Name in keyof Members]?: Static<Members[Name]>;
};

/** Declares a chunker that splits texts one by one, with pauses so that other requests can run. */
function chunker<const Members extends Record<string, object>>(
	config: Members,
	splitText: (text: string, config: Config<Members>) => Iterable<Span>,
): Chunker {
	return {
		config,
		split: async (texts, values) => {
			const yieldToOthers = timeSlices();
			const all: Span[][] = [];
			for (const text of texts) {
				const spans: Span[] = [];
				for (const span of splitText(text, values as Config<Members>)) {
					spans.push(span);
					await yieldToOthers();
				}
				all.push(spans);
			}
			return all;
		},
	};
}

/**
 * All chunkers, keyed by the name in their path. If the interface states a default, that default is used here. To
 * add a chunker, add an entry to this list. The chunker's route and checks are derived from the entry.
 */
export const CHUNKERS: Record<string, Chunker> = {
	'regex-splitter': {
		config: { regex: { type: 'string' } },
		split: async (texts, { regex = '\\n' }) =>
			await Promise.resolve(splitByPattern(String(regex), texts)),
	},

	'dynamic-newline': chunker({ maxChunkSize: POSITIVE }, (text, { maxChunkSize = 512 }) =>
		joinUnits(linesOf(text), maxChunkSize, 0),
	),

	/**
	 * Joins sentences into chunks of up to `maxChunkSize` tokens. Neighboring chunks share `overlapSize` sentences.
	 */
	'dynamic-sentence': chunker(
		{ maxChunkSize: POSITIVE, overlapSize: NOT_NEGATIVE },
		(text, { maxChunkSize = 512, overlapSize = 1 }) =>
			joinUnits(sentencesOf(text), maxChunkSize, overlapSize),
	),

	sentence: chunker(
		{ chunkSize: POSITIVE, overlapSize: NOT_NEGATIVE },
		(text, { chunkSize = 5, overlapSize = 0 }) => groupSentences(text, chunkSize, overlapSize),
	),

	/**
	 * Works like `dynamic-sentence`, because the sandbox cannot compute the embeddings that the service compares.
	 */
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
	// If all remaining sentences are already in the previous chunk, they do not form another chunk.
	if (fresh > 0) yield spanOf(current);
}
