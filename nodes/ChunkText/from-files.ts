import { RunStats } from '../shared/flow/run-state';
import type { Run } from '../shared/n8n/run/run';
import { FileSink, type FileResult, type FileToRead } from '../shared/n8n/sinks/file-sink';
import { adviceToSkip } from '../shared/n8n/sinks/watermark';
import { withFiles, type FileReading } from '../shared/n8n/sources/file-source';
import { UnusedFields } from '../shared/n8n/sources/unused-fields';
import type { Jobs } from './jobs/chunk-service';
import { RecentIds } from '../shared/records/recent-ids';
import { recordTexts } from './input/record-texts';
import type { TextEntry } from './input/text';
import { chunkAll, newBudget, type TextSource, type Work } from './chunk-all';
import { stemOf } from '../shared/n8n/sinks/stored-file';

interface TextFile extends FileReading<TextEntry> {
	work: Work;
	source: TextSource;
}

/**
 * Chunks the texts in the files of all input items. An item without a usable file fails. For each file, the node
 * returns one item with a summary. If the chunks are returned as items and nothing failed, a hint replaces the summary
 * item.
 *
 * @param done name of the summary field for the number of successful texts. The name also selects the mode. With
 *   `chunked`, the node opens the next file while it waits for chunks
 */
export async function chunkFiles(work: Work, done: 'chunked' | 'submitted'): Promise<void> {
	const { run, parameters, options, jobs, hints } = work;
	const isSubmitted = done === 'submitted';
	const budget = newBudget();
	const ids = new RecentIds();
	const unusedFields = new UnusedFields();
	const readingOf = (fileToRead: FileToRead): TextFile => {
		const stats = new RunStats(run.stats);
		const result: FileResult = {
			done,
			others: isSubmitted ? [] : ['chunks'],
			stats,
			adviceToContinue: (upTo) =>
				adviceToContinue(run, jobs, upTo, stats.done > 0 ? done : undefined),
			// If the node stops at a later file, the error also names this file's jobs.
			noteAtEnd: () => jobs.progress(run.returnsNothing),
			...(!isSubmitted &&
				options.outputTo === 'items' && { onSummary: (of) => hints.addFile(of) }),
		};
		const sink = new FileSink(run, fileToRead, options, result);
		const workOfFile = {
			...work,
			submitting: { ...work.submitting, stats },
			fetching: { ...work.fetching, stats },
		};
		const source: TextSource = {
			sink,
			findings: fileToRead.file.findings,
			name: `${stemOf(fileToRead.file.name)}.chunks`,
			budget,
			onReported: (job) => {
				// Finished jobs are dropped so that memory use does not grow with the size of the file. A job that has
				// not ended is kept without its texts. If the run ends early, the error can then name the job.
				jobs.delete(job);
				if (job.ended === undefined)
					jobs.add({ ...job, texts: [], unusedResponse: undefined });
			},
		};
		return {
			...recordTexts(work, fileToRead, { ids, unusedFields }),
			sink,
			work: workOfFile,
			source,
		};
	};
	await withFiles<TextEntry, TextFile>({
		run,
		parameters,
		options,
		readingOf,
		use: async ({ entries }, { work, source }) => await chunkAll(entries, work, source),
		overlaps: !isSubmitted,
	});
	unusedFields.addTo(run);
}

/**
 * Returns advice for a run that ends early. The advice says how the user can get the remaining results of a
 * file. If results were lost, it also says why.
 *
 * @param done what happened to the successful records, or undefined if no record succeeded
 */
function adviceToContinue(
	run: Run,
	jobs: Jobs,
	upTo: number,
	done?: 'chunked' | 'submitted',
): string {
	// While the run continues, the failure's message appears only in n8n's log. Advice would be of no use there.
	if (!run.ended) return '';
	if (!run.stopsOnFailure && !run.signal.aborted) return adviceToSkip(upTo);
	const output = done === 'submitted' ? 'chunking IDs' : 'chunks';
	const why = run.signal.aborted
		? 'the execution was canceled.'
		: "the node stopped. To get them, set 'On Error' to 'Continue'.";
	const lost = done === undefined ? '' : `The ${output} were not returned, because ${why}`;
	return [lost, jobs.progress(run.returnsNothing)].filter(Boolean).join(' ');
}
