import type { IDataObject } from 'n8n-workflow';

import { failureOf, type Failed, type Outcome } from '../../shared/flow/outcome';
import { itemOf, type Sink } from '../../shared/n8n/sinks/sink';
import {
	coverage,
	type Chunk,
	type Coverage,
} from '../../shared/service/chunking/chunking-response';
import { fieldsOfItem } from '../../shared/n8n/sources/files';
import { outcomeMessage, submitAction } from '../../shared/service/outcome-messages';
import {
	documentMissing,
	jobMessage,
	noChunks,
	noSuchText,
	positionMissing,
	vectorMismatch,
} from '../jobs/job-errors';
import type { FetchResult } from '../jobs/fetch';
import type { ChunkService, Job } from '../jobs/chunk-service';
import type { TextEntry, AwaitedText } from '../input/text';
import { ChunkFiles } from './chunk-files';
import type { ChunkHints } from './chunk-hints';
import { itemsOf, selectSourceFields, recordsOf } from './chunk-records';
import type { Findings } from '../../shared/records/findings';
import { detach } from '../../shared/records/record';
import { nonEmptyMembers } from '../../shared/service/json';

type AssignedResult = { text: AwaitedText } & (
	| { chunks: Chunk[]; covered: Coverage }
	| { reason: unknown }
);

type Results = Extract<FetchResult, { type: 'results' }>;

export class Report {
	private readonly files: ChunkFiles | undefined;

	constructor(
		private readonly service: ChunkService,
		private readonly hints: ChunkHints,
		private readonly sink: Sink,
		name: string,
		private readonly findings?: Findings,
	) {
		const { run, options } = service;
		if (options.outputTo === 'files')
			this.files = new ChunkFiles(run, name, options.bytesPerFile);
	}

	/** Reports a job's results, or why there are none. */
	async reportJob(job: Job, outcome: Outcome<FetchResult>): Promise<void> {
		if (!outcome.ok) {
			for (const [at, text] of job.texts.entries())
				await this.reportFailure(
					job,
					text,
					outcome,
					at === 0 ? job.unusedResponse : undefined,
				);
			return;
		}
		const { response } = outcome;
		if (response.type === 'pending') return await this.reportPending(job, response.lastError);
		// The service might not deliver the results a second time. So if some texts have no usable results, the first
		// failed item contains the whole response.
		let rest: unknown = response.body;
		for (const assigned of assign(job, response, this.service)) {
			await this.service.run.yieldToOthers();
			if ('chunks' in assigned) await this.reportChunks(job, assigned);
			else {
				await this.reportFailure(job, assigned.text, failureOf(assigned.reason), rest);
				rest = undefined;
			}
		}
	}

	/** Reports a text that the service has not accepted, or may not have accepted. */
	async reportNotSubmitted(text: TextEntry, outcome: Failed): Promise<void> {
		const action = submitAction(text.document?.id);
		const message = outcomeMessage(action, outcome.reason, outcome.skipped);
		await this.fail(text, outcome, message, {});
	}

	async end(): Promise<void> {
		await this.files?.end();
	}

	private async reportChunks(
		{ chunkingId }: Job,
		{ text, chunks, covered }: Extract<AssignedResult, { chunks: unknown }>,
	): Promise<void> {
		const { options } = this.service;
		const hasVectors = chunks.some(({ vector }) => vector !== undefined);
		this.hints.addText(chunks, options.vectors !== 'none' && !hasVectors);
		const { missing } = covered;
		const { record, document } = text;
		const id = document?.id ?? '';
		if (!record || !this.findings) this.hints.addMissing(chunks, missing);
		else if (chunks.length === 0) this.findings.add('noChunks', record.line, detach(id));
		else if (missing > 0) this.findings.add('partlyChunked', record.line, detach(id));
		const source = this.sourceOf(text);
		const withChunks = { text, chunkingId, chunks, covered, source };
		const records = await recordsOf(withChunks, this.service);
		await this.files?.add(text, records);
		const items = itemsOf(withChunks, this.files ? [] : records, this.service);
		await this.sink.addItems(text, items, { chunks: chunks.length });
	}

	private async reportPending(unfinished: Job, lastError: unknown): Promise<void> {
		const job = { ...unfinished, status: this.service.session.words(unfinished.status) };
		const { texts, status } = job;
		if (texts.some(({ record }) => record !== undefined)) {
			for (const [at, text] of texts.entries())
				await this.sink.addItems(text, at === 0 ? [jobFields(job)] : []);
			return;
		}
		this.hints.addUnfinished(texts.length, lastError);
		const { keepSourceFields = 'all', sourceFieldsToKeep } = this.service.options;
		for (const [at, text] of texts.entries()) {
			const sourceFields = selectSourceFields(this.sourceOf(text), {
				keepSourceFields,
				sourceFieldsToKeep,
			});
			const response = this.responseOf(at === 0 ? job.unusedResponse : undefined);
			const json = { ...sourceFields, ...fetchFields(job, text), status, ...response };
			await this.sink.addItems(text, [json]);
		}
	}

	/** @param response unusable response to return with the failure */
	private async reportFailure(
		job: Job,
		text: AwaitedText,
		outcome: Failed,
		response: unknown,
	): Promise<void> {
		const message = jobMessage(outcome.reason, job.chunkingId);
		const json = { ...fetchFields(job, text), ...this.responseOf(response) };
		await this.fail(text, outcome, message, json);
	}

	private async fail(
		text: AwaitedText,
		{ reason, skipped, verdict }: Failed,
		message: string,
		json: IDataObject,
	): Promise<void> {
		const { id } = text.document ?? {};
		await this.sink.addFailure(text, { reason, skipped, verdict, message, id, json });
	}

	/**
	 * Returns a field that contains an unused response. The user needs this response, because the service might
	 * not deliver it again. A tool omits the field, because a model cannot use it.
	 */
	private responseOf(body: unknown): IDataObject {
		if (body === undefined || this.service.run.isTool) return {};
		return { response: this.service.session.mask(body) as IDataObject };
	}

	private sourceOf(text: AwaitedText): IDataObject {
		return text.source ?? fieldsOfItem(this.service.run, itemOf(text));
	}
}

function* assign(
	{ texts, textCount }: Job,
	{ results, body }: Results,
	{ session, mode, options }: ChunkService,
): Generator<AssignedResult, void, undefined> {
	const needsDocument = mode !== 'chunks';
	const resultAt = (text: AwaitedText, position: number): AssignedResult => {
		if (position >= results.length)
			return { text, reason: noSuchText(position, results.length) };
		const result = results[position];
		if (result === undefined) {
			const { chunkedData } = body as { chunkedData: unknown[] };
			return { text, reason: noChunks(session.words(chunkedData[position])) };
		}
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

/** Returns the fields that describe all texts in a request. Only items for files have these fields. */
const jobFields = ({ chunkingId, status, texts, textCount }: Job): IDataObject => ({
	chunkingId,
	status,
	firstRecord: texts[0]?.record?.record,
	lastRecord: texts.at(-1)?.record?.record,
	textsInRequest: textCount,
	documents: texts.map(({ document }) => ({ id: document?.id, ...document?.fields })),
});
