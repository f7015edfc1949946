import type { IDataObject } from 'n8n-workflow';

import type { Outcome } from '../shared/flow/deliver';
import { stemOf } from '../shared/n8n/dead-letters';
import { FileReport, type FileReportOptions } from '../shared/n8n/file-report';
import { openItemFile, type RecordFile } from '../shared/n8n/record-file';
import { skipAnswered } from '../shared/n8n/record-tally';
import type { Run } from '../shared/n8n/run';
import type { ChunkSettings } from '../shared/service/chunking';
import { sinkOf } from './chunk-files';
import { ChunkHints } from './chunk-hints';
import { ChunkOutput } from './chunk-output';
import { fetchAll, type Fetched } from './fetch';
import { FileOutcomes } from './file-outcomes';
import { fileTexts } from './file-texts';
import { canIsolate, isolated, type FailedJob } from './isolation';
import { openChunking, progressOf, type Chunking, type Job } from './jobs';
import type { ChunkOptions, ChunkParameters } from './parameters';
import { ResponseFiles } from './response-files';
import { readSettings } from './settings';
import { hintAtRegexes, submit } from './submit';
import { TextWindow } from './text-window';

/** Maximum of chunking IDs listed in the output; the others are only counted. */
const MAX_IDS_LISTED = 100;

/** A file whose texts are to be chunked. */
export interface TextFile {
	chunking: Chunking;
	file: RecordFile;
	itemIndex: number;
	settings: ChunkSettings;
	hints: ChunkHints;
}

/**
 * Chunks the texts in the files of all input items, one file after the other. No more of a file is
 * held than the window of texts in flight, whatever its length; see docs/chunk-text.md, Texts from a
 * file. Each file gives its chunks and one item that sums it up.
 */
export async function chunkFiles(
	run: Run,
	parameters: ChunkParameters,
	options: ChunkOptions,
): Promise<void> {
	// A text of a file that has not finished in time is a failed record.
	const all = { ...options, whenTimeRunsOut: 'fail' as const };
	await forEachFile(run, parameters, all, chunkFile);
}

/** Opens the files of all input items, one after the other. An item without a usable file fails. */
export async function forEachFile(
	run: Run,
	parameters: ChunkParameters,
	options: ChunkOptions,
	handle: (file: TextFile) => Promise<void>,
): Promise<void> {
	const hints = new ChunkHints();
	const regexes = new Set<unknown>();
	const jobs = new Map<string, Job>();
	for (const itemIndex of run.items.keys()) {
		if (run.ended) break;
		let file: RecordFile | undefined;
		try {
			const settings = readSettings(parameters, itemIndex);
			const { regex } = settings.chunkerConfig;
			if (!regexes.has(regex)) hintAtRegexes([{ settings }], { run });
			regexes.add(regex);
			const scopes = [settings.scope];
			const chunking = await openChunking(run, parameters, options, scopes, jobs);
			file = await openItemFile(run, parameters, options, itemIndex);
			await handle({ chunking, file, itemIndex, settings, hints });
			if (!run.ended) addProgress(run, jobs);
		} catch (error) {
			run.refuse(itemIndex, error);
		} finally {
			file?.close();
		}
	}
	hints.addTo(run);
}

/** Names the jobs of a file that was processed, in case the run stops at a later one. */
function addProgress(run: Run, jobs: ReadonlyMap<string, Job>): void {
	const { progress } = run;
	run.progress = () => [progress(), progressOf(jobs)].filter(Boolean).join(' ');
}

/** Accounts for a file while `use` handles it; `output`: how messages call what it returns. */
export async function withReport(
	{ chunking, file, itemIndex }: TextFile,
	how: Pick<FileReportOptions, 'done' | 'responses' | 'details'> & { output: string },
	use: (report: FileReport) => Promise<void>,
): Promise<void> {
	const { run, parameters, options } = chunking;
	const { output, ...others } = how;
	const report = new FileReport(run, file, {
		...others,
		itemIndex,
		skip: parameters.number('options.skipRecords', itemIndex),
		bytesPerFile: options.bytesPerFile,
		goOn: (upTo) => goOn(chunking, upTo, output),
	});
	try {
		await use(report);
	} finally {
		report.close();
	}
}

async function chunkFile(source: TextFile): Promise<void> {
	const responses = responseFiles(source);
	const unfinished = new UnfinishedJobs();
	const details = () => unfinished.details();
	const how = { done: 'chunked', output: 'Their chunks are', responses, details };
	await withReport(source, how, async (report) => {
		const outcomes = new FileOutcomes(source.chunking.run, report, responses);
		await new FileChunking(source, report, outcomes, unfinished).chunk();
	});
}

/** Chunking IDs of jobs that have not finished. */
class UnfinishedJobs {
	private readonly ids: string[] = [];
	private others = 0;

