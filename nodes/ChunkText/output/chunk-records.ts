import type { IDataObject } from 'n8n-workflow';

import { mapInSlices } from '../../shared/n8n/run/slices';
import { fieldOf } from '../../shared/records/fields';
import type { Chunk } from '../../shared/service/chunking/chunking-response';
import { packVector } from '../../shared/service/chunking/vector';
import type { ChunkOptions } from '../parameters';
import type { ChunkTask, AwaitedText } from '../input/text';

/** A text with its chunks, ready to be written as records. */
interface TextWithChunks {
	text: AwaitedText;
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
	textWithChunks: TextWithChunks,
	{ run, mode, options }: ChunkTask,
): Promise<IDataObject[]> {
	const { text, chunks } = textWithChunks;
	const { vectors } = options;
	const document = mode === 'chunks' ? undefined : text.document;
	// One item per document has them beside its chunks.
	const sourceFields = mode === 'perDocument' ? {} : sourceFieldsOf(textWithChunks, options);
	const details = options.chunkDetails ? detailsOf(textWithChunks) : {};
	if (chunks.length === 0 && !document) return [{ ...sourceFields, ...details, chunkCount: 0 }];
	return await mapInSlices(chunks, run, (chunk, chunkIndex) => {
		const { text: chunkText, vector, ...measures } = chunk;
		const chunkFields = {
			...(document && {
				id: chunkDocumentId(document.id, chunkIndex),
				...document.fields,
				parentId: document.id,
			}),
			chunkIndex,
			text: chunkText,
			...(options.chunkDetails && { ...details, ...measures }),
		};
		// Its own fields come first and win, the vector last: a person sees the rest without scrolling.
		const json: IDataObject = { ...chunkFields, ...sourceFields, ...chunkFields };
		if (vector && vectors !== 'none')
			json.vector = (vectors === 'compact' ? packVector(vector) : undefined) ?? vector;
		return json;
	});
}

/** What is known of all chunks of a text. */
const detailsOf = ({ text, chunkingId, chunks }: TextWithChunks): IDataObject => ({
	chunkingId,
	chunkCount: chunks.length,
	...(text.isOneOfAll && { textPosition: text.position }),
});

const chunkDocumentId = (id: string, index: number): string => `${id}#${index}`;

type SourceFieldOptions = Pick<ChunkOptions, 'keepSourceFields' | 'sourceFieldsToKeep'>;

/** What Chunk Details adds. Fields of a source with the same names would be mistaken for it. */
const DETAIL_FIELDS = ['chunkingId', 'chunkCount', 'start', 'end', 'tokensUsed'];
/** Where a text stands that has not finished, as Submit returns it. */
const STATE_FIELDS = ['status', 'textPosition', 'textsInRequest'];

function sourceFieldsOf(
	{ source, chunkingId }: TextWithChunks,
	options: SourceFieldOptions,
): IDataObject {
	const fields = selectSourceFields(source, options);
	if (options.keepSourceFields !== 'all') return fields;
	for (const field of [...DETAIL_FIELDS, 'vector']) delete fields[field];
	// They would send finished chunks back to Get Results.
	if (source.chunkingId === chunkingId) for (const field of STATE_FIELDS) delete fields[field];
	return fields;
}

/** The fields of a source that its output keeps. Never `error`: n8n would take the item for a failed one. */
export function selectSourceFields(
	source: IDataObject,
	{ keepSourceFields = 'none', sourceFieldsToKeep }: SourceFieldOptions,
): IDataObject {
	const fields: IDataObject = keepSourceFields === 'all' ? { ...source } : {};
	for (const name of keepSourceFields === 'listed' ? sourceFieldsToKeep : []) {
		const value = fieldOf(source, name);
		if (value !== undefined) fields[name] = value as IDataObject[string];
	}
	delete fields.error;
	return fields;
}

/**
 * Makes the items of a text: its records, and one for each chunk that no longer exists. With one item per
 * document: the item with all of this, and fields of its source.
 */
export function itemsOf(
	{ text, chunks, isComplete, source }: Omit<TextWithChunks, 'chunkingId'>,
	records: IDataObject[],
	{ mode, options }: ChunkTask,
): IDataObject[] {
	const { document } = text;
	if (document === undefined) return records;
	// Chunks of a text that the service cut may be back in the next run.
	const removalsKnown = isComplete && !document.isShared;
	const removedIds: string[] = [];
	for (let at = chunks.length; removalsKnown && at < document.previousChunkCount; at++)
		removedIds.push(chunkDocumentId(document.id, at));
	if (mode === 'perDocument')
		return [
			{
				...selectSourceFields(source, options),
				chunkCount: records.length,
				removalsKnown,
				documents: records,
				removedIds,
			},
		];
	const removed = removedIds.map((id) => ({ id, parentId: document.id, removed: true }));
	return removed.length === 0 ? records : [...records, ...removed];
}
