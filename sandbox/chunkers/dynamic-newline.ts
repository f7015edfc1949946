import { joinUnits, linesOf } from './text';
import { numberOf, type Chunker } from './types';

/** Lines joined up to `maxChunkSize` tokens (512); no overlap (facts 1.3). */
export const dynamicNewline: Chunker = (text, config) =>
	joinUnits(linesOf(text), numberOf(config, 'maxChunkSize', 512), 0);
