import type { IDataObject } from 'n8n-workflow';

import { costText, doneText, troubleText } from '../../shared/run/hints';
import {
	NO_CHUNKS_ADVICE,
	NO_VECTORS_ADVICE,
	OMITTED_END_ADVICE,
} from '../../shared/output/file-findings';
import type { Run } from '../../shared/run/run';
import type { AwaitedText } from '../input/text-entry';
import type { ChunkTask } from '../parameters';
import type { Chunk } from '../../shared/service/chunking/chunking-response';
import { messageOf } from '../../shared/service/input-error';
import { figure, formatCount } from '../../shared/service/strings';

/** Most embedding models read only about this many tokens per chunk. */
const MODEL_TOKENS = 512;

const EXAMINED_TEXTS = 100;
const CLOSING_BLOCK_TAG = /<\/(?:p|div|li|td)\s*>/i;
/** A text with fewer block tags may be Markdown or a product description. */
const HTML_TAGS = 3;
const LONG_TEXT_CHARACTERS = 2000;
const MIN_UNSPLIT_TEXTS = 5;

export class ChunkHints {
	private unfinishedTexts = 0;
	private lastError: unknown;
	private withoutChunks = 0;
	private withoutVectors = 0;
	private mostTokens = 0;
	private readonly vectorLengths = new Set<number>();
	private cutTexts = 0;
	private cutCharacters = 0;
	private withoutPages = 0;
	private examined = 0;
	private withTags = 0;
	private unsplit = 0;
	/** Totals for all files that do not get a summary item. */
	private readonly files = { files: 0, records: 0, chunked: 0, chunks: 0 };

	/** Looks for HTML in the first texts. Texts with a few tags, such as Markdown with line breaks, are not counted. */
	examine(text: string): void {
		if (++this.examined > EXAMINED_TEXTS) return;
		if (text.split(CLOSING_BLOCK_TAG, HTML_TAGS + 1).length > HTML_TAGS) this.withTags++;
	}

	/** Counts long texts that the regular expression has not split. */
	countUnsplit({ text = '', settings }: AwaitedText, chunks: number): void {
		const isLong = text.length > LONG_TEXT_CHARACTERS;
		if (chunks === 1 && isLong && settings?.chunker === 'regex-splitter') this.unsplit++;
	}

	countWithoutPages(): void {
		this.withoutPages++;
	}

	noteTokens(chunks: readonly Chunk[]): void {
		for (const { tokensUsed = 0 } of chunks)
			this.mostTokens = Math.max(this.mostTokens, tokensUsed);
	}

	/** The vectors of one response have one length already (`chunking-response.ts`). */
	noteVectors([first]: readonly Chunk[]): void {
		if (first?.vector) this.vectorLengths.add(first.vector.length);
	}

	/**
	 * Counts a text that has no chunks or no vectors, or whose last chunk ends before the end of the text. Texts from
	 * files are not counted here, because the summary of each file reports them.
	 *
	 * @param missing number of characters after the last chunk
	 */
	countIncomplete(chunks: readonly Chunk[], lacksVectors: boolean, missing: number): void {
		if (chunks.length === 0) this.withoutChunks++;
		if (lacksVectors) this.withoutVectors++;
		if (missing === 0) return;
		this.cutTexts++;
		this.cutCharacters += missing;
	}

	/** @param lastError error from the final poll, if that poll failed */
	countUnfinished(texts: number, lastError: unknown): void {
		this.unfinishedTexts += texts;
		this.lastError ??= lastError;
	}

	countFile(summary: IDataObject): void {
		this.files.files++;
		for (const name of ['records', 'chunked', 'chunks'] as const)
			this.files[name] += summary[name] as number;
	}

	addHintsTo(run: Run, done: ChunkTask['done']): void {
		const { requests } = run.stats;
		const returnsChunks = done === 'chunked';
		const unfinished = returnsChunks ? this.unfinishedTexts : 0;
		const finished = { done: run.stats.done - unfinished, requests };
		const texts = doneText(finished, run.meter, 'text', done);
		const files = this.filesText(texts === '' ? '' : costText(requests, run.meter));
		const trouble = troubleText(run.stats);
		const warnings = [...this.warnings(returnsChunks)];
		for (const hint of [files || texts, trouble]) run.hint(hint, 'info');
		for (const hint of warnings) run.hint(hint);
	}

	/** @param cost phrase that states the number of requests and the time, or '' if they are not worth mentioning */
	private filesText(cost: string): string {
		const { files, records, chunked, chunks } = this.files;
		if (files === 0) return '';
		const several = files > 1 ? `${formatCount(files, 'file')}: ` : '';
		const all = `${figure(chunked)} of ${formatCount(records, 'record')} chunked`;
		const result = `${several}${all}${cost}: ${formatCount(chunks, 'chunk')}, 0 failed`;
		return `${result}. Chunks are in the order in which requests finished.`;
	}

	private *warnings(returnsChunks: boolean): Generator<string, void, undefined> {
		const {
			withoutChunks,
			withoutVectors,
			mostTokens,
			cutTexts,
			cutCharacters,
			unfinishedTexts,
		} = this;
		if (this.lastError !== undefined)
			yield `The final poll failed: ${messageOf(this.lastError)}`;
		if (withoutChunks > 0)
			yield `The AI service returned no chunks for ${formatCount(withoutChunks, 'text')}. ${NO_CHUNKS_ADVICE}`;
		if (withoutVectors > 0)
			yield `The AI service returned no readable vectors for ${formatCount(withoutVectors, 'text')}. ${NO_VECTORS_ADVICE}`;
		if (this.vectorLengths.size > 1)
			yield `The vectors of this run have different lengths (${[...this.vectorLengths].join(', ')} numbers), but a search compares only vectors of the same length. If you did not choose several models or sizes, the model of the AI service has changed: chunk all texts again.`;
		if (mostTokens > MODEL_TOKENS)
			yield `The largest chunk has ${formatCount(mostTokens, 'token')}, but most embedding models read only about ${MODEL_TOKENS}. The chunker 'Dynamic Sentence' limits the size of chunks.`;
		if (cutTexts > 0)
			yield `The AI service omitted the end of ${formatCount(cutTexts, 'text')}, ${formatCount(cutCharacters, 'character')} in total. ${OMITTED_END_ADVICE}`;
		if (this.withoutPages > 0)
			yield `The pages of the chunks are unknown for ${formatCount(this.withoutPages, 'text')}, because the AI service did not say for certain where the chunks are in the text.`;
		if (this.unsplit >= MIN_UNSPLIT_TEXTS)
			yield `${formatCount(this.unsplit, 'text')} of more than ${figure(LONG_TEXT_CHARACTERS)} characters gave one chunk each. The regular expression may not match: check 'Regex', or choose another chunker.`;
		if (this.withTags > 0)
			yield `${formatCount(this.withTags, 'text')} of the first ${figure(Math.min(this.examined, EXAMINED_TEXTS))} ${this.withTags === 1 ? 'contains' : 'contain'} HTML tags, which become part of the chunks. Convert HTML with n8n's Markdown node first.`;
		if (unfinishedTexts > 0 && returnsChunks)
			yield `${formatCount(unfinishedTexts, 'text')} ${unfinishedTexts === 1 ? 'is' : 'are'} not finished. Fetch the chunks later with the operation 'Get Results'.`;
	}
}
