import type { IDataObject } from 'n8n-workflow';

import type { Failed, Outcome } from '../shared/flow/deliver';
import { messageOf } from '../shared/n8n/errors';
import { count, troubleText } from '../shared/n8n/hints';
import type { Run } from '../shared/n8n/run';
import { coverage, type Chunk } from '../shared/service/chunking';
import { outcomeMessage, SUBMITTING } from '../shared/service/wording';
import { keptFields, recordsOf, type OutputMode, type RecordOptions } from './chunk-records';
import { noChunks, noSuchText, positionMissing } from './failures';
import type { Fetched } from './fetch';
import type { Job } from './jobs';
import { maskedResponse } from './masked-response';
import type { ChunkOptions, ChunkParameters } from './parameters';
import type { SourceDocument } from './source-documents';
import type { TextEntry, TextRef } from './texts';

/** What has become of a text. */
interface TextOutcome {
	/** Position among the texts of its item. */
	order: number;
	records?: IDataObject[];
	failure?: TextFailure;
}

interface TextFailure {
	error: unknown;
	message: string;
	skipped: boolean;
	/** What is needed to fetch the text later, and what the service has said. */
	json: IDataObject;
}

/** Turns what has become of each text into output items, linked to the items of the texts. */
export class ChunkOutput {
	private readonly outcomes = new Map<number, TextOutcome[]>();
	private readonly options: RecordOptions;
	private readonly counts = { withoutChunks: 0, pending: 0, cutTexts: 0, cutCharacters: 0 };
	/** Errors of final polls, for texts that are returned unfinished. */
	private readonly lastErrors = new Set<string>();

	constructor(
		private readonly run: Run,
		parameters: ChunkParameters,
		options: ChunkOptions,
		private readonly mode: OutputMode,
		private readonly documents: ReadonlyMap<number, SourceDocument> = new Map(),
	) {
		this.options = {
			mode,
			vectors: parameters.choice('vectors'),
			sourceFields: parameters.isAdded('options', 'sourceFields')
				? options.sourceFields
				: undefined,
			listedFields: options.listedFields,
		};
	}

	/** What was fetched for a job, or why nothing was. */
	report(job: Job, outcome: Outcome<Fetched>): void {
		if (!outcome.ok) return this.failed(job, outcome);
		const { response } = outcome;
		if (response.type === 'raw') this.raw(job, response.body);
		else if (response.type === 'pending') this.pending(job, response.lastError);
		else this.hand(job, response.texts, response.body);
	}

	/** A text the service has not accepted, or may not have accepted. */
	notSubmitted({ itemIndex, textIndex }: TextEntry, { reason, skipped }: Failed): void {
		const message = outcomeMessage(SUBMITTING, reason, { attempted: skipped !== true });
		this.keep(
			{ itemIndex, ...(textIndex !== undefined && { textIndex }) },
			{ failure: { error: reason, message, skipped: skipped === true, json: {} } },
		);
	}

	/** Gives the results of a request to the texts that wait for them. */
	private hand(job: Job, texts: Array<Chunk[] | undefined>, body: unknown): void {
		// Results may come only once: what a text cannot take is returned with the first such text.
		let rest: unknown = body;
		const fail = (ref: TextRef, error: unknown) => {
			this.fail(job, ref, error, rest);
			rest = undefined;
		};
		const give = (ref: TextRef, position: number) => {
			const chunks = texts[position];
			if (chunks !== undefined) return this.chunked(job, ref, chunks);
			const { chunkedData } = body as { chunkedData: unknown[] };
			if (position >= texts.length) fail(ref, noSuchText(position, texts.length));
			else fail(ref, noChunks(job.session.words(chunkedData[position])));
		};
		for (const ref of job.refs) {
			if (ref.position !== undefined) give(ref, ref.position);
			else if (texts.length === 0) this.chunked(job, ref, []);
			else if (texts.length === 1) give(ref, 0);
			// Chunks of one document must never become those of another.
			else if (
				job.refs.length > 1 ||
				job.textCount !== undefined ||
				this.mode === 'documents'
			) {
				fail(ref, positionMissing(texts.length));
			} else texts.forEach((_chunks, index) => give({ ...ref, textIndex: index }, index));
		}
	}

	private chunked({ chunkingId }: Job, ref: TextRef, chunks: Chunk[]): void {
		const { missing, isComplete } = coverage(ref.text, chunks);
		if (chunks.length === 0) this.counts.withoutChunks++;
		if (missing > 0) {
			this.counts.cutTexts++;
			this.counts.cutCharacters += missing;
		}
		const source = this.sourceOf(ref);
		const document = this.documents.get(ref.itemIndex);
		const text = { ref, chunkingId, chunks, isComplete, source, document };
		this.keep(ref, { records: recordsOf(text, this.options) });
	}

	/** The response of a request as it is, but without secrets it may repeat. */
	private raw({ chunkingId, refs, session }: Job, body: unknown): void {
		const items = [...new Set(refs.map(({ itemIndex }) => itemIndex))];
		const [first] = items;
		if (first === undefined) return;
		// n8n would take an item with `error` for a failed one.
		const { error, ...rest } = maskedResponse(session, body);
		const json = { chunkingId, ...rest, ...(error !== undefined && { responseError: error }) };
		this.run.done(first, [json], items);
	}

