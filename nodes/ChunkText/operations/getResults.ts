import type { IExecuteFunctions } from 'n8n-workflow';

import type { Results } from '../../shared/n8n/results';
import { DEFAULT_RESULTS_PATH } from '../../shared/service/chunking';
import { InputError } from '../../shared/service/input-error';
import { ChunkingJobs } from '../jobs';
import { readChunkOptions } from '../options';
import { openOutput } from '../output';
import { readFormerRequests } from '../texts';

/**
 * Fetches the chunks of requests that were submitted before, each request once however many items
 * stand for it (facts, section 1.5), and waits for them if asked to.
 */
export async function getResults(context: IExecuteFunctions, results: Results): Promise<void> {
	const options = readChunkOptions(context);
	const output = openOutput(context, results, options);
	const former = readFormerRequests(
		context,
		results,
		options.resultsPath ?? DEFAULT_RESULTS_PATH,
		(itemIndex) => chunkingId(context, itemIndex),
		(itemIndex) => context.getNodeParameter('textPosition', itemIndex, ''),
		output.refused,
	);
	results.throwIfStopping();

	const jobs = new ChunkingJobs(context, results, options, output);
	await jobs.open(former.map(({ scope }) => scope));
	if (context.getNodeParameter('wait', 0) === true) await jobs.submitAndWait([], former);
	else await jobs.fetchOnce(former);
	output.finish();
}

function chunkingId(context: IExecuteFunctions, itemIndex: number): unknown {
	const id = context.getNodeParameter('chunkingId', itemIndex, '') as unknown;
	if (typeof id === 'number' || (typeof id === 'string' && id.trim() !== '')) return id;
	throw new InputError(
		"'Chunking ID' is empty",
		"Point it to the field with the chunking ID, as 'Submit' has put it out.",
	);
}
