import type { IDataObject } from 'n8n-workflow';

import type { Failed, Outcome } from '../../shared/flow/deliver';
import { messageOf } from '../../shared/n8n/run/errors';
import type { Run } from '../../shared/n8n/run/run';
import { isTool } from '../../shared/n8n/run/tool';
import {
	coverage,
	type Chunk,
	type Coverage,
	type VectorMismatch,
} from '../../shared/service/chunking/chunking';
import type { ServiceFailure } from '../../shared/service/failure';
import { isVector } from '../../shared/service/chunking/vector';
import { outcomeMessage, SUBMITTING } from '../../shared/service/wording';
import { ChunkHints } from './hints';
import { keptFields, recordsOf, removedOf, type OutputMode, type RecordOptions } from './records';
import type { ChunkSink } from './chunk-sink';
import {
	documentMissing,
	noChunks,
	otherOrder,
	noSuchText,
	positionMissing,
	unusableVector,
	vectorMismatch,
} from '../failures';
import type { Fetched } from '../fetch/finding';
import type { Job, Jobs } from '../submit/job';
import { maskedResponse } from './masked-response';
import type { ChunkOptions, ChunkParameters } from '../parameters';
import type { SourceDocument } from '../texts/source-documents';
import type { TextFailure, TextOutcomes } from './failed-texts';
import type { TextWindow } from '../texts/text-window';
import type { TextEntry, TextRef } from '../texts/text';

/** Where the output goes. */
export interface Destination {
	outcomes: TextOutcomes;
	/** The jobs of the run: those that are reported are closed. */
	jobs: Pick<Jobs, 'close'>;
	/** Takes the chunks. */
	sink: ChunkSink;
	/** Has room for the texts until nothing of them is kept any longer, if it is limited. */
	window?: Pick<TextWindow, 'wait' | 'release'>;
}

/** Turns what has become of each text into records and failures. */
export class ChunkOutput {
	private readonly options: RecordOptions;
	private readonly breathe = () => this.run.breathe();

	constructor(
		private readonly run: Run,
		parameters: ChunkParameters,
		options: ChunkOptions,
		private readonly mode: OutputMode,
		private readonly destination: Destination,
		private readonly documents: ReadonlyMap<number, SourceDocument> = new Map(),
		/** What is worth knowing beside the output. */
		private readonly hints = new ChunkHints(),
	) {
		this.options = {
			mode,
			vectors: isTool(run.context)
				? 'none'
				: destination.sink.vectorsOf(parameters.choice('vectors')),
			sourceFields: parameters.isAdded('options', 'sourceFields')
				? options.sourceFields
				: undefined,
			listedFields: options.listedFields,
		};
	}

	/** What was fetched for a job, or why nothing was. */
	async report(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		this.destination.jobs.close(job);
		await this.answer(job, outcome);
		await this.done(job.refs);
	}

	private async answer(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		if (!outcome.ok) return await this.failed(job, outcome);
		const { response } = outcome;
		if (response.type === 'raw') await this.raw(job, response.body);
		else if (response.type === 'pending') await this.pending(job, response.lastError);
		else await this.assign(job, response);
	}

	/** A text the service has not accepted, or may not have accepted. */
	async notSubmitted(text: TextEntry, outcome: Failed): Promise<void> {
		const { reason: error } = outcome;
		const effect = effectOf(outcome);
		const message = outcomeMessage(SUBMITTING, error, { attempted: !effect.skipped });
		const { textIndex } = text;
		const json = { ...this.idOf(text), ...(textIndex !== undefined && { textIndex }) };
		await this.destination.outcomes.failed(text, { error, message, ...effect, json });
		await this.done([text]);
	}

	/** These texts have been answered. Their chunks may have to wait for those of others. */
	private async done(refs: TextRef[]): Promise<void> {
		const { sink, window } = this.destination;
		window?.wait(refs);
		window?.release(await sink.done(refs));
	}

	/** Assigns the results of a request to its texts. */
	private async assign(
		job: Job,
		{ texts, mismatches, body }: Extract<Fetched, { type: 'results' }>,
	): Promise<void> {
		// Results may come only once: what a text cannot take is returned with the first such text.
		let rest: unknown = body;
		const fail = async (ref: TextRef, error: unknown) => {
			await this.fail(job, ref, error, rest);
			rest = undefined;
		};
		const coverages = new Map<TextRef, Coverage>();
		for (const ref of job.refs) {
			await this.breathe();
			const chunks = texts[ref.position ?? 0];
			if (chunks) coverages.set(ref, coverage(ref.text, chunks));
		}
		// In a request with one text nothing can be mixed up: the service has changed the chunks.
		const isMixed = texts.length > 1 && [...coverages.values()].some(({ isOwn }) => !isOwn);
		const give = async (ref: TextRef, position: number) => {
			const chunks = texts[position];
			const isLost = this.mode === 'documents' && this.documentOf(ref) === undefined;
			if (chunks !== undefined && isLost) return await fail(ref, documentMissing());
			if (chunks !== undefined) {
				const covered = coverages.get(ref) ?? coverage(ref.text, chunks);
				const problem =
					isMixed && !covered.isComplete
						? otherOrder()
						: await this.vectorProblem(chunks, mismatches[position]);
				if (problem) return await fail(ref, problem);
				return await this.chunked(job, ref, chunks, covered);
			}
			const { chunkedData } = body as { chunkedData: unknown[] };
			if (position >= texts.length) await fail(ref, noSuchText(position, texts.length));
			else await fail(ref, noChunks(job.session.words(chunkedData[position])));
		};
		for (const ref of job.refs) {
			if (ref.position !== undefined) await give(ref, ref.position);
			else if (texts.length === 0) await this.chunked(job, ref, [], coverage(ref.text, []));
			else if (texts.length === 1) await give(ref, 0);
			// Chunks of one document must never become those of another.
			else if (
				job.refs.length > 1 ||
				job.textCount !== undefined ||
				this.mode === 'documents'
			) {
				await fail(ref, positionMissing(texts.length));
			} else {
				for (const textIndex of texts.keys()) await give({ ...ref, textIndex }, textIndex);
			}
		}
	}

