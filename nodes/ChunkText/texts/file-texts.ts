import type { IDataObject } from 'n8n-workflow';

import { stemOf } from '../../shared/n8n/sinks/part-files';
import { skipAnswered } from '../../shared/n8n/sinks/record-tally';
import type { RecordFile } from '../../shared/n8n/sources/record-file';
import { openFiles, type FileReading, type withAllFiles } from '../../shared/n8n/sources/source';
import { countedLines, type Chunking, type TextSource } from '../submit/chunking';
import type { Job } from '../submit/job';
import { textReading } from './record-texts';
import { hintAtRegexes, readSettings } from './settings';
import type { TextEntry } from './text';
import { CHUNK_AS_ONE_TEXT } from './text-in-file';

/** Maximum of chunking IDs listed in the output; the others are only counted. */
const MAX_IDS_LISTED = 100;

/** What an operation does with the texts of files. */
export interface FileWork {
	/** What becomes of a text, as a member of the summary. */
	done: 'chunked' | 'submitted';
	/** What is returned for it, for messages. */
	output: string;
	/** Whether records have documents. */
	withDocuments: boolean;
	/** Whether the files are read one after the other (`withFiles`), or several at once (`withAllFiles`). */
	withEach: typeof withAllFiles;
}

/** How a file is read whose texts are to be chunked. */
interface TextFile extends FileReading<TextEntry> {
	source: Pick<TextSource, 'chunking' | 'earlier' | 'name' | 'answered'>;
}

/**
 * The texts of each file of all input items as a source. An item without a usable file fails. Each file
 * gives one item that sums it up.
 */
export async function withFileTexts(
	whole: Chunking,
	work: FileWork,
	use: (source: TextSource) => Promise<void>,
): Promise<void> {
	const { run, parameters, options } = whole;
	const regexes = new Set<unknown>();
	const readingOf = (itemIndex: number, { name }: RecordFile): TextFile => {
		const settings = readSettings(parameters, itemIndex);
		const { regex } = settings.chunkerConfig;
		if (!regexes.has(regex)) hintAtRegexes([{ settings }], run);
		regexes.add(regex);
		return {
			...textReading(whole, itemIndex, settings, work.withDocuments),
			...accounting(whole, work, name),
		};
	};
	const how = { ...options, asOneText: CHUNK_AS_ONE_TEXT };
	const files = openFiles<TextEntry, TextFile>(run, parameters, how, readingOf);
	await work.withEach(
		run,
		files,
		async (source) => await use({ ...source, ...source.reading.source }),
	);
}

/** Counts the requests and jobs of a file, for its summary. */
function accounting(
	whole: Chunking,
	{ done, output }: FileWork,
	name: string,
): Pick<TextFile, 'source' | 'sink'> {
	const { run, jobs } = whole;
	const { stats, ...lines } = countedLines(whole);
	const unfinished = new UnfinishedJobs();
	const isSubmitted = done === 'submitted';
	const answered = (job: Job) => {
		const isUnfinished = job.state.name === 'not finished';
		if (isUnfinished && !isSubmitted) unfinished.add(job.chunkingId);
		// Memory must not grow with the file. A run that ends now names what can still be fetched.
		if (isSubmitted || (isUnfinished && run.ended)) jobs.keepId(job);
		else jobs.forget(job);
	};
	const chunking = { ...whole, ...lines };
	return {
		source: { chunking, earlier: [], name: `${stemOf(name)}.chunks`, answered },
		sink: {
			done,
			others: isSubmitted ? [] : ['chunks'],
			stats,
			goOn: (upTo: number) => goOn(whole, upTo, stats.done > 0 ? output : undefined),
			// A node that stops later names the jobs of the files before.
			atEnd: () => jobs.progress(),
			details: () => unfinished.json(),
		},
	};
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
	json(): IDataObject {
		const { ids, others } = this;
		if (ids.length === 0) return {};
		return {
			unfinishedChunkingIds: ids,
			...(others > 0 && { moreUnfinishedChunkingIds: others }),
		};
	}
}

/**
 * What a run that ends early has returned of a file, and what can be done about the rest.
 *
 * @param output of the records that succeeded; undefined if none did
 */
function goOn({ run, jobs }: Chunking, upTo: number, output: string | undefined): string {
	// For n8n's log, which only says how far the file was read.
	if (!run.ended) return '';
	if (!run.stopsOnFailure && !run.signal.aborted) return skipAnswered(upTo);
	const why = run.signal.aborted
		? 'the execution was canceled.'
		: "the node stopped: set 'On Error' to 'Continue'.";
	const lost = output === undefined ? '' : `${output} were not returned, because ${why}`;
	return [lost, jobs.progress()].filter(Boolean).join(' ');
}
