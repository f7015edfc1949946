import { Parameters } from '../../shared/n8n/parameters/parameters';
import { properties } from '../../shared/n8n/parameters/properties';
import type { Run } from '../../shared/n8n/run/run';
import { OWN_OPTIONS } from '../../shared/n8n/sources/file-properties';
import { scopeProperties } from '../../shared/service/tokens/scope';
import { chunkerProperties } from './chunker';
import { modelProperties } from './model';
import { optionsProperties } from './options';
import { documentProperties, outputProperties } from './output';
import { previousRequestProperties } from './previous-request';
import { fileTextProperties, textProperties } from './texts';

/** The scope of the access token. */
export const tokenProperties = scopeProperties(
	'Scope to request the access token for. Chunking needs Machine Learning Predict.',
);

const all = properties([
	...textProperties,
	...fileTextProperties,
	...previousRequestProperties,
	...modelProperties,
	...chunkerProperties,
	...outputProperties,
	...documentProperties,
	...tokenProperties,
	...optionsProperties,
]);

/** The parameters of Chunk Text, for reading. */
export type ChunkParameters = Parameters<typeof all>;

export const parametersOf = (run: Run): ChunkParameters => new Parameters(run.context, all);

/** The Options collection, as far as it is the same for all items. */
export const optionsOf = (parameters: ChunkParameters) =>
	parameters.collection('options', [
		'documentDescription',
		'documentUrl',
		'dataType',
		'customDataType',
		'dimReductionSize',
		'vectorQuantizationMethod',
		'customVectorQuantizationMethod',
		'previousChunkCount',
		'resumeChunkingId',
		'additionalFields',
		'additionalTextFields',
		...OWN_OPTIONS,
	]);

export type ChunkOptions = ReturnType<typeof optionsOf>;
