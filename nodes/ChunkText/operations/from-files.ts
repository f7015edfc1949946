import { RunStats } from '../../shared/flow/run-state';
import type { Run } from '../../shared/n8n/run/run';
import { FileSink, type FileResult, type FileToRead } from '../../shared/n8n/sinks/file-sink';
import { stemOf } from '../../shared/n8n/sinks/failed-records';
import { skipAnswered } from '../../shared/n8n/sinks/watermark';
import { withFiles, type FileReading } from '../../shared/n8n/sources/file-source';
import { countedService, type ChunkService, type Job, type Jobs } from '../submit/service';
import { recordTexts } from '../texts/record-texts';
import type { TextEntry } from '../texts/text';
import { ChunkRun, type Work } from './chunk-texts';
import { Room } from './room';

/** How a file is read whose texts are to be chunked. */
interface TextFile extends FileReading<TextEntry> {
	/** What the names of files with its chunks begin with. */
	name: string;
	service: ChunkService;
	answered: (job: Job) => void;
}

/**
 * Chunks the texts of the files of all input items. An item without a usable file fails. Each file gives
 * one item that sums it up; if its chunks are items and nothing failed, a hint says it.
 *
 * @param done what becomes of a text, as a member of the summary: chunks of several files are waited for at once
 */
export async function chunkFiles(work: Work, done: 'chunked' | 'submitted'): Promise<void> {
	const { task, hints } = work;
	const { run, parameters, options } = task;
	const { jobs } = work.service;
	const isSubmitted = done === 'submitted';
	const readingOf = (origin: FileToRead): TextFile => {
		const stats = new RunStats(run.stats);
		const result: FileResult = {
			done,
			others: isSubmitted ? [] : ['chunks'],
			stats,
			goOn: (upTo) => goOn(run, jobs, upTo, stats.done > 0),
			// A node that stops later names the jobs of the files before.
			atEnd: () => jobs.progress(),
			...(!isSubmitted && options.outputTo === 'items' && { summed: (of) => hints.file(of) }),
		};
		return {
			...recordTexts(task, origin.itemIndex),
			name: `${stemOf(origin.file.name)}.chunks`,
			service: countedService(work.service, stats),
			answered: (job) => {
				// Memory must not grow with the file. A run that ends names what can still be fetched.
				jobs.delete(job);
				if (job.ended === undefined) jobs.add({ ...job, refs: [] });
			},
			sink: new FileSink(run, origin, options, result),
		};
	};
	// What was submitted needs no room, and Concurrency bounds what is in flight.
	const room = isSubmitted ? {} : { room: new Room() };
	await withFiles<TextEntry, TextFile>({
		run,
		parameters,
		options,
		readingOf,
		use: async ({ entries, sink }, { name, service, answered }) => {
			const source = { entries, sink, earlier: [], name, answered, ...room };
			await new ChunkRun({ ...work, service }, source).chunkAll();
		},
		overlaps: !isSubmitted,
	});
}

/**
 * What a run that ends early has returned of a file, and what can be done about the rest.
 *
 * @param hasDone whether any record succeeded
 */
function goOn(run: Run, jobs: Jobs, upTo: number, hasDone: boolean): string {
	// For n8n's log, which only says how far the file was read.
	if (!run.ended) return '';
	if (!run.stopsOnFailure && !run.signal.aborted) return skipAnswered(upTo);
	const why = run.signal.aborted
		? 'the execution was canceled.'
		: "the node stopped: set 'On Error' to 'Continue'.";
	const lost = hasDone ? `Their output was not returned, because ${why}` : '';
	return [lost, jobs.progress()].filter(Boolean).join(' ');
}
