import type { IDataObject } from 'n8n-workflow';

import type { SourceDocument } from '../texts/text';
import {
	isOfDocuments,
	keptFields,
	removedIdsOf,
	type ChunkedText,
	type KeptOptions,
	type OutputMode,
} from './records';

/** What is known of the chunks of a document, or of one of its texts. */
export interface DocumentChunks extends IDataObject {
	documents: IDataObject[];
	/** IDs of chunks that no longer exist. */
	removedIds: string[];
	/** Whether this list is certainly complete. */
	removalsKnown: boolean;
}

/**
 * The items of a text: its records, and one for each chunk that no longer exists. With one item per
 * document: what the text adds to that item.
 */
export function itemsOf(
	text: ChunkedText,
	records: IDataObject[],
	mode: OutputMode,
): IDataObject[] {
	const { ref, chunks, isComplete } = text;
	const { document } = ref;
	if (document === undefined || !isOfDocuments(mode)) return records;
	// Chunks of a text that the service truncated may be back in the next run, so they are not removed.
	const removedIds = isComplete ? removedIdsOf(document, ref, chunks.length) : [];
	if (mode === 'perDocument') {
		const removalsKnown = isComplete && document.isShared !== true;
		return [{ documents: records, removedIds, removalsKnown } satisfies DocumentChunks];
	}
	const removed = removedIds.map((id) => ({ id, parentId: document.id, removed: true }));
	return [...records, ...removed];
}

/** A document whose text is empty has no chunks. */
export const chunksOfEmpty = (document: SourceDocument, itemIndex: number): DocumentChunks => ({
	documents: [],
	removedIds: removedIdsOf(document, { items: [itemIndex] }, 0),
	removalsKnown: document.isShared !== true,
});

/** The item of a document: all chunks of its texts, and fields of its source. */
export function documentItem(
	source: IDataObject,
	options: KeptOptions,
	texts: readonly DocumentChunks[],
): IDataObject {
	const documents = texts.flatMap((text) => text.documents);
	return {
		...keptFields(source, options, 'none'),
		chunkCount: documents.length,
		removalsKnown: texts.every(({ removalsKnown }) => removalsKnown),
		documents,
		removedIds: texts.flatMap(({ removedIds }) => removedIds),
	};
}
