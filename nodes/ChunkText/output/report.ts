import type { IDataObject } from 'n8n-workflow';

import { failureOf, type Failed, type Outcome } from '../../shared/sending/outcome';
import type { Session } from '../../shared/session/session';
import { itemOf, type Sink } from '../../shared/output/sink';
import { fieldsOfItem } from '../../shared/input/item-fields';
import { selectSourceFields } from '../../shared/input/source-fields';
import type { FindingKind, Findings } from '../../shared/formats/findings';
import {
	coverage,
	type Chunk,
	type Coverage,
} from '../../shared/service/chunking/chunking-response';
import { nonEmptyMembers } from '../../shared/service/json';
import { outcomeMessage, submitAction } from '../../shared/service/outcome-messages';
import type { AwaitedText, TextEntry } from '../input/text-entry';
import type { Job } from '../jobs/chunk-service';
import type { FetchResult } from '../jobs/fetch';
import {
	documentMissing,
	jobMessage,
	noChunks,
	noSuchText,
	outOfTime,
	positionMissing,
	SUBMIT_AGAIN,
	vectorMismatch,
} from '../jobs/job-errors';
import type { ChunkTask } from '../parameters';
import { ChunkFiles } from './chunk-files';
import type { ChunkHints } from './chunk-hints';
import { itemsOf, recordsOf } from './chunk-records';
import { locateOnPages, type LocatedChunk } from './located-chunks';
import { SplitDocument, type ChunkedText, type FailedText } from './split-document';

type AssignedResult = { text: AwaitedText } & (
	| { chunks: Chunk[]; covered: Coverage }
	| { reason: unknown }
);

type Results = Extract<FetchResult, { type: 'results' }>;

export class Report {
	private readonly files: ChunkFiles | undefined;
	private readonly splitDocuments = new Map<TextEntry, SplitDocument>();

	constructor(
		private readonly task: ChunkTask,
		private readonly session: Session,
		private readonly hints: ChunkHints,
		private readonly sink: Sink,
		chunkFilePrefix = 'chunks',
		private readonly findings?: Findings,
	) {
		const { run, options } = task;
		if (options.outputTo === 'files')
			this.files = new ChunkFiles(run, chunkFilePrefix, options.bytesPerFile);
	}

	async reportJob(job: Job, outcome: Outcome<FetchResult>): Promise<void> {
		if (!outcome.ok) {
			for (const text of job.texts) await this.reportFailure(job, text, outcome);
			return;
		}
		const { response } = outcome;
		if (response.type === 'pending') return await this.reportPending(job, response.lastError);
		for (const assigned of assign(job, response, this.task, this.session)) {
			await this.task.run.yieldToOthers();
			if ('chunks' in assigned) await this.reportChunks(job, assigned);
			else await this.reportFailure(job, assigned.text, failureOf(assigned.reason));
		}
		job.unusedResponse = undefined;
	}

	/** Reports a text that the service has not accepted, or may not have accepted. */
	async reportNotSubmitted(text: TextEntry, outcome: Failed): Promise<void> {
		const action = submitAction(text.document?.id);
		const message = outcomeMessage(action, outcome.reason, outcome.skipped);
		await this.fail(text, outcome, message, {});
	}

	async storeLastFile(): Promise<void> {
		await this.files?.storeLastFile();
	}

	private async reportChunks(
		{ chunkingId }: Job,
		{ text, chunks, covered }: Extract<AssignedResult, { chunks: unknown }>,
	): Promise<void> {
		this.hints.countUnsplit(text, chunks.length);
		await this.report(text, { chunkingId, chunks: this.located(text, chunks), covered });
	}

	private located({ text = '', pages }: AwaitedText, chunks: Chunk[]): LocatedChunk[] {
		if (pages === undefined || chunks.length === 0) return chunks;
		const located = locateOnPages(text, pages, chunks);
		if (located === undefined) this.hints.countWithoutPages();
		return located ?? chunks;
	}

	/** Reports a text's result. The texts of a large document are reported together. */
	private async report(text: AwaitedText, result: ChunkedText | FailedText): Promise<void> {
		const document = text.part?.of;
		if (document === undefined) return await this.reportResult(text, result);
		const split = this.splitDocuments.get(document) ?? new SplitDocument();
		this.splitDocuments.set(document, split);
		const whole = split.addResult(text, result);
		if (whole === undefined) return;
		this.splitDocuments.delete(document);
		await this.reportResult(document, whole);
	}

	private async reportResult(text: AwaitedText, result: ChunkedText | FailedText): Promise<void> {
		if ('chunks' in result) return await this.addChunks(text, result);
		const { outcome, message, fields: json } = result;
		const { id } = text.document ?? {};
		await this.sink.addFailure(text, { ...outcome, message, id, json });
	}

	private async addChunks(
		text: AwaitedText,
		{ chunkingId, chunks, covered }: ChunkedText,
	): Promise<void> {
		this.hints.noteTokens(chunks);
		this.noteIncomplete(text, chunks, covered);
		const source = this.sourceOf(text);
		const withChunks = { text, chunkingId, chunks, covered, source };
		const records = await recordsOf(withChunks, this.task);
		await this.files?.addRecords(text, records);
		const items = itemsOf(withChunks, this.files ? [] : records, this.task);
		await this.sink.addItems(text, items, { chunks: chunks.length });
	}

