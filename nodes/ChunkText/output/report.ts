import type { IDataObject } from 'n8n-workflow';

import { failureOf, type Failed, type Outcome } from '../../shared/flow/outcome';
import { itemOf, type Sink } from '../../shared/n8n/sinks/sink';
import {
	coverage,
	type Chunk,
	type Coverage,
} from '../../shared/service/chunking/chunking-response';
import { fieldsOfItem } from '../../shared/n8n/sources/files';
import { outcomeMessage, submitting } from '../../shared/service/outcome-messages';
import {
	documentMissing,
	jobMessage,
	noChunks,
	noSuchText,
	positionMissing,
	vectorMismatch,
} from '../jobs/job-errors';
import type { Fetched } from '../jobs/fetch';
import type { ChunkService, Job } from '../jobs/chunk-service';
import type { TextEntry, TextRef } from '../input/text';
import { ChunkFiles } from './chunk-files';
import type { ChunkHints } from './chunk-hints';
import { itemsOf, keptFields, recordsOf } from './chunk-records';
import { filled } from '../../shared/service/json';

/** What a text gets of the results of its request: its chunks, or the reason why it gets none. */
type Assigned = { ref: TextRef } & ({ chunks: Chunk[]; covered: Coverage } | { problem: unknown });

type Results = Extract<Fetched, { type: 'results' }>;

/** Tells the sink of a source what has become of its texts. */
export class Report {
	private readonly files: ChunkFiles | undefined;

	/** @param name what the names of files with chunks begin with */
	constructor(
		private readonly service: ChunkService,
		private readonly hints: ChunkHints,
		private readonly sink: Sink,
		name: string,
	) {
		const { run, options } = service;
		if (options.outputTo === 'files')
			this.files = new ChunkFiles(run, name, options.bytesPerFile);
	}

	/** Reports what was fetched for a job, or why nothing was. */
	async answer(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		if (!outcome.ok) {
			for (const [at, ref] of job.refs.entries())
				await this.failedOf(job, ref, outcome, at === 0 ? job.kept : undefined);
			return;
		}
		const { response } = outcome;
		if (response.type === 'pending') return await this.pending(job, response.lastError);
		// Results may come only once: what a text cannot take is returned with the first such text.
		let rest: unknown = response.body;
		for (const assigned of assign(job, response, this.service)) {
			await this.service.run.yieldToOthers();
			if ('chunks' in assigned) await this.chunked(job, assigned);
			else {
				await this.failedOf(job, assigned.ref, failureOf(assigned.problem), rest);
				rest = undefined;
			}
		}
	}

	/** Reports a text that the service has not accepted, or may not have accepted. */
	async notSubmitted(text: TextEntry, outcome: Failed): Promise<void> {
		const action = submitting(text.document?.id);
		const message = outcomeMessage(action, outcome.reason, outcome.skipped);
		await this.failed(text, outcome, message, {});
	}

	/** Everything has been reported. */
	async end(): Promise<void> {
		await this.files?.end();
	}

	private async chunked(
		{ chunkingId }: Job,
		{ ref, chunks, covered }: Extract<Assigned, { chunks: unknown }>,
	): Promise<void> {
		const { options } = this.service;
		const hasVectors = chunks.some(({ vector }) => vector !== undefined);
		this.hints.chunked(chunks, covered.missing, options.vectors !== 'none' && !hasVectors);
		const source = this.sourceOf(ref);
		const text = { ref, chunkingId, chunks, isComplete: covered.isComplete, source };
		const records = await recordsOf(text, this.service);
		await this.files?.add(ref, records);
		const items = itemsOf(text, this.files ? [] : records, this.service);
		await this.sink.returned(ref, items, { chunks: chunks.length });
	}

