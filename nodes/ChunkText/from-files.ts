import { RunStats } from '../shared/sending/run-state';
import type { Run } from '../shared/run/run';
import { FileSink, type FileResult, type FileToRead } from '../shared/output/file-sink';
import { stemOf } from '../shared/output/stored-file';
import { adviceToSkip } from '../shared/output/watermark';
import { withFiles, type FileReading } from '../shared/input/file-source';
import { UnusedFields } from '../shared/input/unused-fields';
import { chunkAll, TextMemory, type Chunking, type Operation, type Work } from './chunk-all';
import { recordTexts } from './input/record-texts';
import type { TextEntry } from './input/text-entry';
import type { Jobs } from './jobs/chunk-service';
import { Report } from './output/report';

type TextFile = FileReading<TextEntry> & Chunking;

/**
 * Chunks the texts in the files of all input items. An item without a usable file fails. For each file, the node
 * returns one item with a summary. A hint replaces this item if the chunks are returned as items, the file was read to
 * its end, and nothing failed or caused a warning.
 */
export async function chunkFiles(
	{ task, service, hints }: Work,
	{ done, returnsChunks, overlapsFiles, waitForJob }: Operation,
): Promise<void> {
	const { run, parameters, options } = task;
	const { jobs } = service;
	const memory = new TextMemory(jobs);
	const unusedFields = new UnusedFields();
	const readingOf = (fileToRead: FileToRead): TextFile => {
		const stats = new RunStats(run.stats);
		const result: FileResult = {
			done,
			others: returnsChunks ? ['chunks'] : [],
			stats,
			adviceToContinue: (upTo) => {
				const lost = returnsChunks ? 'chunks' : 'chunking IDs';
				return adviceToContinue(run, jobs, upTo, stats.done > 0 ? lost : undefined);
			},
			// If the node stops at a later file, the error also names this file's jobs.
			noteAtEnd: () => jobs.progress(run.returnsNothing),
			...(returnsChunks &&
				options.outputTo === 'items' && { onSummary: (of) => hints.countFile(of) }),
		};
		const sink = new FileSink(run, fileToRead, options, result);
		const { name, findings } = fileToRead.file;
		const chunkFilePrefix = `${stemOf(name)}.chunks`;
		return {
			...recordTexts(task, fileToRead, unusedFields),
			sink,
			service: {
				...service,
				submitting: { ...service.submitting, stats },
				fetching: { ...service.fetching, stats },
			},
			waitForJob,
			report: new Report(task, service.session, hints, sink, chunkFilePrefix, findings),
			hints,
			memory,
		};
	};
	await withFiles<TextEntry, TextFile>({
		run,
		parameters,
		options,
		readingOf,
		use: async ({ entries }, file) => await chunkAll(entries, file),
		overlaps: overlapsFiles,
	});
	unusedFields.addTo(run);
}

/**
 * Returns advice for a run that ends early. The advice says how the user can get the remaining results of a
 * file. If results were lost, it also says why.
 *
 * @param output what the successful records would have returned, or undefined if no record succeeded
 */
function adviceToContinue(run: Run, jobs: Jobs, upTo: number, output: string | undefined): string {
	// While the run continues, the failure's message appears only in n8n's log. Advice would be of no use there.
	if (!run.ended) return '';
	if (!run.stopsOnFailure && !run.signal.aborted) return adviceToSkip(upTo);
	const why = run.signal.aborted
		? 'the execution was canceled.'
		: "the node stopped. To get them, set 'On Error' to 'Continue'.";
	const lost = output === undefined ? '' : `The ${output} were not returned, because ${why}`;
	return [lost, jobs.progress(run.returnsNothing)].filter(Boolean).join(' ');
}
