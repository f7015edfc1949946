import type { IExecuteFunctions } from 'n8n-workflow';

import type { Results } from '../../shared/n8n/results';
import { ChunkingJobs } from '../jobs';
import { readChunkOptions } from '../options';
import { ChunkOutput } from '../output';
import { readTexts } from '../texts';

/**
 * Submits the texts of all input items (spec, endpoint 2). Each comes out with its chunking ID and
 * its position in the request, for Get Results.
 */
export async function submit(context: IExecuteFunctions, results: Results): Promise<void> {
	const options = readChunkOptions(context);
	const output = new ChunkOutput(context, results, 'chunks', options);
	const entries = readTexts(context, results, options.bytesPerRequest);
	results.throwIfStopping();

	const jobs = new ChunkingJobs(context, results, options, output);
	await jobs.open(entries.map(({ settings }) => settings.scope));
	await jobs.submit(entries);
	output.finish({ hintAtRunning: false });
}
