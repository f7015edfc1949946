import { dynamicNewline } from './dynamic-newline';
import { dynamicSentence } from './dynamic-sentence';
import { semantic } from './semantic';
import { sentence } from './sentence';
import type { Chunker, ConfigRule } from './types';

/** A chunker and the members of its `chunkerConfig`. */
export interface ChunkerEntry {
	/** Absent for the regex splitter, which runs in Python (python-re.ts). */
	chunker?: Chunker;
	config: Record<string, ConfigRule>;
}

/** The five chunkers of facts 1.1, by their name in the path. */
export const CHUNKERS: Record<string, ChunkerEntry> = {
	'regex-splitter': { config: { regex: 'string' } },
	'dynamic-newline': { chunker: dynamicNewline, config: { maxChunkSize: 'positive' } },
	'dynamic-sentence': {
		chunker: dynamicSentence,
		config: { maxChunkSize: 'positive', overlapSize: 'notNegative' },
	},
	sentence: { chunker: sentence, config: { chunkSize: 'positive', overlapSize: 'notNegative' } },
	semantic: {
		chunker: semantic,
		config: {
			maxChunkSize: 'positive',
			overlapSize: 'notNegative',
			cosineThreshold: 'cosine',
			approximate: 'boolean',
		},
	},
};
