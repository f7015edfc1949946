import type { IDataObject } from 'n8n-workflow';

import type { Outcome } from '../../shared/flow/deliver';
import { PartFiles, stemOf } from '../../shared/n8n/sinks/part-files';
import { NOTHING_KEPT } from '../../shared/n8n/sources/previous-tries';
import type { RecordFile } from '../../shared/n8n/sources/record-file';
import { skipAnswered } from '../../shared/n8n/sinks/record-tally';
import type { Run } from '../../shared/n8n/run/run';
import {
	withAllFiles,
	type FileReading,
	type FileSourceParameters,
	type OpenSource,
} from '../../shared/n8n/sources/source';
import { sinkOf } from '../chunks/chunk-files';
import { ChunkHints } from '../chunks/hints';
import { ChunkOutput } from '../chunks/report';
import { fetchAll } from '../fetch/fetch';
import { FileOutcomes } from '../chunks/file-outcomes';
import { admitted, textReading, type FileText } from '../texts/file-texts';
import { canIsolate, isolated, type FailedJob } from '../fetch/isolation';
import type { Fetched } from '../fetch/finding';
import type { Job } from '../submit/job';
import { countedLines, openChunking, type Chunking } from '../submit/chunking';
import type { ChunkOptions, ChunkParameters } from '../parameters';
import { readScope, readSettings } from '../texts/settings';
import { hintAtRegexes, submit } from '../submit/submit';
import { TextWindow } from '../texts/text-window';

/** Maximum of chunking IDs listed in the output; the others are only counted. */
const MAX_IDS_LISTED = 100;

/** How a file is read whose texts are to be chunked. */
export interface TextFile extends FileReading<FileText> {
	chunking: Chunking;
	file: RecordFile;
	hints: ChunkHints;
	/** Responses with data that no text could take. */
	responses: PartFiles;
	unfinished: UnfinishedJobs;
}

/** A file whose texts are being chunked. */
export type TextSource = OpenSource<FileText, TextFile>;

/**
 * Chunks the texts in the files of all input items. No more texts are held than one window has room
 * for, whatever the number and the length of the files; see docs/chunk-text.md, Texts from a file. Each
 * file gives its chunks and one item that sums it up.
 */
export async function chunkFiles(
	run: Run,
	parameters: ChunkParameters,
	options: ChunkOptions,
): Promise<void> {
	// A text of a file that has not finished in time is a failed record.
	const all = { ...options, whenTimeRunsOut: 'fail' as const };
	const words = { done: 'chunked', output: 'Their chunks' };
	const withDocuments = parameters.choice('output') === 'documents';
	const window = new TextWindow(options);
	const isolation = { isWorthIt: false };
	// Otherwise a text would wait for the answer to another one that nobody awaits any longer.
	const stopListening = run.onEnd(() => window.close());
	if (run.ended) window.close();
	await forEachFile(
		run,
		parameters,
		all,
		{ words, withDocuments },
		withAllFiles,
		async (source) => {
			await new FileChunking(source, window, isolation).chunk();
		},
	).finally(stopListening);
}

/**
 * Handles the files of all input items. An item without a usable file fails.
 *
 * @param withEach whether one after the other (`withFiles`), or several at once (`withAllFiles`)
 */
export async function forEachFile(
	run: Run,
	parameters: ChunkParameters & FileSourceParameters,
	options: ChunkOptions,
	{ words, withDocuments }: { words: Words; withDocuments: boolean },
	withEach: typeof withAllFiles,
	handle: (source: TextSource) => Promise<void>,
): Promise<void> {
	const hints = new ChunkHints();
	const regexes = new Set<unknown>();
	let before: Chunking | undefined;
	const hasOneScope = await haveOneScope(run, parameters);
	const readingOf = async (itemIndex: number, file: RecordFile): Promise<TextFile> => {
		const settings = readSettings(parameters, itemIndex);
		const { regex } = settings.chunkerConfig;
		if (!regexes.has(regex)) hintAtRegexes([{ settings }], { run });
		regexes.add(regex);
		const opened = await openChunking(run, parameters, options, [settings.scope], before);
		before ??= opened;
		const { stats, ...lines } = countedLines(opened);
		// Memory must not grow with the file.
		const kept = { accepted: NOTHING_KEPT, responses: NOTHING_KEPT, lost: NOTHING_KEPT };
		const chunking = { ...opened, ...lines, ...kept, hasOneScope };
		const reading = textReading(chunking, itemIndex, settings, withDocuments);
		const responses = responseFiles(run, file, options);
		const unfinished = new UnfinishedJobs();
		const sink = {
			done: words.done,
			bytesPerFile: options.bytesPerFile,
			others: words.done === 'chunked' ? ['chunks'] : [],
			stats,
			goOn: (upTo: number) => goOn(chunking, upTo, words.output),
			// A node that stops later names the jobs of the files before.
			atEnd: () => chunking.jobs.progress(),
			details: () => unfinished.details(),
			responses,
		};
		return { ...reading, sink, chunking, file, hints, responses, unfinished };
	};
	await withEach<FileText, TextFile>(run, parameters, options, readingOf, handle);
	hints.addTo(run);
}

