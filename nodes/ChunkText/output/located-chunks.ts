import { offsetsIn, type Chunk } from '../../shared/service/chunking/chunking-response';
import type { Pages } from '../input/pages';

export interface LocatedChunk extends Chunk {
	/** Number of the page on which the chunk begins. */
	page?: number;
	/** Number of the page on which the chunk ends, if it is another page. */
	pageEnd?: number;
}

/**
 * Adds page numbers to the chunks of a text. White space at either end of a chunk belongs to no page.
 *
 * @returns undefined if it is not certain where the chunks are in the text
 */
export function locateOnPages(
	text: string,
	{ first, starts }: Pages,
	chunks: readonly Chunk[],
): LocatedChunk[] | undefined {
	const toOffset = offsetsIn(text, chunks);
	if (toOffset === undefined) return undefined;
	const located: LocatedChunk[] = [];
	for (const chunk of chunks) {
		const { start = -1, end = -1 } = chunk;
		const [from, to] = [toOffset(start), toOffset(end)];
		if (from === undefined || to === undefined || from > to) return undefined;
		const part = text.slice(from, to);
		const begin = from + part.length - part.trimStart().length;
		const page = first + pageAt(starts, Math.min(begin, to));
		const pageEnd = first + pageAt(starts, Math.max(begin, from + part.trimEnd().length - 1));
		located.push({ ...chunk, page, ...(pageEnd > page && { pageEnd }) });
	}
	return located;
}

/** Returns the index of the page to which the character at this offset belongs. */
function pageAt(starts: readonly number[], offset: number): number {
	let [low, high] = [0, starts.length - 1];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if ((starts[middle] ?? 0) <= offset) low = middle;
		else high = middle - 1;
	}
	return low;
}
