import type { Run } from '../../shared/n8n/run/run';
import { flat } from '../../shared/flow/slices';
import { withFiles } from '../../shared/n8n/sources/source';
import { ChunkOutput } from '../chunks/report';
import { TO_ITEMS } from '../chunks/chunk-sink';
import { outcomeOfSubmission } from '../fetch/fetch';
import { FileOutcomes } from '../chunks/file-outcomes';
import { forEachFile, type TextSource } from '../operations/chunk-texts';
import type { ChunkOptions, ChunkParameters } from '../parameters';
import { submit } from './submit';

/**
 * Submits the texts in the files of all input items, one file after the other. Each job gives one item,
 * from which Get Results can build documents, and each file one that sums it up.
 */
export async function submitFiles(
	run: Run,
	parameters: ChunkParameters,
	options: ChunkOptions,
): Promise<void> {
	const words = { done: 'submitted', output: 'Their items' };
	await forEachFile(
		run,
		parameters,
		options,
		{ words, withDocuments: true },
		withFiles,
		submitTexts,
	);
}

async function submitTexts({
	entries,
	sink,
	reading: { chunking, hints, responses },
}: TextSource): Promise<void> {
	const { run, parameters, options, jobs: known } = chunking;
	const outcomes = new FileOutcomes(run, sink, responses);
	const destination = { jobs: chunking.jobs, outcomes, sink: TO_ITEMS };
	const output = new ChunkOutput(
		run,
		parameters,
		options,
		'documents',
		destination,
		undefined,
		hints,
	);
	// Without a window: what was submitted needs no room, and Concurrency bounds what is in flight.
	const jobs = submit(
		flat(entries),
		chunking,
		async (text, outcome) => await output.notSubmitted(text, outcome),
	);
	for await (const job of jobs) {
		const outcome = outcomeOfSubmission(job, chunking);
		const isPending = outcome.ok && outcome.response.type === 'pending';
		if (isPending) await outcomes.submitted(job);
		else await output.report(job, outcome);
		known.close(job);
		// Only its ID is needed from now on, and a file may have any number of jobs.
		job.refs.length = 0;
	}
	await output.end();
}
