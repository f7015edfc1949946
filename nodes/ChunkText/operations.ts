import type { Run } from '../shared/run/run';
import { checkResultsPath } from '../shared/service/chunking/chunking';
import { fetchAll, fetchNothing, fetchOnce, waitForEnd } from './jobs/fetch';
import { openService } from './jobs/chunk-service';
import { ChunkHints, type Returned } from './output/chunk-hints';
import { taskOf, type ChunkTask } from './parameters';
import type { Operation } from './chunk-all';
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
	const mustBeComplete = isFile || mode === 'perDocument';
	const operation: Operation = {
		done: 'chunked',
		returnsChunks: true,
		overlapsFiles: true,
		waitForJob: waitForEnd(mustBeComplete ? 'fail' : options.whenTimeRunsOut),
	};
	const work = { task, service: await openService(task), hints: new ChunkHints() };
	await (isFile ? chunkFiles(work, operation) : chunkItems(work, operation));
	work.hints.addHintsTo(run, operation);
}

async function submit(run: Run): Promise<void> {
	const all = taskOf(run);
	const isFile = all.parameters.get('textSource', 0) === 'file';
	// Get Results cannot read the file again, so the items returned by Submit also contain the documents.
	// It could not number the chunks of a document that was submitted in several texts either.
	const mode = isFile ? 'documents' : 'chunks';
	const task: ChunkTask = { ...all, mode, canSplit: false };
	const operation: Operation = {
		done: 'submitted',
		returnsChunks: false,
		overlapsFiles: false,
		waitForJob: fetchNothing,
	};
	const work = { task, service: await openService(task), hints: new ChunkHints() };
	await (isFile ? chunkFiles(work, operation) : chunkItems(work, operation));
	work.hints.addHintsTo(run, operation);
}

/** If several items refer to the same request, its chunks are fetched only once. */
async function getResults(run: Run): Promise<void> {
	const task = taskOf(run);
	const { parameters, options } = task;
	checkResultsPath(options.resultsPath);
	const ids = {
		idOf: (itemIndex: number) => parameters.requiredText('chunkingId', itemIndex, ID_ADVICE),
		positionOf: (itemIndex: number) => parameters.value('textPosition', itemIndex),
	};
	const fetch = parameters.get('wait', 0) ? fetchAll : fetchOnce;
	const returned: Returned = { done: 'chunked', returnsChunks: true };
	const work = { task, service: await openService(task), hints: new ChunkHints() };
	await fetchItems(work, ids, fetch);
	work.hints.addHintsTo(run, returned);
}

const ID_ADVICE = "Drag the field 'chunkingId' from the output of 'Submit' here.";

export const OPERATIONS: Readonly<Record<string, (run: Run) => Promise<void>>> = {
	submitAndWait,
	submit,
	getResults,
};
