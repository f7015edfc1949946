import type { IDataObject } from 'n8n-workflow';

import { mapInSlices } from '../../shared/run/slices';
import { selectSourceFields } from '../../shared/input/source-fields';
import type { Coverage } from '../../shared/service/chunking/chunking-response';
import { packVector } from '../../shared/service/chunking/vector';
import { DETAIL_FIELDS } from '../input/own-fields';
import type { AwaitedText } from '../input/text-entry';
import type { ChunkOptions, ChunkTask } from '../parameters';
import type { LocatedChunk } from './located-chunks';

interface TextWithChunks {
	text: AwaitedText;
	chunkingId: string;
	chunks: LocatedChunk[];
	covered: Coverage;
	source: IDataObject;
}

/**
 * Makes an output record from each chunk of a text. Vectors are not copied, because they use most of the
 * memory that a response needs.
 */
export async function recordsOf(
	textWithChunks: TextWithChunks,
	{ run, mode, options }: Pick<ChunkTask, 'run' | 'mode' | 'options'>,
): Promise<IDataObject[]> {
	const { text, chunks } = textWithChunks;
	const { vectors } = options;
	const document = mode === 'chunks' ? undefined : text.document;
	// If the output is one item per document, the source fields are stored only once, next to the chunks.
	const sourceFields = mode === 'perDocument' ? {} : sourceFieldsOf(textWithChunks, options);
	const details = options.chunkDetails ? detailsOf(textWithChunks) : {};
	if (chunks.length === 0 && !document) return [{ ...sourceFields, ...details, chunkCount: 0 }];
	return await mapInSlices(chunks, run, (chunk, chunkIndex) => {
		const { text: chunkText, vector, page, pageEnd, ...measures } = chunk;
		const chunkFields = {
			...(document && {
				id: chunkDocumentId(document.id, chunkIndex),
				...document.fields,
				parentId: document.id,
			}),
			chunkIndex,
			...(page !== undefined && { page }),
			...(pageEnd !== undefined && { pageEnd }),
			text: chunkText,
			...(options.chunkDetails && { ...details, ...measures }),
		};
		// The chunk's fields come first and override source fields with the same name. The vector comes last
		// so that users see the other fields without scrolling.
		const json: IDataObject = {
			...chunkFields,
			...sourceFields,
			...document?.added,
			...chunkFields,
		};
		if (vector && vectors !== 'none')
			json.vector = (vectors === 'compact' ? packVector(vector) : undefined) ?? vector;
		return json;
	});
}

const detailsOf = ({ text, chunkingId, chunks }: TextWithChunks): IDataObject => ({
	chunkingId,
	chunkCount: chunks.length,
	...(text.isOneOfAll && { textPosition: text.position }),
});

const chunkDocumentId = (id: string, index: number): string => `${id}#${index}`;

type SourceFieldOptions = Pick<ChunkOptions, 'keepSourceFields' | 'sourceFieldsToKeep'>;

/** Fields that Submit adds to a text whose job has not ended. */
const STATE_FIELDS = ['status', 'textPosition', 'textsInRequest'];

function sourceFieldsOf(
	{ source, chunkingId }: TextWithChunks,
	options: SourceFieldOptions,
): IDataObject {
	const fields = selectSourceFields(source, options);
	if (options.keepSourceFields !== 'all') return fields;
	// They would look like details of the chunk.
	for (const field of [...DETAIL_FIELDS, 'vector']) delete fields[field];
	// If a finished text kept the fields from Submit, it would look unfinished, and Get Results would fetch it
	// again.
	if (source.chunkingId === chunkingId) for (const field of STATE_FIELDS) delete fields[field];
	return fields;
}

/**
 * Returns a text's output items. These are the text's records and one item for each chunk that no longer
 * exists. If the output is one item per document, a single item contains the records, the IDs of the removed
 * chunks, and the source fields.
 */
export function itemsOf(
	{ text, chunks, covered, source }: Omit<TextWithChunks, 'chunkingId'>,
	records: IDataObject[],
	{ mode, options }: Pick<ChunkTask, 'mode' | 'options'>,
): IDataObject[] {
	const { document } = text;
	if (document === undefined) return records;
	// If the service truncated the text, the next run might produce the missing chunks again. So the node does
	// not report any chunk as removed.
	const removalsKnown = covered.isComplete && !document.isShared;
	const removedIds: string[] = [];
	for (let at = chunks.length; removalsKnown && at < document.previousChunkCount; at++)
		removedIds.push(chunkDocumentId(document.id, at));
	if (mode === 'perDocument')
		return [
			{
				...selectSourceFields(source, options),
				chunkCount: records.length,
				missingCharacters: covered.missing,
				removalsKnown,
				documents: records,
				removedIds,
			},
		];
	const removed = removedIds.map((id) => ({ id, parentId: document.id, removed: true }));
	return removed.length === 0 ? records : [...records, ...removed];
}