/** Whether all items have the same scope; one that cannot be read fails with its file. */
async function haveOneScope(run: Run, parameters: ChunkParameters): Promise<boolean> {
	const scopes = new Set<string>();
	for await (const [itemIndex] of run.eachItem()) {
		try {
			scopes.add(readScope(parameters, itemIndex));
		} catch {
			continue;
		}
	}
	return scopes.size < 2;
}

/** The words for what was done to a text, and for what the node returns for it. */
interface Words {
	done: string;
	output: string;
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
	private readonly output: ChunkOutput;
	/** Requests that failed, whose texts may be submitted again one by one. */
	private held: FailedJob[] = [];
	private readonly chunking: Chunking;
	private readonly file: TextFile;

	constructor(
		private readonly source: TextSource,
		private readonly window: TextWindow,
		/** Whether any request of the run has succeeded: only then are texts of failed ones submitted again. */
		private readonly isolation: { isWorthIt: boolean },
	) {
		this.file = source.reading;
		const { chunking, file: opened, hints, responses } = this.file;
		const { run, parameters, options } = chunking;
		this.chunking = chunking;
		const outcomes = new FileOutcomes(run, source.sink, responses);
		const sink = sinkOf(chunking, `${stemOf(opened.name)}.chunks`);
		const mode = parameters.choice('output');
		const destination = { jobs: chunking.jobs, outcomes, sink, window };
		this.output = new ChunkOutput(
			run,
			parameters,
			options,
			mode,
			destination,
			undefined,
			hints,
		);
	}

	async chunk(): Promise<void> {
		const { chunking, window, output, source } = this;
		const jobs = submit(
			admitted(source.entries, source.sink, window),
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
		this.isolation.isWorthIt ||= outcome.ok;
		if (outcome.ok || !canIsolate(job, this.chunking)) return await this.answer(job, outcome);
		this.held.push({ job, outcome });
		// No other request with its chunking ID may add texts that the window does not know to wait.
		this.chunking.jobs.close(job);
		this.window.wait(job.refs);
	}

	private async answer(job: Job, outcome: Parameters<ChunkOutput['report']>[1]): Promise<void> {
		const { run, jobs } = this.chunking;
		await this.output.report(job, outcome);
		const isUnfinished = job.state.name === 'not finished';
		// Memory must not grow with the file. Once the run has ended, nothing more comes.
		if (!isUnfinished || !run.ended) jobs.forget(job);
		if (isUnfinished) this.file.unfinished.add(job.chunkingId);
	}

	/** Submits the texts of failed requests one by one, if any other request has succeeded. */
	private async isolate(): Promise<void> {
		const { chunking, output } = this;
		const held = this.held.splice(0);
		if (!this.isolation.isWorthIt || chunking.run.ended) {
			for (const { job, outcome } of held) await this.answer(job, outcome);
			return;
		}
		for (const { job } of held) chunking.jobs.forget(job);
		for await (const { job, outcome } of isolated(held, chunking, output)) {
			await this.answer(job, outcome);
		}
	}
}

/** Responses to the texts of a file that could not be used: the service may not deliver them again. */
const responseFiles = (run: Run, { name }: RecordFile, { bytesPerFile }: ChunkOptions): PartFiles =>
	new PartFiles(run, {
		field: 'responses',
		stem: stemOf(name),
		extension: 'jsonl',
		mimeType: 'application/x-ndjson',
		maxBytes: bytesPerFile,
	});

/** What a run that ends early has returned of a file, and what can be done about the rest. */
function goOn({ run, jobs }: Chunking, upTo: number, output: string): string {
	// It is being read: n8n's log only says how far.
	if (!run.ended) return '';
	if (!run.stopsOnFailure && !run.signal.aborted) return skipAnswered(upTo);
	const why = run.signal.aborted
		? 'the execution was canceled.'
		: "the node stopped: set 'On Error' to 'Continue'.";
	return [`${output} were not returned, because ${why}`, jobs.progress()]
		.filter(Boolean)
		.join(' ');
}
