import { Parameters } from '../shared/n8n/parameters/parameters';
import type { Run } from '../shared/n8n/run/run';
import { checkResultsPath } from '../shared/service/chunking/chunking';
import { fetchAll, fetchOnce, notAtAll, untilEnded } from './jobs/fetch';
import { allProperties, optionsOf, type ChunkParameters } from './parameters';
import type { ChunkTask } from './input/text';
import { withWork } from './chunk-all';
import { chunkFiles } from './from-files';
import { chunkItems, fetchItems } from './from-items';

/** Submits texts and returns their chunks. */
async function submitAndWait(run: Run): Promise<void> {
	const task = taskOf(run);
	const { parameters, options, mode } = task;
	// Before anything is submitted that could not be fetched.
	checkResultsPath(options.resultsPath);
	const isFile = parameters.get('textSource', 0) === 'file';
	// A text of a file that has not finished in time is a failed record; a document has all its chunks.
	if (isFile || mode === 'perDocument') options.whenTimeRunsOut = 'fail';
	await withWork(task, untilEnded, async (work) =>
		isFile ? await chunkFiles(work, 'chunked') : await chunkItems(work),
	);
}

/** Submits texts and returns each with its chunking ID and position, for Get Results. */
async function submit(run: Run): Promise<void> {
	const task = taskOf(run);
	const isFile = task.parameters.get('textSource', 0) === 'file';
	// Of a file only these items have the documents, for Get Results.
	const mode = isFile ? 'documents' : 'chunks';
	await withWork({ ...task, mode }, notAtAll, async (work) =>
		isFile ? await chunkFiles(work, 'submitted') : await chunkItems(work),
	);
}

/** Fetches the chunks of requests submitted before, each once however many items stand for it. */
async function getResults(run: Run): Promise<void> {
	const task = taskOf(run);
	const { parameters, options } = task;
	checkResultsPath(options.resultsPath);
	const ids = {
		idOf: (itemIndex: number) => parameters.requiredText('chunkingId', itemIndex, ID_ADVICE),
		positionOf: (itemIndex: number) => parameters.value('textPosition', itemIndex),
	};
	const fetch = parameters.get('wait', 0) ? fetchAll : fetchOnce;
	await withWork(task, untilEnded, async (work) => await fetchItems(work, ids, fetch));
}

const ID_ADVICE = "Drag the field with the chunking ID here, as 'Submit' returns it.";

function taskOf(run: Run): ChunkTask {
	const parameters: ChunkParameters = new Parameters(run.context, allProperties);
	const options = optionsOf(parameters, run.isTool);
	return { run, parameters, options, mode: parameters.get('output', 0) };
}

/** All operations, by their values. */
export const OPERATIONS: Readonly<Record<string, (run: Run) => Promise<void>>> = {
	submitAndWait,
	submit,
	getResults,
};
