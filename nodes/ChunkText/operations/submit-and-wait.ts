import type { Run } from '../../shared/n8n/run/run';
import { withAllFiles } from '../../shared/n8n/sources/source';
import { parseResultsPath } from '../../shared/service/chunking/chunking';
import { fetchAll } from '../fetch/fetch';
import type { Operation } from '../operation';
import { optionsOf, parametersOf, tokenProperties, type ChunkParameters } from '../parameters';
import { chunkerProperties } from '../parameters/chunker';
import { modelProperties } from '../parameters/model';
import { optionsProperties } from '../parameters/options';
import { documentPropertiesOfItems, outputProperties } from '../parameters/output';
import { fileTextProperties, textProperties } from '../parameters/texts';
import type { IdSource } from '../texts/previous-requests';
import { TextWindow } from '../texts/text-window';
import { chunkTexts } from './chunk-texts';

/** Submits texts and returns their chunks. Items that already have a chunking ID may be resumed. */
export const submitAndWait: Operation = {
	value: 'submitAndWait',
	name: 'Submit and Wait',
	action: 'Chunk text',
	description: 'Split texts into chunks and wait for the results',
	properties: [
		...textProperties,
		...fileTextProperties,
		...modelProperties,
		...chunkerProperties,
		...outputProperties,
		...documentPropertiesOfItems,
		...tokenProperties,
		...optionsProperties,
	],
	execute: async (run) => {
		const parameters = parametersOf(run);
		const options = optionsOf(parameters);
		// Before anything is submitted that could not be fetched.
		parseResultsPath(options.resultsPath);
		const work = { mode: parameters.choice('output'), fetch: fetchAll, isolates: true };
		// A text of a file that has not finished in time is a failed record; a document has all its chunks.
		const failing = { ...options, whenTimeRunsOut: 'fail' as const };
		if (parameters.choice('textSource') !== 'file') {
			const ofItems = work.mode === 'perDocument' ? failing : options;
			const ids = resuming(run, parameters);
			return await chunkTexts(run, parameters, ofItems, { ...work, ids });
		}
		await chunkTexts(run, parameters, failing, {
			...work,
			window: TextWindow.of(options),
			files: {
				done: 'chunked',
				output: 'Their chunks',
				withDocuments: work.mode === 'documents',
				withEach: withAllFiles,
			},
		});
	},
};

/** Items that already have a chunking ID. */
const resuming = (run: Run, parameters: ChunkParameters): IdSource => ({
	idOf: (itemIndex) => parameters.text('options.resumeChunkingId', itemIndex),
	positionOf: (itemIndex) => run.items[itemIndex]?.json.textPosition,
});
