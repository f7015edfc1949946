import { joinUnits, sentencesOf } from './text';
import { numberOf, type Chunker } from './types';

/**
 * Sentences joined up to `maxChunkSize` tokens (512), neighbours sharing `overlapSize` sentences
 * (1). The defaults are likely, not stated (facts 1.3).
 */
export const dynamicSentence: Chunker = (text, config) =>
	joinUnits(
		sentencesOf(text),
		numberOf(config, 'maxChunkSize', 512),
		numberOf(config, 'overlapSize', 1),
	);