	private noteIncomplete(
		{ record, document }: AwaitedText,
		chunks: Chunk[],
		{ missing }: Coverage,
	): void {
		const isEmpty = chunks.length === 0;
		const hasVectors = chunks.some(({ vector }) => vector !== undefined);
		const lacksVectors = this.task.options.vectors !== 'none' && !isEmpty && !hasVectors;
		const { findings } = this;
		if (!record || !findings) return this.hints.countIncomplete(chunks, lacksVectors, missing);
		const add = (kind: FindingKind) => findings.add(kind, record.line, document?.id ?? '');
		if (isEmpty) add('noChunks');
		else if (missing > 0) add('partlyChunked');
		if (lacksVectors) add('noVectors');
	}

	private async reportPending(job: Job, lastError: unknown): Promise<void> {
		const { texts } = job;
		const status = this.session.words(job.status);
		if (texts.some(({ record }) => record !== undefined)) {
			for (const [at, text] of texts.entries())
				await this.sink.addItems(text, at === 0 ? [jobFields(job, status)] : []);
			return;
		}
		const { keepSourceFields = 'all', sourceFieldsToKeep, maxWaitSeconds } = this.task.options;
		for (const text of texts) {
			if (text.part) {
				const reason = outOfTime(maxWaitSeconds, status, lastError, SUBMIT_AGAIN);
				await this.reportFailure(job, text, failureOf(reason));
				continue;
			}
			this.hints.countUnfinished(1, lastError);
			const sourceFields = selectSourceFields(this.sourceOf(text), {
				keepSourceFields,
				sourceFieldsToKeep,
			});
			const response = this.takeResponse(job, text);
			const json = { ...sourceFields, ...fetchFields(job, text), status, ...response };
			await this.sink.addItems(text, [json]);
		}
	}

	private async reportFailure(job: Job, text: AwaitedText, outcome: Failed): Promise<void> {
		const message = jobMessage(outcome.reason, job.chunkingId);
		const response = this.takeResponse(job, text);
		await this.fail(text, outcome, message, { ...fetchFields(job, text), ...response });
	}

	private async fail(
		text: AwaitedText,
		outcome: Failed,
		message: string,
		fields: IDataObject,
	): Promise<void> {
		await this.report(text, { outcome, message, fields });
	}

	/**
	 * The service might not deliver the response again. So the first item without chunks contains it, unless this item
	 * already contains another response. A tool omits the field, because a model cannot use it.
	 */
	private takeResponse(job: Job, { part }: AwaitedText): IDataObject {
		const { unusedResponse } = job;
		const isTaken = part && this.splitDocuments.get(part.of)?.hasResponse;
		if (unusedResponse === undefined || isTaken || this.task.run.isTool) return {};
		job.unusedResponse = undefined;
		return { response: this.session.mask(unusedResponse) as IDataObject };
	}

	private sourceOf(text: AwaitedText): IDataObject {
		return text.source ?? fieldsOfItem(this.task.run, itemOf(text));
	}
}

function* assign(
	{ texts, textCount, unusedResponse }: Job,
	{ results }: Results,
	{ mode, options }: ChunkTask,
	session: Session,
): Generator<AssignedResult, void, undefined> {
	const needsDocument = mode !== 'chunks';
	const { chunkedData } = unusedResponse as { chunkedData: unknown[] };
	const wordsAt = (position: number) => session.words(chunkedData[position]);
	const resultAt = (text: AwaitedText, position: number): AssignedResult => {
		if (position >= results.length)
			return { text, reason: noSuchText(position, results.length) };
		const result = results[position];
		if (result === undefined) return { text, reason: noChunks(wordsAt(position)) };
		const { chunks, mismatch } = result;
		// If the chunks were returned without vectors, they would replace good chunks in the index.
		if (options.vectors !== 'none' && mismatch)
			return { text, reason: vectorMismatch(mismatch) };
		return { text, chunks, covered: coverage(text.text, chunks) };
	};
	const isOnly = texts.length === 1 && textCount === undefined && !needsDocument;
	for (const text of texts) {
		if (needsDocument && text.document === undefined) yield { text, reason: documentMissing() };
		else if (text.position !== undefined || results.length === 1)
			yield resultAt(text, text.position ?? 0);
		else if (results.length === 0) yield { text, chunks: [], covered: coverage(text.text, []) };
		else if (!isOnly) yield { text, reason: positionMissing(results.length) };
		else
			for (const position of results.keys())
				yield resultAt({ ...text, position, isOneOfAll: true }, position);
	}
}

/** Returns the fields that Get Results needs to find a text's chunks. */
const fetchFields = ({ chunkingId, textCount }: Job, { position }: AwaitedText): IDataObject =>
	nonEmptyMembers([
		['chunkingId', chunkingId],
		['textPosition', position],
		['textsInRequest', textCount],
	]) as IDataObject;

/** Only items for files have these fields, which describe all texts in a request. */
const jobFields = ({ chunkingId, texts, textCount }: Job, status: string): IDataObject => ({
	chunkingId,
	status,
	firstRecord: texts[0]?.record?.record,
	lastRecord: texts.at(-1)?.record?.record,
	textsInRequest: textCount,
	documents: texts.map(({ document }) => ({ id: document?.id, ...document?.fields })),
});
