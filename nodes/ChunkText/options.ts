import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { RequestOptions } from '../shared/n8n/bulk-requests';
import { fieldOf } from '../shared/n8n/fields';
import { readOptions } from '../shared/n8n/options';
import { optionsProperties } from './properties/options';

/** The Options collection, as far as it is the same for all items. */
export interface ChunkOptions extends RequestOptions {
	bytesPerRequest: number;
	firstIntervalSeconds: number;
	includeVectors?: boolean;
	listedFields?: string;
	longestIntervalSeconds: number;
	maxWaitSeconds: number;
	resultsPath?: string;
	sourceFields?: 'all' | 'listed' | 'none';
	textsPerRequest: number;
	whenTimeRunsOut?: 'fail' | 'output';
}

/** Reads the Options collection. */
export function readChunkOptions(context: IExecuteFunctions): ChunkOptions {
	return readOptions<ChunkOptions>(context, optionsProperties, ['formerChunkCount']);
}

/** The fields of an input item that its output items keep. */
export function keptFields(
	json: IDataObject,
	options: ChunkOptions,
	otherwise: 'all' | 'none',
): IDataObject {
	const mode = options.sourceFields ?? otherwise;
	if (mode === 'all') return json;
	if (mode === 'none') return {};
	const kept: IDataObject = {};
	for (const name of (options.listedFields ?? '').split(',').map((field) => field.trim())) {
		const value = fieldOf(json, name);
		if (value !== undefined) kept[name] = value as IDataObject[string];
	}
	return kept;
}