	/** Texts whose chunks are not ready go on with what Get Results needs. */
	private pending(job: Job, lastError: unknown): void {
		if (lastError !== undefined) this.lastErrors.add(messageOf(lastError));
		for (const [index, ref] of job.refs.entries()) {
			this.counts.pending++;
			const kept = keptFields(this.sourceOf(ref), this.options, 'all');
			const response = index === 0 ? this.keptResponse(job, job.kept) : {};
			this.keep(ref, {
				records: [
					{ ...kept, ...whereabouts(job, ref), status: this.masked(job), ...response },
				],
			});
		}
	}

	private failed(job: Job, { reason, skipped }: Failed): void {
		for (const [index, ref] of job.refs.entries()) {
			this.fail(job, ref, reason, index === 0 ? job.kept : undefined, skipped === true);
		}
	}

	private fail(
		job: Job,
		ref: TextRef,
		error: unknown,
		response?: unknown,
		skipped = false,
	): void {
		if (!skipped && this.run.stopsOnFailure) this.run.stop(error);
		const message = `${messageOf(error)} (chunking ID ${job.chunkingId})`;
		const json = { ...whereabouts(job, ref), ...this.keptResponse(job, response) };
		this.keep(ref, { failure: { error, message, skipped, json } });
	}

	private keptResponse({ session }: Job, response: unknown): IDataObject {
		if (response === undefined) return {};
		return { response: maskedResponse(session, response) };
	}

	private masked({ session, status }: Job): string {
		return String(session.masked(status));
	}

	/** Returns everything, the texts of an item in their order, and what else is worth knowing. */
	async finish({ hintAtPending = true } = {}): Promise<void> {
		for (const [itemIndex, outcomes] of this.outcomes) {
			await this.run.breathe();
			outcomes.sort((one, other) => one.order - other.order);
			this.run.done(
				itemIndex,
				outcomes.flatMap(({ records = [] }) => records),
			);
			this.returnFailures(
				itemIndex,
				outcomes.flatMap(({ failure }) => failure ?? []),
			);
		}
		this.addHints(hintAtPending);
	}

	/** One error item, with what is needed to fetch each of its texts later. */
	private returnFailures(itemIndex: number, failures: TextFailure[]): void {
		const first = failures.find(({ skipped }) => !skipped) ?? failures[0];
		if (first === undefined) return;
		const { error, message, skipped } = first;
		const others = failures.length - 1;
		const advice = others > 0 && {
			advice: `${count(others, 'more text')} of this item failed too.`,
		};
		this.run.fail(itemIndex, error, { message, json: jsonOf(failures), skipped, ...advice });
	}

	private addHints(hintAtPending: boolean): void {
		const { run } = this;
		const { withoutChunks, cutTexts, cutCharacters, pending } = this.counts;
		const trouble = troubleText(run.stats);
		if (trouble !== '') run.hint(trouble, 'info');
		for (const error of this.lastErrors) run.hint(`The final poll failed: ${error}`);
		if (withoutChunks > 0) run.hint(`${count(withoutChunks, 'text')} gave no chunks`);
		if (cutTexts > 0) {
			run.hint(
				`The service left out the end of ${count(cutTexts, 'text')}, ${count(cutCharacters, 'character')} in total. Shorten the texts, or add 'Vector Quantization Method' or a smaller 'Dimension Reduction Size' to 'Model Settings': the service then accepts more chunks.`,
			);
		}
		if (pending > 0 && hintAtPending) {
			run.hint(
				`${count(pending, 'text')} not finished. Fetch the chunks later with the operation 'Get Results'.`,
			);
		}
	}

	private keep({ itemIndex, textIndex = 0 }: TextRef, outcome: Omit<TextOutcome, 'order'>): void {
		const outcomes = this.outcomes.get(itemIndex) ?? [];
		this.outcomes.set(itemIndex, outcomes);
		outcomes.push({ order: textIndex, ...outcome });
	}

	private sourceOf({ itemIndex }: TextRef): IDataObject {
		return this.run.items[itemIndex]?.json ?? {};
	}
}

function withoutResponse({ ...json }: IDataObject): IDataObject {
	delete json.response;
	return json;
}

/** Fields of the error item for texts that failed. */
function jsonOf(failures: TextFailure[]): IDataObject {
	const [only, ...others] = failures;
	if (only !== undefined && others.length === 0) return only.json;
	const withId = failures.filter(({ json }) => json.chunkingId !== undefined);
	const ids = [...new Set(withId.map(({ json }) => json.chunkingId as string))];
	const responses = failures.flatMap(({ json }) => json.response ?? []);
	const texts = withId.map(({ json }) => withoutResponse(json));
	return {
		...(ids.length > 0 && { chunkingId: ids[0] }),
		...(ids.length > 1 && { chunkingIds: ids }),
		...(texts.length > 0 && { failedTexts: texts }),
		...(responses.length > 0 && { response: responses[0] }),
		...(responses.length > 1 && { responses }),
	};
}

/** By what a text can be fetched, and told apart from the others of its request. */
const whereabouts = (
	{ chunkingId, textCount }: Job,
	{ position, textIndex }: TextRef,
): IDataObject => ({
	chunkingId,
	...(position !== undefined && { textPosition: position }),
	...(textCount !== undefined && { textsInRequest: textCount }),
	...(textIndex !== undefined && { textIndex }),
});