	/** Why the vectors of a text cannot be used, if they are wanted: without, it would replace good chunks. */
	private async vectorProblem(
		chunks: Chunk[],
		mismatch: VectorMismatch | undefined,
	): Promise<ServiceFailure | undefined> {
		if (this.options.vectors === 'none') return undefined;
		if (mismatch) return vectorMismatch(mismatch);
		for (const [index, { vector }] of chunks.entries()) {
			await this.breathe();
			if (vector && !isVector(vector)) return unusableVector(index);
		}
		return undefined;
	}

	private async chunked(
		{ chunkingId }: Job,
		ref: TextRef,
		chunks: Chunk[],
		covered: Coverage,
	): Promise<void> {
		const { isComplete } = covered;
		const lacksVectors =
			this.options.vectors !== 'none' && !chunks.some(({ vector }) => vector !== undefined);
		this.hints.chunked(chunks.length, covered, lacksVectors);
		const source = this.sourceOf(ref);
		const document = this.documentOf(ref);
		const text = { ref, chunkingId, chunks, isComplete, source, document };
		const all = await recordsOf(text, this.options, this.breathe);
		const records = await this.destination.sink.take([ref], all);
		const items = [...records, ...removedOf(text, this.options)];
		await this.destination.outcomes.returned(ref, items, chunks.length);
	}

	/** The response of a request as it is, but without secrets it may repeat. */
	private async raw({ chunkingId, refs, session }: Job, body: unknown): Promise<void> {
		const [first] = refs;
		if (first === undefined) return;
		// n8n would take an item with `error` for a failed one.
		const { error, ...rest } = await maskedResponse(session, body, this.breathe);
		const json = { chunkingId, ...rest, ...(error !== undefined && { responseError: error }) };
		const records = await this.destination.sink.take(refs, [json]);
		await this.destination.outcomes.shared(refs, records);
	}

	/** Texts whose chunks are not ready go on with what Get Results needs. */
	private async pending(job: Job, lastError: unknown): Promise<void> {
		if (lastError !== undefined) this.hints.lastErrors.add(messageOf(lastError));
		for (const [index, ref] of job.refs.entries()) {
			this.hints.pending++;
			const kept = keptFields(this.sourceOf(ref), this.options, 'all');
			const response = index === 0 ? await this.keptResponse(job, job.facts.kept) : {};
			await this.destination.outcomes.returned(ref, [
				{ ...kept, ...whereabouts(job, ref), status: this.masked(job), ...response },
			]);
		}
	}

	private async failed(job: Job, outcome: Failed): Promise<void> {
		const effect = effectOf(outcome);
		for (const [index, ref] of job.refs.entries()) {
			await this.fail(
				job,
				ref,
				outcome.reason,
				index === 0 ? job.facts.kept : undefined,
				effect,
			);
		}
	}

	private async fail(
		job: Job,
		ref: TextRef,
		error: unknown,
		response?: unknown,
		effect: Effect = { skipped: false, endsRun: false },
	): Promise<void> {
		if (!effect.skipped && this.run.stopsOnFailure) this.run.stop(error);
		const message = `${messageOf(error)} (chunking ID ${job.chunkingId})`;
		const json = {
			...this.idOf(ref),
			...whereabouts(job, ref),
			...(await this.keptResponse(job, response)),
		};
		await this.destination.outcomes.failed(ref, { error, message, ...effect, json });
	}

	private async keptResponse({ session }: Job, response: unknown): Promise<IDataObject> {
		if (response === undefined) return {};
		return { response: await maskedResponse(session, response, this.breathe) };
	}

	private masked({ session, facts }: Job): string {
		return String(session.masked(facts.status));
	}

	/** Returns everything, and says what else is worth knowing. */
	async finish({ hintAtPending = true } = {}): Promise<void> {
		await this.end();
		this.hints.addTo(this.run, hintAtPending);
	}

	/** Returns everything. */
	async end(): Promise<void> {
		await this.destination.sink.end();
		await this.destination.outcomes.finish();
	}

	private documentOf({ itemIndex, document }: TextRef): SourceDocument | undefined {
		return document ?? this.documents.get(itemIndex);
	}

	/** The ID of the document of a text, for its error item. */
	private idOf(ref: TextRef): IDataObject {
		const id = this.documentOf(ref)?.id;
		return id === undefined ? {} : { id };
	}

	private sourceOf({ itemIndex, source }: TextRef): IDataObject {
		return source ?? this.run.items[itemIndex]?.json ?? {};
	}
}

/** What a failure means for the run, and the run for it. */
type Effect = Pick<TextFailure, 'skipped' | 'endsRun'>;

const effectOf = ({ skipped, verdict }: Failed): Effect => ({
	skipped: skipped === true,
	endsRun: verdict.action === 'stop',
});

/** What Get Results needs to fetch a text and to tell it from the others of its request. */
const whereabouts = (
	{ chunkingId, textCount }: Job,
	{ position, textIndex }: TextRef,
): IDataObject => ({
	chunkingId,
	...(position !== undefined && { textPosition: position }),
	...(textCount !== undefined && { textsInRequest: textCount }),
	...(textIndex !== undefined && { textIndex }),
});
