import { Parameters } from '../shared/n8n/parameters/parameters';
import type { Run } from '../shared/n8n/run/run';
import { checkResultsPath } from '../shared/service/chunking/chunking';
import { fetchAll, fetchOnce, fetchNothing, waitForEnd } from './jobs/fetch';
import { allProperties, optionsOf, type ChunkParameters } from './parameters';
import type { ChunkTask } from './input/text';
import { withWork } from './chunk-all';
import { chunkFiles } from './from-files';
import { chunkItems, fetchItems } from './from-items';

async function submitAndWait(run: Run): Promise<void> {
	const task = taskOf(run);
	const { parameters, options, mode } = task;
	// Checks the path before any text is submitted, because the node cannot fetch chunks if the path is wrong.
	checkResultsPath(options.resultsPath);
	const isFile = parameters.get('textSource', 0) === 'file';
	// A document must not be returned if any of its chunks are missing. So if a job runs out of time, its texts must
	// fail.
	if (isFile || mode === 'perDocument') options.whenTimeRunsOut = 'fail';
	await withWork(task, waitForEnd, async (work) =>
		isFile ? await chunkFiles(work, 'chunked') : await chunkItems(work),
	);
}

async function submit(run: Run): Promise<void> {
	const task = taskOf(run);
	const isFile = task.parameters.get('textSource', 0) === 'file';
	// Get Results cannot read the file again, so the items returned by Submit also contain the documents.
	const mode = isFile ? 'documents' : 'chunks';
	await withWork({ ...task, mode }, fetchNothing, async (work) =>
		isFile ? await chunkFiles(work, 'submitted') : await chunkItems(work),
	);
}

/**
 * Fetches the chunks of earlier requests. If several items refer to the same request, its chunks are fetched only once.
 */
async function getResults(run: Run): Promise<void> {
	const task = taskOf(run);
	const { parameters, options } = task;
	checkResultsPath(options.resultsPath);
	const ids = {
		idOf: (itemIndex: number) => parameters.requiredText('chunkingId', itemIndex, ID_ADVICE),
		positionOf: (itemIndex: number) => parameters.value('textPosition', itemIndex),
	};
	const fetch = parameters.get('wait', 0) ? fetchAll : fetchOnce;
	await withWork(task, waitForEnd, async (work) => await fetchItems(work, ids, fetch));
}

const ID_ADVICE = "Drag the field 'chunkingId' from the output of 'Submit' here.";

function taskOf(run: Run): ChunkTask {
	const parameters: ChunkParameters = new Parameters(run.context, allProperties);
	const options = optionsOf(parameters, run.isTool);
	return { run, parameters, options, mode: parameters.get('output', 0) };
}

export const OPERATIONS: Readonly<Record<string, (run: Run) => Promise<void>>> = {
	submitAndWait,
	submit,
	getResults,
};
