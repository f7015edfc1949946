import type { IDataObject } from 'n8n-workflow';

import type { Outcome } from '../shared/flow/deliver';
import { Window, type WindowLimits } from '../shared/flow/window';
import { stemOf } from '../shared/n8n/dead-letters';
import { FileReport } from '../shared/n8n/file-report';
import { openItemFile, type RecordFile } from '../shared/n8n/record-file';
import { skipAnswered } from '../shared/n8n/record-tally';
import type { Run } from '../shared/n8n/run';
import type { ChunkSettings } from '../shared/service/chunking';
import { sinkOf } from './chunk-files';
import { ChunkHints } from './chunk-hints';
import { ChunkOutput } from './chunk-output';
import { fetchAll, type Fetched } from './fetch';
import { FileOutcomes } from './file-outcomes';
import { fileTexts, isFileText } from './file-texts';
import { canIsolate, isolated, type FailedJob } from './isolation';
import { openChunking, progressOf, type Chunking, type Job } from './jobs';
import type { ChunkOptions, ChunkParameters } from './parameters';
import { ResponseFiles } from './response-files';
import { readSettings } from './settings';
import { hintAtRegexes, submit } from './submit';

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
	await forEachFile(run, parameters, all, async (file) => await new FileChunking(file).chunk());
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

/** The limits of a window in which at least one request and the texts it is filled with have room. */
function limitsOf(options: ChunkOptions): WindowLimits & { textsPerRequest: number } {
	const count = options.textsInFlight;
	return {
		count,
		bytes: Math.max(options.bytesInFlight, 2 * options.bytesPerRequest),
		textsPerRequest: Math.min(options.textsPerRequest, count - 1),
	};
}

/** Chunks the texts of one file. */
class FileChunking {
	private readonly limits;
	private readonly window: Window;
	private readonly report: FileReport;
	private readonly output: ChunkOutput;
	/** Requests that failed, whose texts may be submitted again one by one. */
	private held: FailedJob[] = [];
	private hasSucceeded = false;
	/** Chunking IDs of jobs that have not finished. */
	private readonly unfinished = { ids: [] as string[], others: 0 };
	private readonly chunking: Chunking;
	constructor(private readonly source: TextFile) {
		const { chunking, file, itemIndex, hints } = source;
		const { run, parameters, options } = chunking;
		this.chunking = chunking;
		this.limits = limitsOf(options);
		this.window = new Window(this.limits);
		const responses = responseFiles(source);
		this.report = new FileReport(run, file, {
			itemIndex,
			done: 'chunked',
			skip: parameters.number('options.skipRecords', itemIndex),
			bytesPerFile: options.bytesPerFile,
			goOn: (upTo) => goOn(chunking, upTo, 'Their chunks are'),
			details: () => this.details(),
			responses,
		});
		const outcomes = new FileOutcomes(run, this.report, this.window, responses);
		const sink = sinkOf(chunking, `${stemOf(file.name)}.chunks`);
		const mode = parameters.choice('output');
		const destination = { outcomes, sink };
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
		const { chunking, report, window, output, source } = this;
		const withDocuments = chunking.parameters.choice('output') === 'documents';
		try {
			const texts = fileTexts(source, report, window, withDocuments);
			const jobs = submit(
				texts,
				chunking,
				async (text, outcome) => await output.notSubmitted(text, outcome),
				this.limits.textsPerRequest,
			);
			for await (const { job, outcome } of fetchAll(jobs, chunking)) {
				await this.take(job, outcome);
			}
			await this.isolate();
			await output.end();
		} finally {
			report.close();
		}
	}

	private async take(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		let isTaken = false;
		try {
			this.hasSucceeded ||= outcome.ok;
			if (!outcome.ok && canIsolate(job, this.chunking)) this.held.push({ job, outcome });
			else await this.answer(job, outcome);
			if (this.isCrowded()) await this.isolate();
			isTaken = true;
		} finally {
			// Otherwise the reader would wait for room, and nobody would make any.
			if (!isTaken) this.window.close();
		}
	}

	private async answer(job: Job, outcome: Parameters<ChunkOutput['report']>[1]): Promise<void> {
		const { run, jobs } = this.chunking;
		await this.output.report(job, outcome);
		const isUnfinished = job.state === 'not finished';
		// Memory must not grow with the file. Once the run has ended, nothing more comes.
		if (!isUnfinished || !run.ended) jobs.delete(job.chunkingId);
		if (!isUnfinished) return;
		if (this.unfinished.ids.length < MAX_IDS_LISTED) this.unfinished.ids.push(job.chunkingId);
		else this.unfinished.others++;
	}

	/** Whether the texts that are held leave too little room to fill a request. */
	private isCrowded(): boolean {
		const texts = this.held.flatMap(({ job }) => job.refs.filter(isFileText));
		const bytes = texts.reduce((sum, text) => sum + text.bytes, 0);
		return (
			texts.length + this.limits.textsPerRequest >= this.limits.count ||
			bytes + this.chunking.options.bytesPerRequest >= this.limits.bytes
		);
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

	private details(): IDataObject {
		const { ids, others } = this.unfinished;
		if (ids.length === 0) return {};
		return {
			unfinishedChunkingIds: ids,
			...(others > 0 && { moreUnfinishedChunkingIds: others }),
		};
	}
}

/** Files for the responses to the texts of a file that could not be used. */
export const responseFiles = ({ chunking, file }: TextFile): ResponseFiles =>
	new ResponseFiles(chunking.run.context, stemOf(file.name), chunking.options.bytesPerFile);

/** How to continue if the run ends now: a node that stops does not return what it had done. */
export function goOn({ run, jobs }: Chunking, upTo: number, output: string): string {
	if (run.ended && !run.stopsOnFailure && !run.signal.aborted) return skipAnswered(upTo);
	const ids = progressOf(jobs);
	return `${output} returned only if the node does not stop before the end of the file${ids === '' ? '' : `. ${ids}`}`;
}
