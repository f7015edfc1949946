import { RunStats } from '../shared/sending/run-state';
import type { Run } from '../shared/run/run';
import { FileSink, type FileResult } from '../shared/output/file-sink';
import type { RecordFile } from '../shared/output/record-file';
import { stemOf } from '../shared/output/stored-file';
import { adviceToSkip } from '../shared/output/watermark';
import { withFiles, type FileReading } from '../shared/input/file-source';
import { UnusedFields } from '../shared/input/unused-fields';
import { chunkAll, TextMemory, type Operation } from './chunk-all';
import { recordTexts } from './input/record-texts';
import type { TextEntry } from './input/text-entry';
import type { Jobs } from './jobs/chunk-service';
import { Report } from './output/report';

interface TextFile extends FileReading<TextEntry> {
	operation: Operation;
	report: Report;
}

/**
 * Chunks the texts in the files of all input items. An item without a usable file fails. For each file, the node
 * returns one item with a summary. A hint replaces this item if the chunks are returned as items, the file was read to
 * its end, and nothing failed or caused a warning.
 */
export async function chunkFiles(operation: Operation): Promise<void> {
	const { task, service, hints } = operation;
	const { run, parameters, options, done } = task;
	const { jobs, session, submitting, fetching } = service;
	const returnsChunks = done === 'chunked';
	const memory = new TextMemory(jobs);
	const unusedFields = new UnusedFields();
	const readingOf = (file: RecordFile): TextFile => {
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
		const sink = new FileSink(run, file, options, result);
		const chunkFilePrefix = `${stemOf(file.name)}.chunks`;
		return {
			...recordTexts(task, file, unusedFields),
			sink,
			operation: {
				...operation,
				service: {
					...service,
					submitting: { ...submitting, stats },
					fetching: { ...fetching, stats },
				},
			},
			report: new Report(task, session, hints, sink, chunkFilePrefix, file.findings),
		};
	};
	await withFiles<TextEntry, TextFile>(
		{ run, parameters, options, overlaps: returnsChunks },
		readingOf,
		async ({ entries }, { operation, report }) =>
			await chunkAll(entries, operation, report, memory),
	);
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
