import type { IExecuteFunctions } from 'n8n-workflow';

import type { Results } from '../../shared/n8n/results';
import { DEFAULT_RESULTS_PATH, resultsPath } from '../../shared/service/chunking';
import { ChunkingJobs } from '../jobs';
import { readChunkOptions } from '../options';
import { openOutput } from '../output';
import { readFormerRequests, readTexts } from '../texts';

/**
 * Submits the texts of all input items and waits for their chunks, all under one deadline (spec,
 * endpoint 2 and States). Items that already carry a chunking ID may be fetched instead.
 */
export async function submitAndWait(context: IExecuteFunctions, results: Results): Promise<void> {
	const options = readChunkOptions(context);
	const input = context.getInputData();
	const path = options.resultsPath ?? DEFAULT_RESULTS_PATH;
	// Before anything is submitted that could not be fetched.
	resultsPath(path, 'id');
	const output = openOutput(context, results, options);
	const taken = new Set(output.refused);
	const former = readFormerRequests(
		context,
		results,
		path,
		(itemIndex) => context.getNodeParameter('options.resumeChunkingId', itemIndex, '') ?? '',
		(itemIndex) => input[itemIndex]?.json.textPosition,
		taken,
	);
	const entries = readTexts(context, results, options.bytesPerRequest, taken);
	results.throwIfStopping();

	const jobs = new ChunkingJobs(context, results, options, output);
	await jobs.open(
		[...former, ...entries.map(({ settings }) => settings)].map(({ scope }) => scope),
	);
	await jobs.submitAndWait(entries, former);
	output.finish();
}
