import { sentencesOf, spanOf, sumTokens, type Unit } from './text';
import { numberOf, type Chunker } from './types';

/** Lower-case words of a sentence and how often each occurs. */
function bagOfWords(sentenceText: string): Map<string, number> {
	const bag = new Map<string, number>();
	for (const word of sentenceText.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
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

/**
 * Approximation of the semantic chunker: a new chunk begins where the bag-of-words cosine of two
 * neighbouring sentences falls under `cosineThreshold` (0.567), or where the chunk would pass
 * `maxChunkSize` tokens (512); the latter break repeats `overlapSize` sentences (1). The real
 * service compares embeddings; `approximate` is accepted and changes nothing.
 */
export const semantic: Chunker = function* byMeaning(text, config) {
	const maxTokens = numberOf(config, 'maxChunkSize', 512);
	const overlap = numberOf(config, 'overlapSize', 1);
	const threshold = numberOf(config, 'cosineThreshold', 0.567);
	let current: Unit[] = [];
	let former: Map<string, number> | undefined;
	for (const unit of sentencesOf(text)) {
		const bag = bagOfWords(text.slice(unit.start, unit.end));
		if (former && cosine(former, bag) < threshold) {
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
		former = bag;
	}
	if (current.length > 0) yield spanOf(current);
};
