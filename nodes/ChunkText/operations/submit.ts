import { withFiles } from '../../shared/n8n/sources/source';
import { fetchNothing } from '../fetch/fetch';
import type { Operation } from '../operation';
import { optionsOf, parametersOf, tokenProperties } from '../parameters';
import { chunkerProperties } from '../parameters/chunker';
import { modelProperties } from '../parameters/model';
import { optionsProperties } from '../parameters/options';
import { fileTextProperties, textProperties } from '../parameters/texts';
import { chunkTexts } from './chunk-texts';

/** Submits texts and returns each with its chunking ID and position, for Get Results. */
export const submit: Operation = {
	value: 'submit',
	name: 'Submit',
	action: 'Submit text for chunking',
	description: 'Submit texts and return their chunking IDs immediately',
	properties: [
		...textProperties,
		...fileTextProperties,
		...modelProperties,
		...chunkerProperties,
		...tokenProperties,
		...optionsProperties,
	],
	execute: async (run) => {
		const parameters = parametersOf(run);
		const options = optionsOf(parameters);
		// Without a window: what was submitted needs no room, and Concurrency bounds what is in flight.
		const fetch = fetchNothing;
		if (parameters.choice('textSource') !== 'file')
			return await chunkTexts(run, parameters, options, { mode: 'chunks', fetch });
		await chunkTexts(run, parameters, options, {
			mode: 'documents',
			fetch,
			files: {
				done: 'submitted',
				output: 'Their items',
				withDocuments: true,
				withEach: withFiles,
			},
		});
	},
};
