/** @import { Batch, BatchDocument, Entry, Item } from '../parts/types' */

/**
 * @param {{ batch: Batch, documents: BatchDocument[], counts: number[] }} inputs
 * @returns {[Item<{ run: number, size: number, entries: string }>]}
 */
module.exports = ({ batch, documents, counts }) => {
	// From now on, the index may contain anything of these documents: an empty version, and the larger number of chunks.
	/** @type {Entry[]} */
	const unknown = [];
	for (const [at, { id, chunks, oldText, problem, isWithheld }] of documents.entries()) {
		if (!problem && !isWithheld)
			unknown.push([id, '', Math.max(chunks, counts[at] ?? 0), oldText]);
	}
	const entries = [...batch.snapshot, ...unknown];
	return [{ json: { run: batch.run, size: entries.length, entries: JSON.stringify(entries) } }];
};
