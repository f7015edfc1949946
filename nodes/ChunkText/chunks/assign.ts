import {
	coverage,
	type Chunk,
	type Coverage,
	type VectorMismatch,
} from '../../shared/service/chunking/chunking';
import { isVector } from '../../shared/service/chunking/vector';
import {
	documentMissing,
	noChunks,
	noSuchText,
	otherOrder,
	positionMissing,
	unusableVector,
	vectorMismatch,
} from '../failures';
import type { Fetched } from '../fetch/finding';
import type { Job } from '../submit/job';
import type { TextRef } from '../texts/text';
import { isOfDocuments, type RecordOptions } from './records';

/** What a text gets of the results of its request: its chunks, or the reason why it gets none. */
export type Assigned = { ref: TextRef } & (
	| { chunks: Chunk[]; covered: Coverage }
	| { problem: unknown }
);

type Results = Extract<Fetched, { type: 'results' }>;

/**
 * Assigns the results of a request to its texts. Chunks of one document must never become those of another.
 *
 * @param breathe called between small steps
 */
export async function* assign(
	{ refs, session, textCount }: Job,
	{ texts, mismatches, body }: Results,
	{ mode, vectors }: Pick<RecordOptions, 'mode' | 'vectors'>,
	breathe: () => Promise<void> | undefined,
): AsyncGenerator<Assigned, void, undefined> {
	const covered = await coverages(refs, texts, breathe);
	// In a request with one text nothing can be mixed up: the service has changed the chunks.
	const isMixed = texts.length > 1 && [...covered.values()].some(({ isOwn }) => !isOwn);

	const given = async (ref: TextRef, position: number): Promise<Assigned> => {
		const chunks = texts[position];
		if (position >= texts.length) return { ref, problem: noSuchText(position, texts.length) };
		if (chunks === undefined) {
			const { chunkedData } = body as { chunkedData: unknown[] };
			return { ref, problem: noChunks(session.words(chunkedData[position])) };
		}
		const own = covered.get(ref) ?? coverage(ref.text, chunks);
		if (isMixed && !own.isComplete) return { ref, problem: otherOrder() };
		// A text without its vectors would replace good chunks.
		const problem =
			vectors === 'none'
				? undefined
				: await vectorProblem(chunks, mismatches[position], breathe);
		return problem ? { ref, problem } : { ref, chunks, covered: own };
	};

	const isOnly = refs.length === 1 && textCount === undefined && !isOfDocuments(mode);
	for (const ref of refs) {
		// A failure, since without a document there would be no output for these chunks.
		if (isOfDocuments(mode) && ref.document === undefined)
			yield { ref, problem: documentMissing() };
		else if (ref.position !== undefined) yield await given(ref, ref.position);
		else if (texts.length === 0) yield { ref, chunks: [], covered: coverage(ref.text, []) };
		else if (texts.length === 1) yield await given(ref, 0);
		else if (!isOnly) yield { ref, problem: positionMissing(texts.length) };
		else for (const index of texts.keys()) yield await given({ ...ref, index }, index);
	}
}

async function coverages(
	refs: readonly TextRef[],
	texts: Results['texts'],
	breathe: () => Promise<void> | undefined,
): Promise<Map<TextRef, Coverage>> {
	const covered = new Map<TextRef, Coverage>();
	for (const ref of refs) {
		await breathe();
		const chunks = texts[ref.position ?? 0];
		if (chunks) covered.set(ref, coverage(ref.text, chunks));
	}
	return covered;
}

/** Why the vectors of a text cannot be used. */
async function vectorProblem(
	chunks: readonly Chunk[],
	mismatch: VectorMismatch | undefined,
	breathe: () => Promise<void> | undefined,
): Promise<unknown> {
	if (mismatch) return vectorMismatch(mismatch);
	for (const [index, { vector }] of chunks.entries()) {
		await breathe();
		if (vector && !isVector(vector)) return unusableVector(index);
	}
	return undefined;
}
