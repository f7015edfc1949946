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
	/** Names of fields, or dotted paths. */
	listedFields: string[];
	longestIntervalSeconds: number;
	maxWaitSeconds: number;
	resultsPath?: string;
	sourceFields?: 'all' | 'listed' | 'none';
	textsPerRequest: number;
	whenTimeRunsOut?: 'fail' | 'output';
}

/**
 * Reads the Options collection.
 *
 * @throws InputError for a number that is none
 */
export function readChunkOptions(context: IExecuteFunctions): ChunkOptions {
	const options = readOptions<ChunkOptions>(context, optionsProperties, ['formerChunkCount']);
	const listed: unknown = options.listedFields ?? [];
	const names = Array.isArray(listed) ? listed : String(listed).split(',');
	return { ...options, listedFields: names.map((name) => String(name).trim()) };
}

/**
 * The fields of an input item that its output items keep. Never `error`: n8n would take the item for
 * a failed one, and with Retry On Fail run the node again.
 */
export function keptFields(
	json: IDataObject,
	{ sourceFields, listedFields }: ChunkOptions,
	otherwise: 'all' | 'none',
): IDataObject {
	const mode = sourceFields ?? otherwise;
	if (mode === 'none') return {};
	const kept: IDataObject = mode === 'all' ? { ...json } : {};
	for (const name of mode === 'listed' ? listedFields : []) {
		const value = fieldOf(json, name);
		if (value !== undefined) kept[name] = value as IDataObject[string];
	}
	delete kept.error;
	return kept;
}
