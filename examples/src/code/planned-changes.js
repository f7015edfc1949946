/** @import { Batch, BatchDocument, Chunked, Entry, Item } from '../parts/types' */

/**
 * @param {{ batch: Batch, documents: BatchDocument[], texts: Chunked[] | null }} inputs
 * @returns {[Item<{ run: number, size: number, entries: string }>]}
 */
module.exports = ({ batch, documents, texts }) => {
	// From now on, the index may contain anything of these documents: an empty version, and the larger number of chunks.
	const counts = new Map((texts ?? []).map(({ id, chunkCount = 0 }) => [id, chunkCount]));
	/** @type {Entry[]} */
	const unknown = [];
	for (const { id, chunks, oldText, problem, isWithheld, documents: pushed } of documents) {
		const count = texts ? (counts.get(id) ?? 0) : pushed.length;
		if (!problem && !isWithheld) unknown.push([id, '', Math.max(chunks, count), oldText]);
	}
	const entries = [...batch.snapshot, ...unknown];
	return [{ json: { run: batch.run, size: entries.length, entries: JSON.stringify(entries) } }];
};
