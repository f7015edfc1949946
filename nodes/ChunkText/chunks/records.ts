import type { IDataObject } from 'n8n-workflow';

import { mapInSlices } from '../../shared/n8n/run/slices';
import { fieldOf } from '../../shared/records/fields';
import type { Chunk } from '../../shared/service/chunking/chunking-response';
import { packVector } from '../../shared/service/chunking/vector';
import type { ChunkOptions } from '../parameters';
import type { ChunkTask, OutputMode, TextRef } from '../texts/text';

/** A text with its chunks, ready to be written as records. */
interface ChunkedText {
	ref: TextRef;
	chunkingId: string;
	chunks: Chunk[];
	/** Whether these are certainly all chunks of the text. */
	isComplete: boolean;
	/** The item or record the text comes from. */
	source: IDataObject;
}

/**
 * Makes a record of each chunk of a text. Lists of numbers are those of the response, never copies: they
 * are most of its memory.
 */
export async function recordsOf(
	text: ChunkedText,
	{ run, mode, options }: ChunkTask,
): Promise<IDataObject[]> {
	const { ref, chunks } = text;
	const { vectors } = options;
	const document = mode === 'chunks' ? undefined : ref.document;
	// One item per document has them beside its chunks.
	const kept = mode === 'perDocument' ? {} : keptOf(text, options);
	const details = options.chunkDetails ? detailsOf(text) : {};
	if (chunks.length === 0 && !document) return [{ ...kept, ...details, chunkCount: 0 }];
	return await mapInSlices(chunks, run, (chunk, chunkIndex) => {
		const { text: words, vector, ...measures } = chunk;
		const own = {
			...(document && {
				id: chunkDocumentId(document.id, ref, chunkIndex),
				...document.fields,
				parentId: document.id,
			}),
			chunkIndex,
			text: words,
			...(options.chunkDetails && { ...details, ...measures }),
		};
		// Its own fields come first and win, the vector last: a person sees the rest without scrolling.
		const json: IDataObject = { ...own, ...kept, ...own };
		if (vector && vectors !== 'none')
			json.vector = (vectors === 'compact' ? packVector(vector) : undefined) ?? vector;
		return json;
	});
}

/** What is known of all chunks of a text. */
const detailsOf = ({ ref: { index }, chunkingId, chunks }: ChunkedText): IDataObject => ({
	chunkingId,
	chunkCount: chunks.length,
	...(index !== undefined && { textIndex: index }),
});

const chunkDocumentId = (id: string, { index: text }: TextRef, index: number): string =>
	text === undefined ? `${id}#${index}` : `${id}#${text}.${index}`;

type KeptOptions = Pick<ChunkOptions, 'keepSourceFields' | 'sourceFieldsToKeep'>;

/** What Chunk Details adds. Fields of a source with the same names would be mistaken for it. */
const DETAILS = ['chunkingId', 'chunkCount', 'textIndex', 'start', 'end', 'tokensUsed'];
/** Where a text stands that has not finished, as Submit returns it. */
const STATE_FIELDS = ['status', 'textPosition', 'textsInRequest'];

function keptOf({ source, chunkingId }: ChunkedText, options: KeptOptions): IDataObject {
	const kept = keptFields(source, options);
	if (options.keepSourceFields !== 'all') return kept;
	for (const field of [...DETAILS, 'vector']) delete kept[field];
	// They would send finished chunks back to Get Results.
	if (source.chunkingId === chunkingId) for (const field of STATE_FIELDS) delete kept[field];
	return kept;
}

/** The fields of a source that its output keeps. Never `error`: n8n would take the item for a failed one. */
export function keptFields(
	source: IDataObject,
	{ keepSourceFields = 'none', sourceFieldsToKeep }: KeptOptions,
): IDataObject {
	const kept: IDataObject = keepSourceFields === 'all' ? { ...source } : {};
	for (const name of keepSourceFields === 'listed' ? sourceFieldsToKeep : []) {
		const value = fieldOf(source, name);
		if (value !== undefined) kept[name] = value as IDataObject[string];
	}
	delete kept.error;
	return kept;
}

/** What a text adds to the item of its document. */
interface DocumentPart extends IDataObject {
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
	{ ref, chunks, isComplete }: Pick<ChunkedText, 'ref' | 'chunks' | 'isComplete'>,
	records: IDataObject[],
	mode: OutputMode,
): IDataObject[] {
	const { document } = ref;
	if (document === undefined) return records;
	// Chunks of a text that the service cut may be back in the next run, and of a list of texts nobody knows
	// how many each had.
	const removalsKnown = isComplete && ref.index === undefined && !document.isShared;
	const removedIds: string[] = [];
	for (let at = chunks.length; removalsKnown && at < document.previousChunkCount; at++)
		removedIds.push(chunkDocumentId(document.id, ref, at));
	if (mode === 'perDocument')
		return [{ documents: records, removedIds, removalsKnown } satisfies DocumentPart];
	const removed = removedIds.map((id) => ({ id, parentId: document.id, removed: true }));
	return removed.length === 0 ? records : [...records, ...removed];
}

/** The item of a document: all chunks of its texts, and fields of its source. */
export function documentItem(
	source: IDataObject,
	options: KeptOptions,
	parts: readonly IDataObject[],
): IDataObject {
	const texts = parts as readonly DocumentPart[];
	const documents = texts.flatMap((text) => text.documents);
	return {
		...keptFields(source, options),
		chunkCount: documents.length,
		removalsKnown: texts.every(({ removalsKnown }) => removalsKnown),
		documents,
		removedIds: texts.flatMap(({ removedIds }) => removedIds),
	};
}
