import type { IDataObject } from 'n8n-workflow';

import { costText, doneText, troubleText } from '../../shared/n8n/run/hints';
import type { Run } from '../../shared/n8n/run/run';
import type { Chunk } from '../../shared/service/chunking/chunking-response';
import { messageOf } from '../../shared/service/input-error';
import { count, figure } from '../../shared/service/numbers';

/** Most embedding models read about so many tokens of a chunk. */
const MODEL_TOKENS = 512;

/** Counts what a user should know beside the output. */
export class ChunkHints {
	/** Texts that are returned unfinished. */
	private pending = 0;
	/** The first error of their final polls. */
	private lastError: unknown;
	private withoutChunks = 0;
	private withoutVectors = 0;
	/** Tokens of the largest chunk. */
	private mostTokens = 0;
	private cutTexts = 0;
	private cutCharacters = 0;
	/** Files without a summary of their own, and the sums of what theirs would count. */
	private readonly files = { files: 0, records: 0, chunked: 0, chunks: 0 };

	/**
	 * Counts a text that was chunked.
	 *
	 * @param missing characters at its end that they do not cover
	 * @param lacksVectors whether vectors are wanted and no chunk has one
	 */
	chunked(chunks: readonly Chunk[], missing: number, lacksVectors: boolean): void {
		if (chunks.length === 0) this.withoutChunks++;
		else if (lacksVectors) this.withoutVectors++;
		for (const { tokensUsed = 0 } of chunks)
			this.mostTokens = Math.max(this.mostTokens, tokensUsed);
		if (missing === 0) return;
		this.cutTexts++;
		this.cutCharacters += missing;
	}

	/** Counts texts that are returned unfinished; `lastError` is that of their final poll, if it failed. */
	unfinished(texts: number, lastError: unknown): void {
		this.pending += texts;
		this.lastError ??= lastError;
	}

	/** Counts a file that was read to its end without failures, by its summary. */
	file(summary: IDataObject): void {
		this.files.files++;
		for (const name of ['records', 'chunked', 'chunks'] as const)
			this.files[name] += summary[name] as number;
	}

	/** @param isFetched whether chunks were to be returned, and not only chunking IDs */
	addTo(run: Run, isFetched: boolean): void {
		const { done: returned, requests } = run.stats;
		const ready = { done: returned - (isFetched ? this.pending : 0), requests };
		const verb = isFetched ? 'chunked' : 'submitted';
		const done = doneText(ready, run.meter, 'text', verb);
		const files = this.filesText(done === '' ? '' : costText(requests, run.meter));
		for (const hint of [files || done, troubleText(run.stats)]) run.hint(hint, 'info');
		for (const hint of this.warnings(isFetched)) run.hint(hint);
	}

	/** @param cost what it took, if that is of interest */
	private filesText(cost: string): string {
		const { files, records, chunked, chunks } = this.files;
		if (files === 0) return '';
		const several = files > 1 ? `${count(files, 'file')}: ` : '';
		const all = `${figure(chunked)} of ${count(records, 'record')} chunked`;
		const result = `${several}${all}${cost}: ${count(chunks, 'chunk')}, 0 failed`;
		return `${result}. Chunks are in the order in which requests finished.`;
	}

	private *warnings(isFetched: boolean): Generator<string, void, undefined> {
		const { withoutChunks, withoutVectors, mostTokens, cutTexts, cutCharacters, pending } =
			this;
		if (this.lastError !== undefined)
			yield `The final poll failed: ${messageOf(this.lastError)}`;
		if (withoutChunks > 0)
			yield `The AI service returned no chunks for ${count(withoutChunks, 'text')}. Check the texts and the settings of the chunker, or lower 'Texts per Request'.`;
		if (withoutVectors > 0)
			yield `The AI service returned no readable vectors for ${count(withoutVectors, 'text')}. If you do not need them, set 'Vectors' to 'None'.`;
		if (mostTokens > MODEL_TOKENS)
			yield `The largest chunk has ${count(mostTokens, 'token')}, but most embedding models read only about ${MODEL_TOKENS}. The chunker 'Dynamic Sentence' limits the size of chunks.`;
		if (cutTexts > 0)
			yield `The AI service omitted the end of ${count(cutTexts, 'text')}, ${count(cutCharacters, 'character')} in total. Shorten the texts, lower 'Texts per Request', or add 'Vector Quantization Method' or a smaller 'Dimension Reduction Size' to the options, which allows more chunks.`;
		if (pending > 0 && isFetched)
			yield `${count(pending, 'text')} ${pending === 1 ? 'is' : 'are'} not finished. Fetch the chunks later with the operation 'Get Results'.`;
	}
}