	/** Texts whose chunks are not ready go on with what Get Results needs. */
	private async pending(unfinished: Job, lastError: unknown): Promise<void> {
		const job = { ...unfinished, status: this.service.session.words(unfinished.status) };
		const { refs, status } = job;
		if (refs.some(({ record }) => record !== undefined)) {
			for (const [at, ref] of refs.entries())
				await this.sink.returned(ref, at === 0 ? [submittedOf(job)] : []);
			return;
		}
		this.hints.unfinished(refs.length, lastError);
		const { keepSourceFields = 'all', sourceFieldsToKeep } = this.service.options;
		for (const [at, ref] of refs.entries()) {
			const kept = keptFields(this.sourceOf(ref), { keepSourceFields, sourceFieldsToKeep });
			const response = this.responseOf(at === 0 ? job.kept : undefined);
			const json = { ...kept, ...whereabouts(job, ref), status, ...response };
			await this.sink.returned(ref, [json]);
		}
	}

	/** @param response data that nobody could take, to be returned with the failure */
	private async failedOf(
		job: Job,
		ref: TextRef,
		outcome: Failed,
		response: unknown,
	): Promise<void> {
		const message = jobMessage(outcome.reason, job.chunkingId);
		const json = { ...whereabouts(job, ref), ...this.responseOf(response) };
		await this.failed(ref, outcome, message, json);
	}

	private async failed(
		ref: TextRef,
		{ reason, skipped, verdict }: Failed,
		message: string,
		json: IDataObject,
	): Promise<void> {
		const { id } = ref.document ?? {};
		await this.sink.failed(ref, { reason, skipped, verdict, message, id, json });
	}

	/** A response that nobody could use, as a member of an item: it may come only once. A model has no use for it. */
	private responseOf(body: unknown): IDataObject {
		if (body === undefined || this.service.run.isTool) return {};
		return { response: this.service.session.mask(body) as IDataObject };
	}

	private sourceOf(ref: TextRef): IDataObject {
		return ref.source ?? fieldsOfItem(this.service.run, itemOf(ref));
	}
}

/** Assigns the results of a request to its texts, by their position in it. */
function* assign(
	{ refs, textCount }: Job,
	{ texts, body }: Results,
	{ session, mode, options }: ChunkService,
): Generator<Assigned, void, undefined> {
	const needsDocument = mode !== 'chunks';
	const given = (ref: TextRef, position: number): Assigned => {
		if (position >= texts.length) return { ref, problem: noSuchText(position, texts.length) };
		const result = texts[position];
		if (result === undefined) {
			const { chunkedData } = body as { chunkedData: unknown[] };
			return { ref, problem: noChunks(session.words(chunkedData[position])) };
		}
		const { chunks, mismatch } = result;
		// A text without its vectors would replace good chunks.
		if (options.vectors !== 'none' && mismatch)
			return { ref, problem: vectorMismatch(mismatch) };
		return { ref, chunks, covered: coverage(ref.text, chunks) };
	};
	const isOnly = refs.length === 1 && textCount === undefined && !needsDocument;
	for (const ref of refs) {
		if (needsDocument && ref.document === undefined) yield { ref, problem: documentMissing() };
		else if (ref.position !== undefined || texts.length === 1)
			yield given(ref, ref.position ?? 0);
		else if (texts.length === 0) yield { ref, chunks: [], covered: coverage(ref.text, []) };
		else if (!isOnly) yield { ref, problem: positionMissing(texts.length) };
		else
			for (const position of texts.keys())
				yield given({ ...ref, position, isOneOfAll: true }, position);
	}
}

/** What Get Results needs to fetch a text and to tell it from the others of its request. */
const whereabouts = ({ chunkingId, textCount }: Job, { position }: TextRef): IDataObject =>
	filled([
		['chunkingId', chunkingId],
		['textPosition', position],
		['textsInRequest', textCount],
	]) as IDataObject;

/** The same for all texts of a request, which come from a file. */
const submittedOf = ({ chunkingId, status, refs, textCount }: Job): IDataObject => ({
	chunkingId,
	status,
	firstRecord: refs[0]?.record?.record,
	lastRecord: refs.at(-1)?.record?.record,
	textsInRequest: textCount,
	documents: refs.map(({ document }) => ({ id: document?.id, ...document?.fields })),
});
