import { Window } from '../shared/flow/window';
import { FileReport } from '../shared/n8n/file-report';
import type { Run } from '../shared/n8n/run';
import { ChunkOutput } from './chunk-output';
import { TO_ITEMS } from './chunk-sink';
import { outcomeOfSubmission } from './fetch';
import { FileOutcomes } from './file-outcomes';
import { forEachFile, goOn, responseFiles, type TextFile } from './file-run';
import { fileTexts } from './file-texts';
import type { ChunkOptions, ChunkParameters } from './parameters';
import { submit } from './submit';

/** What is submitted needs no room any longer: requests in flight are bounded by Concurrency. */
const UNBOUNDED = { count: Infinity, bytes: Infinity };

/**
 * Submits the texts in the files of all input items, one file after the other. Each job gives one item,
 * from which Get Results can build documents, and each file one that sums it up.
 */
export async function submitFiles(
	run: Run,
	parameters: ChunkParameters,
	options: ChunkOptions,
): Promise<void> {
	await forEachFile(run, parameters, options, submitFile);
}

async function submitFile(source: TextFile): Promise<void> {
	const { chunking, file, itemIndex, hints } = source;
	const { run, parameters, options } = chunking;
	const window = new Window(UNBOUNDED);
	const responses = responseFiles(source);
	const report = new FileReport(run, file, {
		itemIndex,
		done: 'submitted',
		skip: parameters.number('options.skipRecords', itemIndex),
		bytesPerFile: options.bytesPerFile,
		goOn: (upTo) => goOn(chunking, upTo, 'Their items are'),
		responses,
	});
	const outcomes = new FileOutcomes(run, report, window, responses);
	const destination = { outcomes, sink: TO_ITEMS };
	const output = new ChunkOutput(
		run,
		parameters,
		options,
		'documents',
		destination,
		undefined,
		hints,
	);
	try {
		const texts = fileTexts(source, report, window, true);
		const jobs = submit(
			texts,
			chunking,
			async (text, outcome) => await output.notSubmitted(text, outcome),
		);
		for await (const job of jobs) {
			const outcome = outcomeOfSubmission(job, chunking);
			const isPending = outcome.ok && outcome.response.type === 'pending';
			if (isPending) outcomes.submitted(job);
			else await output.report(job, outcome);
			job.isOver = true;
			// Only its ID is needed from now on, and a file may have any number of jobs.
			job.refs.length = 0;
			delete job.response;
		}
		await output.end();
	} finally {
		report.close();
	}
}
