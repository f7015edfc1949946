import type { Outcome } from '../../shared/flow/deliver';
import type { Run } from '../../shared/n8n/run/run';
import { Report } from '../chunks/report';
import type { OutputMode } from '../chunks/records';
import { fetchNothing, type Answers } from '../fetch/fetch';
import type { Fetched } from '../fetch/finding';
import type { ChunkOptions, ChunkParameters } from '../parameters';
import { openChunking, type Chunking, type TextSource } from '../submit/chunking';
import type { Job } from '../submit/job';
import { submit } from '../submit/submit';
import { withFileTexts, type FileWork } from '../texts/file-texts';
import { withItemTexts } from '../texts/item-texts';
import type { IdSource } from '../texts/previous-requests';
import { admitted, TextWindow } from '../texts/text-window';
import type { TextEntry } from '../texts/text';

/** What an operation does with texts. */
interface Work {
	/** What to return for a text. */
	mode: OutputMode;
	/** How the chunks of jobs are fetched. */
	fetch: (jobs: AsyncIterable<Job>, chunking: Chunking) => Answers;
	/** How the texts of files are handled, if they come from files. */
	files?: FileWork;
	/** Where items say which earlier request they stand for, if they may. */
	ids?: IdSource;
	/** Submits the texts of a failed request one by one, if that is wanted and any request has succeeded. */
	isolates?: boolean;
	/** Limits how many texts are in memory. */
	window?: TextWindow;
}

/**
 * Submits texts, fetches their chunks and returns these: from items and files alike, for all operations.
 *
 * @throws InputError for a credential that cannot be used
 */
export async function chunkTexts(
	run: Run,
	parameters: ChunkParameters,
	options: ChunkOptions,
	work: Work,
): Promise<void> {
	const { files, ids, mode, window = TextWindow.unlimited(options) } = work;
	const chunking = await openChunking(run, parameters, options, mode, files === undefined);
	const isolation = { isWanted: work.isolates === true, isWorthIt: false };
	const chunkAll = async (source: TextSource) =>
		await new ChunkRun(source, work.fetch, window, isolation).chunkAll();
	// A text that waits for room would wait forever: after the end of the run nothing makes room.
	const stopListening = run.onEnd(() => window.close());
	if (run.ended) window.close();
	try {
		if (files) await withFileTexts(chunking, files, chunkAll);
		else await withItemTexts(chunking, ids, chunkAll);
	} finally {
		stopListening();
	}
	chunking.hints.addTo(run, work.fetch !== fetchNothing);
}

/** Chunks the texts of one source. */
class ChunkRun {
	private readonly chunking: Chunking;
	private readonly report: Report;
	/** Requests that failed, whose texts may be submitted again one by one. */
	private held: Array<{ job: Job; outcome: Outcome<Fetched> }> = [];

	constructor(
		private readonly source: TextSource,
		private readonly fetch: Work['fetch'],
		private readonly window: TextWindow,
		/** `isWorthIt`: a request of the run has succeeded, so the texts of another may be at fault. */
		private readonly isolation: { isWanted: boolean; isWorthIt: boolean },
	) {
		this.chunking = source.chunking;
		this.report = new Report(source, window);
	}

	async chunkAll(): Promise<void> {
		for await (const { job, outcome } of this.fetch(this.jobs(), this.chunking)) {
			await this.step(async () => await this.take(job, outcome));
		}
		await this.isolate();
		await this.report.end();
	}

	private async *jobs(): AsyncGenerator<Job, void, undefined> {
		const { entries, sink, earlier } = this.source;
		yield* earlier;
		yield* submit(
			admitted(entries, sink, this.window),
			this.chunking,
			async (text, outcome) =>
				await this.step(async () => await this.report.notSubmitted(text, outcome)),
			this.window.textsPerRequest,
		);
	}

	/** Takes an outcome. If the window is then full of texts that are held back, submits these one by one. */
	private async step(take: () => Promise<void>): Promise<void> {
		let isTaken = false;
		try {
			await take();
			if (this.window.isCrowded) await this.isolate();
			isTaken = true;
		} finally {
			// Otherwise the reader would wait forever for room.
			if (!isTaken) this.window.close();
		}
	}

	private async take(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		this.isolation.isWorthIt ||= outcome.ok && outcome.response.type !== 'pending';
		if (outcome.ok || !this.canIsolate(job)) return await this.answer(job, outcome);
		this.held.push({ job, outcome });
		// From now on no equal request may add texts to it: the window would not know that they wait.
		this.chunking.jobs.close(job);
		this.window.wait(job.refs);
	}

	private async answer(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		await this.report.answer(job, outcome);
		this.source.answered(job);
	}

	/** Whether a job failed whose texts may be submitted again, without losing what it delivered. */
	private canIsolate({ state, refs }: Job): boolean {
		const { run, options } = this.chunking;
		const isWanted = this.isolation.isWanted && options.isolateFailingTexts;
		if (!isWanted || run.stopsOnFailure || run.ended) return false;
		return state.name === 'failed' && state.isRepeatable && refs.length > 1;
	}

	/**
	 * Submits the texts of failed requests again, each by itself, so that a bad one fails alone. A text that
	 * cannot be submitted again keeps the error and the chunking ID that it had.
	 */
	private async isolate(): Promise<void> {
		const held = this.held.splice(0);
		const { jobs, run } = this.chunking;
		if (!this.isolation.isWorthIt || run.ended) {
			for (const { job, outcome } of held) await this.answer(job, outcome);
			return;
		}
		const failed = new Map<TextEntry, (typeof held)[number]>();
		for (const one of held) {
			jobs.forget(one.job);
			for (const ref of one.job.refs) if (isEntry(ref)) failed.set(ref, one);
		}
		const keepError = async (text: TextEntry) => {
			const { job, outcome } = failed.get(text) ?? {};
			if (job && outcome) await this.report.answer({ ...job, refs: [text] }, outcome);
		};
		const singly = submit([[...failed.keys()]], this.chunking, keepError, 1);
		for await (const { job, outcome } of this.fetch(singly, this.chunking))
			await this.answer(job, outcome);
	}
}

const isEntry = (ref: Job['refs'][number]): ref is TextEntry => 'settings' in ref;
