import type { IDataObject } from 'n8n-workflow';

import type { Failed, Outcome } from '../../shared/flow/deliver';
import type { EntryFailure } from '../../shared/n8n/sinks/sink';
import { outcomeMessage, SUBMITTING } from '../../shared/service/wording';
import { jobMessage } from '../failures';
import type { Fetched } from '../fetch/finding';
import type { TextSource } from '../submit/chunking';
import type { Job } from '../submit/job';
import type { TextWindow } from '../texts/text-window';
import type { TextEntry, TextRef } from '../texts/text';
import { assign, type Assigned } from './assign';
import { sinkOf } from './chunk-files';
import type { ChunkSink } from './chunk-sink';
import { maskedResponse } from './masked-response';
import { UnusedResponses } from './unused-responses';
import { itemsOf } from './documents';
import { keptFields, recordOptionsOf, recordsOf, type RecordOptions } from './records';
import { submittedOf, whereabouts } from './unfinished';

/** Tells the sink of a source what has become of its texts. */
export class Report {
	private readonly chunks: ChunkSink;
	private readonly options: RecordOptions;
	private readonly breathe = () => this.source.chunking.run.breathe();
	private readonly unused = new UnusedResponses(this.breathe);

	/** @param window counts each text until its chunks have left the memory */
	constructor(
		private readonly source: TextSource,
		private readonly window: TextWindow,
	) {
		this.chunks = sinkOf(source);
		this.options = recordOptionsOf(source.chunking, (wanted) => this.chunks.vectorsOf(wanted));
	}

	/** What was fetched for a job, or why nothing was. */
	async answer(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		this.source.chunking.jobs.close(job);
		await this.reported(job, outcome);
		await this.done(job.refs);
	}

	/** A text the service has not accepted, or may not have accepted. */
	async notSubmitted(text: TextEntry, outcome: Failed): Promise<void> {
		const message = outcomeMessage(SUBMITTING, outcome.reason, { attempted: !outcome.skipped });
		const { index } = text;
		const json = {
			...(index !== undefined && { textIndex: index }),
			...(await this.unused.of(text)),
		};
		await this.failed(text, outcome, message, json);
		await this.done([text]);
	}

	/** Everything has been reported. */
	async end(): Promise<void> {
		await this.chunks.end();
	}

	private async reported(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		if (!outcome.ok) {
			for (const [at, ref] of job.refs.entries())
				await this.failedOf(job, ref, outcome, at === 0 ? job.facts.kept : undefined);
			return;
		}
		const { response } = outcome;
		if (response.type === 'raw') return await this.raw(job, response.body);
		if (response.type === 'pending') return await this.pending(job, response.lastError);
		// Results may come only once: what a text cannot take is returned with the first such text.
		let rest: unknown = response.body;
		for await (const assigned of assign(job, response, this.options, this.breathe)) {
			if ('chunks' in assigned) {
				await this.chunked(job, assigned);
				continue;
			}
			await this.failedOf(job, assigned.ref, { reason: assigned.problem }, rest);
			rest = undefined;
		}
	}

	/** These texts have been answered. Their chunks may have to wait for those of others. */
	private async done(refs: TextRef[]): Promise<void> {
		this.window.wait(refs);
		this.window.release(await this.chunks.done(refs));
	}

	private async chunked(
		{ chunkingId }: Job,
		{ ref, chunks, covered }: Extract<Assigned, { chunks: unknown }>,
	): Promise<void> {
		const { hints } = this.source.chunking;
		const hasVectors = chunks.some(({ vector }) => vector !== undefined);
		hints.chunked(chunks.length, covered, this.options.vectors !== 'none' && !hasVectors);
		const { isComplete } = covered;
		const text = { ref, chunkingId, chunks, isComplete, source: this.sourceOf(ref) };
		const all = await recordsOf(text, this.options, this.breathe);
		const records = await this.chunks.take([ref], all);
		const items = itemsOf(text, records, this.options.mode);
		await this.source.sink.returned(ref, items, { chunks: chunks.length });
	}

	/** The response of a request as it is, but without secrets it may repeat. */
	private async raw({ chunkingId, refs, session }: Job, body: unknown): Promise<void> {
		// n8n would take an item with `error` for a failed one.
		const { error, ...rest } = await maskedResponse(session, body, this.breathe);
		const json = { chunkingId, ...rest, ...(error !== undefined && { responseError: error }) };
		await this.source.sink.shared(refs, await this.chunks.take(refs, [json]));
	}

	/** Texts whose chunks are not ready go on with what Get Results needs. */
	private async pending(job: Job, lastError: unknown): Promise<void> {
		const { sink, chunking } = this.source;
		if (job.refs.some(({ record }) => record !== undefined))
			return await sink.shared(job.refs, [submittedOf(job)]);
		chunking.hints.unfinished(job.refs.length, lastError);
		for (const [at, ref] of job.refs.entries()) {
			const record = {
				...keptFields(this.sourceOf(ref), this.options, 'all'),
				...whereabouts(job, ref),
				status: job.session.masked(job.facts.status) as string,
				...(await this.unused.of(ref, at === 0 ? job.facts.kept : undefined, job.session)),
			};
			await sink.returned(ref, [record]);
		}
	}

	/** @param response data that nobody could take, to be returned with the failure */
	private async failedOf(
		job: Job,
		ref: TextRef,
		outcome: Pick<Failed, 'reason'> & Partial<Failed>,
		response: unknown,
	): Promise<void> {
		const message = jobMessage(outcome.reason, job.chunkingId);
		const unused = await this.unused.of(ref, response, job.session);
		const json = { ...whereabouts(job, ref), ...unused };
		await this.failed(ref, outcome, message, json);
	}

	private async failed(
		ref: TextRef,
		{ reason, skipped, verdict }: Pick<Failed, 'reason'> & Partial<Failed>,
		message: string,
		json: IDataObject,
	): Promise<void> {
		const { sink, chunking } = this.source;
		const endsRun = verdict?.action === 'stop' || chunking.run.ended?.reason === reason;
		const failure: EntryFailure = { reason, message, endsRun, id: ref.document?.id, json };
		if (skipped) await sink.skipped([ref], () => failure);
		else await sink.failed(ref, failure);
	}

	private sourceOf(ref: TextRef): IDataObject {
		const [itemIndex = 0] = ref.items;
		return ref.source ?? this.source.chunking.run.items[itemIndex]?.json ?? {};
	}
}
