import type { IDataObject } from 'n8n-workflow';

import { fieldOf } from '../../shared/records/fields';
import type { Run } from '../../shared/n8n/run/run';
import { isTool } from '../../shared/n8n/run/tool';
import { mapInSlices } from '../../shared/n8n/run/slices';
import type { Chunk } from '../../shared/service/chunking/chunking';
import { packVector } from '../../shared/service/chunking/vector';
import { documentMissing } from '../failures';
import type { ChunkOptions, ChunkParameters } from '../parameters';
import type { SourceDocument, TextRef } from '../texts/text';

export type OutputMode = 'chunks' | 'texts' | 'documents' | 'perDocument' | 'raw';

/** Whether chunks are returned as documents with IDs of their own. */
export const isOfDocuments = (mode: OutputMode): boolean =>
	mode === 'documents' || mode === 'perDocument';

/** A text with its chunks, ready to be written as records. */
export interface ChunkedText {
	ref: TextRef;
	chunkingId: string;
	chunks: Chunk[];
	/** Whether these are certainly all chunks of the text. */
	isComplete: boolean;
	/** The item or record the text comes from. */
	source: IDataObject;
}

/** Which fields of a source its output keeps. */
export interface KeptOptions {
	sourceFields: ChunkOptions['sourceFields'] | undefined;
	/** Names of fields, or dotted paths. */
	listedFields: string[];
}

export interface RecordOptions extends KeptOptions {
	mode: OutputMode;
	/** How to return vectors. */
	vectors: 'compact' | 'list' | 'none';
}

/** @param vectorsOf how vectors are written, given how the user wants them */
export function recordOptionsOf(
	{ run, parameters, options, mode }: RecordRun,
	vectorsOf: (wanted: RecordOptions['vectors']) => RecordOptions['vectors'],
): RecordOptions {
	return {
		mode,
		vectors: isTool(run.context) ? 'none' : vectorsOf(parameters.choice('vectors')),
		...keptOptionsOf({ parameters, options }),
	};
}

export const keptOptionsOf = ({
	parameters,
	options,
}: Pick<RecordRun, 'parameters' | 'options'>): KeptOptions => ({
	sourceFields: parameters.isAdded('options', 'sourceFields') ? options.sourceFields : undefined,
	listedFields: options.listedFields,
});

interface RecordRun {
	run: Run;
	parameters: ChunkParameters;
	options: ChunkOptions;
	mode: OutputMode;
}

/**
 * What to return for a text. Lists of numbers are those of the response, never copies: they are most of
 * its memory.
 *
 * @param breathe called between two chunks, of which a text may have tens of thousands
 * @throws InputError if documents are wanted and the text has none
 */
export async function recordsOf(
	text: ChunkedText,
	options: RecordOptions,
	breathe: () => Promise<void> | undefined,
): Promise<IDataObject[]> {
	// One item per document has them beside its chunks.
	const kept = options.mode === 'perDocument' ? {} : keptOf(text, options);
	const place = placeOf(text);
	const { ref, chunks } = text;
	const { document } = ref;
	const { mode, vectors } = options;
	const eachChunk = async (record: (chunk: Chunk, index: number) => IDataObject) =>
		await mapInSlices(chunks, breathe, record);
	if (isOfDocuments(mode)) {
		// A failure, since without a document there would be no output for these chunks.
		if (document === undefined) throw documentMissing();
		return await eachChunk((chunk, index) => ({
			// First, although kept fields may have an ID of their own.
			...{ id: '' },
			...kept,
			...document.fields,
			id: chunkDocumentId(document.id, ref, index),
			parentId: document.id,
			...contentOf(chunk, index, place, vectors),
		}));
	}
	if (mode === 'texts') {
		const list = await eachChunk((chunk, index) => contentOf(chunk, index, {}, vectors));
		const whole = ref.text !== undefined && { text: ref.text };
		return [{ ...kept, ...whole, ...place, chunks: list }];
	}
	if (chunks.length === 0) return [{ ...kept, ...place }];
	return await eachChunk((chunk, index) => ({
		...kept,
		...contentOf(chunk, index, place, vectors),
	}));
}

const placeOf = ({ ref, chunkingId, chunks }: ChunkedText): IDataObject => ({
	chunkCount: chunks.length,
	...(ref.index !== undefined && { textIndex: ref.index }),
	chunkingId,
});

/** The vector comes last, so that a person sees the rest without scrolling. */
function contentOf(
	{ text, vector, ...measures }: Chunk,
	chunkIndex: number,
	where: IDataObject,
	vectors: RecordOptions['vectors'],
): IDataObject {
	const json: IDataObject = { text, chunkIndex, ...where, ...measures };
	if (vector && vectors !== 'none') {
		json.vector = (vectors === 'compact' ? packVector(vector) : undefined) ?? vector;
	}
	return json;
}

/** IDs of chunks that a text of a document had, and has no longer. */
export function removedIdsOf(document: SourceDocument, ref: TextRef, chunks: number): string[] {
	const removed: string[] = [];
	for (let index = chunks; index < document.previousChunkCount; index++) {
		removed.push(chunkDocumentId(document.id, ref, index));
	}
	return removed;
}

const chunkDocumentId = (id: string, { index: text }: TextRef, index: number): string =>
	text === undefined ? `${id}#${index}` : `${id}#${text}.${index}`;

/** Fields of a chunk. Those of its source with the same names would be mistaken for them. */
const CHUNK_FIELDS = ['start', 'end', 'tokensUsed', 'vector'];
/** Where a text stands that has not finished, as Submit returns it. */
const STATE_FIELDS = ['status', 'textPosition', 'textsInRequest'];

/** Fields of the source that say nothing about a chunk. */
function keptOf({ source, chunkingId }: ChunkedText, options: RecordOptions): IDataObject {
	const kept = keptFields(source, options, 'none');
	if (options.sourceFields !== 'all') return kept;
	for (const field of CHUNK_FIELDS) delete kept[field];
	// They would send finished chunks back to Get Results.
	if (source.chunkingId === chunkingId) for (const field of STATE_FIELDS) delete kept[field];
	return kept;
}

/**
 * The fields of a source that its output keeps. Never `error`: n8n would take the item for a failed
 * one, and with Retry On Fail run the node again.
 */
export function keptFields(
	source: IDataObject,
	{ sourceFields, listedFields }: KeptOptions,
	otherwise: 'all' | 'none',
): IDataObject {
	const mode = sourceFields ?? otherwise;
	if (mode === 'none') return {};
	const kept: IDataObject = mode === 'all' ? { ...source } : {};
	for (const name of mode === 'listed' ? listedFields : []) {
		const value = fieldOf(source, name);
		if (value !== undefined) kept[name] = value as IDataObject[string];
	}
	delete kept.error;
	return kept;
}
