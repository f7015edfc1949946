import { parseResultsPath } from '../../shared/service/chunking/chunking';
import { fetchAll, fetchOnce } from '../fetch/fetch';
import type { Operation } from '../operation';
import { optionsOf, parametersOf, tokenProperties } from '../parameters';
import { optionsProperties } from '../parameters/options';
import { documentProperties, outputProperties } from '../parameters/output';
import { previousRequestProperties } from '../parameters/previous-request';
import { chunkTexts } from './chunk-texts';

/** Fetches the chunks of requests submitted before, each once however many items stand for it. */
export const getResults: Operation = {
	value: 'getResults',
	name: 'Get Results',
	action: 'Get chunking results',
	description: 'Fetch the chunks of submitted texts by chunking ID',
	properties: [
		...previousRequestProperties,
		...outputProperties,
		...documentProperties,
		...tokenProperties,
		...optionsProperties,
	],
	execute: async (run) => {
		const parameters = parametersOf(run);
		const options = optionsOf(parameters);
		parseResultsPath(options.resultsPath);
		await chunkTexts(run, parameters, options, {
			mode: parameters.choice('output'),
			fetch: parameters.boolean('wait') ? fetchAll : fetchOnce,
			ids: {
				idOf: (itemIndex) => parameters.requiredText('chunkingId', itemIndex, ID_ADVICE),
				positionOf: (itemIndex) => parameters.value('textPosition', itemIndex),
			},
		});
	},
};

const ID_ADVICE = "Point it to the field with the chunking ID, as returned by 'Submit'.";
