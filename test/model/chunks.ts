/** The chunks of a text, as the service makes them and as Chunk Text returns them. */
import type { IDataObject } from 'n8n-workflow';

import { countTokens } from '../../sandbox/units';
import { makeVector } from '../../sandbox/vectors';
import { isBlank } from './model';
import { namesOf, type Chunk, type ChunkGiven, type Document, type Part } from './texts';

/** The numbers in each vector. */
export const VECTOR_SIZE = 2;

/** Returns the chunks that the service makes of a text. */
export function chunksOf(text: string, chunker: ChunkGiven['chunker']): Chunk[] {
	const at = (units: number) => Array.from(text.slice(0, units)).length;
	const chunk = (start: number, end: number) => ({
		text: text.slice(start, end),
		start: at(start),
		end: at(end),
	});
	if (chunker === 'whole') {
		const nothing = /nothing.*/.exec(text);
		if (!nothing) return [chunk(0, text.length)];
		const end = nothing.index + nothing[0].length;
		const around: Array<[number, number]> = [
			[0, nothing.index],
			[end, text.length],
		];
		return around.filter(([from, to]) => from < to).map(([from, to]) => chunk(from, to));
	}
	const chunks: Chunk[] = [];
	let start = 0;
	for (const line of text.split('\n')) {
		const from = start + (line.length - line.trimStart().length);
		if (line.trim() !== '') chunks.push(chunk(from, from + line.trim().length));
		start += line.length + 1;
	}
	return chunks;
}

/** Returns the output items of a text that is done. */
export function shownChunks(
	given: ChunkGiven,
	document: Document,
	kept: IDataObject,
	/** Another text of the run has the same ID, so nobody knows whose chunks are old. */
	isRepeated: boolean,
): IDataObject[] {
	const { output, operation, previousChunkCount } = given;
	const { id, parts } = document;
	const isCut = parts.length > 1;
	const found = parts.flatMap((part) =>
		(part.chunks ?? []).filter(({ text }) => !isBlank(text)).map((chunk) => ({ part, chunk })),
	);
	const perDocument = output === 'perDocument';
	const chunks = found.map(({ part, chunk }, chunkIndex) => ({
		...(perDocument ? {} : kept),
		...given.documentFields,
		...(output !== 'chunks' && {
			...describedBy(document),
			id: `${id}#${chunkIndex}`,
			parentId: id,
		}),
		chunkIndex,
		text: chunk.text,
		...vectorOf(given, chunk),
		// Get Results does not know the pages.
		...(operation === 'submitAndWait' && pagesOf(document, part, chunk)),
		...(given.details && {
			// The chunks of a large document show the job of its first text.
			job: namesOf(parts[0]?.job?.map(({ text }) => text) ?? []),
			chunkCount: found.length,
			...(!isCut && { start: chunk.start, end: chunk.end }),
			// The numbers of tokens are beside the vectors.
			...(!chunk.hasNoVector && { tokensUsed: countTokens(chunk.text) }),
		}),
	})) as IDataObject[];
	const missing = parts.map(missingIn);
	// Without any chunk of a text, nothing is known about its old chunks either.
	const isComplete =
		!isRepeated &&
		parts.every(
			({ text, chunks = [] }, at) =>
				isBlank(text) || (chunks.length > 0 && (missing[at] ?? 0) <= 0),
		);
	const removed =
		isComplete && operation === 'submitAndWait'
			? Array.from(
					{ length: Math.max(0, previousChunkCount - found.length) },
					(_, at) => `${id}#${found.length + at}`,
				)
			: [];
	if (perDocument)
		return [
			{
				...kept,
				chunkCount: found.length,
				missingCharacters: cutOff(document),
				removalsKnown: isComplete && operation === 'submitAndWait',
				documents: chunks as never,
				removedIds: removed,
			},
		];
	if (output === 'chunks' && chunks.length === 0) {
		const job = namesOf(parts[0]?.job?.map(({ text }) => text) ?? []);
		return [{ ...kept, ...(given.details && { job }), chunkCount: 0 }];
	}
	if (output === 'chunks') return chunks;
	return [...chunks, ...removed.map((each) => ({ id: each, parentId: id, removed: true }))];
}

/** Returns the fields of a document that its chunks contain. */
export const describedBy = ({ id, name, description, url }: Document) => ({
	...{ id, name },
	...(!isBlank(description) && { description }),
	...(!isBlank(url) && { url }),
});

/** Returns the number of characters after the last chunk, without white space at the end. */
const missingIn = ({ text, chunks = [] }: Part): number =>
	chunks.length === 0 ? 0 : Array.from(text.trimEnd()).length - (chunks.at(-1)?.end ?? 0);

/** Returns how many characters the service has left out at the end. A short gap may be a separator. */
export const cutOff = ({ parts }: Document): number =>
	parts.map(missingIn).reduce((sum, count) => sum + (count < 16 ? 0 : count), 0);

function vectorOf({ vectors, quantization, toFiles }: ChunkGiven, chunk: Chunk): IDataObject {
	if (vectors === 'none' || chunk.hasNoVector) return {};
	const list = makeVector(chunk.text, {
		size: VECTOR_SIZE,
		quantization: quantization === 'none' ? undefined : quantization,
		vectorsFromWords: false,
	});
	if (vectors === 'list' || toFiles) return { vector: list };
	const bytes = {
		none: ['f32', Float32Array.from(list)],
		'max-scale': ['i8', Int8Array.from(list)],
		'min-max': ['u8', Uint8Array.from(list)],
	} as const;
	const [type, numbers] = bytes[quantization];
	return { vector: `${type}:${Buffer.from(numbers.buffer).toString('base64')}` };
}

/** Returns the pages on which a chunk begins and ends. */
function pagesOf(document: Document, part: Part, { start, end }: Chunk): IDataObject {
	if (!document.pages || part.firstPage === undefined) return {};
	const pageAt = (position: number) => {
		let left = position;
		let page = part.firstPage as number;
		for (const text of document.pages?.slice(page - 1) ?? []) {
			const length = Array.from(text).length + 2;
			if (left < length) break;
			left -= length;
			page++;
		}
		return page;
	};
	const [page, pageEnd] = [pageAt(start), pageAt(end - 1)];
	return { page, ...(pageEnd !== page && { pageEnd }) };
}
