import type { Run } from '../shared/run/run';
import { checkResultsPath } from '../shared/service/chunking/chunking';
import { fetchAll, fetchNothing, fetchOnce, waitForEnd, type JobWait } from './jobs/fetch';
import { openService } from './jobs/chunk-service';
import { ChunkHints } from './output/chunk-hints';
import { taskOf, type ChunkTask } from './parameters';
import { chunkFiles } from './from-files';
import { chunkItems, fetchItems } from './from-items';

async function submitAndWait(run: Run): Promise<void> {
	const task = taskOf(run, 'chunked');
	const { options, mode } = task;
	// Checks the path before any text is submitted, because the node cannot fetch chunks if the path is wrong.
	checkResultsPath(options.resultsPath);
	// A document must not be returned if any of its chunks are missing. So if a job runs out of time, its texts must
	// fail.
	const mustBeComplete = readsFiles(task) || mode === 'perDocument';
	await chunk(task, waitForEnd(mustBeComplete ? 'fail' : options.whenTimeRunsOut));
}

async function submit(run: Run): Promise<void> {
	const task = taskOf(run, 'submitted');
	// Get Results cannot read the file again, so the items returned by Submit also contain the documents.
	// It could not number the chunks of a document that was submitted in several texts either.
	const mode = readsFiles(task) ? 'documents' : 'chunks';
	await chunk({ ...task, mode }, fetchNothing);
}

const readsFiles = ({ parameters }: ChunkTask): boolean =>
	parameters.get('textSource', 0) === 'file';

async function chunk(task: ChunkTask, waitForJob: JobWait): Promise<void> {
	const hints = new ChunkHints();
	const operation = { task, service: await openService(task), waitForJob, hints };
	await (readsFiles(task) ? chunkFiles(operation) : chunkItems(operation));
	hints.addHintsTo(task.run, task.done);
}

/** If several items refer to the same request, its chunks are fetched only once. */
async function getResults(run: Run): Promise<void> {
	const task = taskOf(run, 'chunked');
	const { parameters, options } = task;
	checkResultsPath(options.resultsPath);
	const ids = {
		idOf: (itemIndex: number) => parameters.requiredText('chunkingId', itemIndex, ID_ADVICE),
		positionOf: (itemIndex: number) => parameters.value('textPosition', itemIndex),
	};
	const fetch = parameters.get('wait', 0) ? fetchAll : fetchOnce;
	const hints = new ChunkHints();
	await fetchItems({ task, service: await openService(task), hints }, ids, fetch);
	hints.addHintsTo(run, task.done);
}

const ID_ADVICE = "Drag the field 'chunkingId' from the output of 'Submit' here.";

export const OPERATIONS: Readonly<Record<string, (run: Run) => Promise<void>>> = {
	submitAndWait,
	submit,
	getResults,
};
