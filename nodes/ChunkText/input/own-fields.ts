import type { ChunkOptions } from '../parameters';

/** Fields that the option Chunk Details adds. */
export const DETAIL_FIELDS = ['chunkingId', 'chunkCount', 'start', 'end', 'tokensUsed'];

/** Fields that a chunk may get, even if this chunk has no such field. n8n treats an item with `error` as failed. */
const CHUNK_FIELDS = [
	'id',
	'name',
	'description',
	'url',
	'parentId',
	'chunkIndex',
	'page',
	'pageEnd',
];
const OTHER_FIELDS = ['text', 'vector', 'removed', 'error'];

/** Returns the names of the fields that a chunk of a document may get from the node. */
export const ownFieldsOf = ({ chunkDetails }: Pick<ChunkOptions, 'chunkDetails'>): string[] => [
	...CHUNK_FIELDS,
	...OTHER_FIELDS,
	...(chunkDetails ? [...DETAIL_FIELDS, 'textPosition'] : []),
];
