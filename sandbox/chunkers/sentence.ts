import { sentencesOf, spanOf, type Unit } from './text';
import { numberOf, type Chunker } from './types';

/**
 * `chunkSize` sentences a chunk (5), neighbours sharing `overlapSize` of them (0: the default is
 * not stated, facts 1.3).
 */
export const sentence: Chunker = function* bySentence(text, config) {
	const size = numberOf(config, 'chunkSize', 5);
	const overlap = Math.min(numberOf(config, 'overlapSize', 0), size - 1);
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
	// What is left may be nothing but the overlap of the chunk before.
	if (fresh > 0) yield spanOf(current);
};