	add(chunkingId: string): void {
		if (this.ids.length < MAX_IDS_LISTED) this.ids.push(chunkingId);
		else this.others++;
	}

	/** Members of the summary. */
	details(): IDataObject {
		const { ids, others } = this;
		if (ids.length === 0) return {};
		return {
			unfinishedChunkingIds: ids,
			...(others > 0 && { moreUnfinishedChunkingIds: others }),
		};
	}
}

/** Chunks the texts of one file. */
class FileChunking {
	private readonly window: TextWindow;
	private readonly output: ChunkOutput;
	/** Requests that failed, whose texts may be submitted again one by one. */
	private held: FailedJob[] = [];
	private hasSucceeded = false;
	private readonly chunking: Chunking;

	constructor(
		private readonly source: TextFile,
		private readonly report: FileReport,
		outcomes: FileOutcomes,
		private readonly unfinished: UnfinishedJobs,
	) {
		const { chunking, file, hints } = source;
		const { run, parameters, options } = chunking;
		this.chunking = chunking;
		this.window = new TextWindow(options);
		const sink = sinkOf(chunking, `${stemOf(file.name)}.chunks`);
		const mode = parameters.choice('output');
		const destination = { outcomes, sink, window: this.window };
		this.output = new ChunkOutput(
			run,
			parameters,
			options,
			mode,
			destination,
			undefined,
			hints,
		);
		this.report.others.chunks = 0;
	}

	async chunk(): Promise<void> {
		const { run } = this.chunking;
		// Otherwise a text would wait for the answer to another one that nobody awaits any longer.
		const stopListening = run.onEnd(() => this.window.close());
		if (run.ended) this.window.close();
		try {
			await this.chunkAll();
		} finally {
			stopListening();
		}
	}

	private async chunkAll(): Promise<void> {
		const { chunking, report, window, output, source } = this;
		const withDocuments = chunking.parameters.choice('output') === 'documents';
		const jobs = submit(
			fileTexts(source, report, withDocuments, window),
			chunking,
			async (text, outcome) =>
				await this.step(async () => await output.notSubmitted(text, outcome)),
			window.textsPerRequest,
		);
		for await (const { job, outcome } of fetchAll(jobs, chunking)) {
			await this.step(async () => await this.take(job, outcome));
		}
		await this.isolate();
		await output.end();
	}

	/** Does something by which texts that are held may come to be all that the window has room for. */
	private async step(take: () => Promise<void>): Promise<void> {
		let isTaken = false;
		try {
			await take();
			if (this.window.isCrowded) await this.isolate();
			isTaken = true;
		} finally {
			// Otherwise the reader would wait for room, and nobody would make any.
			if (!isTaken) this.window.close();
		}
	}

	private async take(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		this.hasSucceeded ||= outcome.ok;
		if (outcome.ok || !canIsolate(job, this.chunking)) return await this.answer(job, outcome);
		this.held.push({ job, outcome });
		// No other request with its chunking ID may add texts that the window does not know to wait.
		job.isOver = true;
		this.window.wait(job.refs);
	}

	private async answer(job: Job, outcome: Parameters<ChunkOutput['report']>[1]): Promise<void> {
		const { run, jobs } = this.chunking;
		await this.output.report(job, outcome);
		const isUnfinished = job.state === 'not finished';
		// Memory must not grow with the file. Once the run has ended, nothing more comes.
		if (!isUnfinished || !run.ended) jobs.delete(job.chunkingId);
		if (isUnfinished) this.unfinished.add(job.chunkingId);
	}

	/** Submits the texts of failed requests one by one, if any other request has succeeded. */
	private async isolate(): Promise<void> {
		const { chunking, output } = this;
		const held = this.held.splice(0);
		if (!this.hasSucceeded || chunking.run.ended) {
			for (const { job, outcome } of held) await this.answer(job, outcome);
			return;
		}
		for (const { job } of held) chunking.jobs.delete(job.chunkingId);
		for await (const { job, outcome } of isolated(held, chunking, output)) {
			await this.answer(job, outcome);
		}
	}
}

/** Files for the responses to the texts of a file that could not be used. */
export const responseFiles = ({ chunking, file }: TextFile): ResponseFiles =>
	new ResponseFiles(chunking.run.context, stemOf(file.name), chunking.options.bytesPerFile);

/** How to continue if the run ends now: a node that stops does not return what it had done. */
function goOn({ run, jobs }: Chunking, upTo: number, output: string): string {
	if (run.ended && !run.stopsOnFailure && !run.signal.aborted) return skipAnswered(upTo);
	const ids = progressOf(jobs);
	return `${output} returned only if the node does not stop before the end of the file${ids === '' ? '' : `. ${ids}`}`;
}
