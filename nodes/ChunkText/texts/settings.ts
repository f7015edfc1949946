import type { IDataObject } from 'n8n-workflow';

import { submitPath, type ChunkSettings } from '../../shared/service/chunking/chunking';
import type { ChunkParameters } from '../parameters';

/**
 * Reads how the text of an item is to be chunked (docs/service-interface.md, Chunking request). What
 * the user left empty is not part of it.
 *
 * @throws InputError for a value that cannot be used, naming the parameter
 */
export function readSettings(parameters: ChunkParameters, itemIndex: number): ChunkSettings {
	const chosen = parameters.value('chunker', itemIndex);
	const chunker =
		chosen === 'custom' ? parameters.requiredText('chunkerName', itemIndex) : String(chosen);
	const modelId = parameters.requiredText(
		'modelId',
		itemIndex,
		'Choose an embedding model, or enter its ID, e.g. gte-small.',
	);
	// Fails for names that cannot be part of a path.
	submitPath(chunker, modelId);
	return {
		scope: readScope(parameters, itemIndex),
		chunker,
		modelId,
		...modelSettings(parameters, itemIndex),
		chunkerConfig: chunkerConfig(parameters, chunker, chosen === 'custom', itemIndex),
		additionalFields: parameters.object('options.additionalFields', itemIndex),
	};
}

/** The scope that the node requests its access token for. */
export function readScope(parameters: ChunkParameters, itemIndex: number): string {
	const chosen = parameters.requiredText('scope', itemIndex, 'Choose a scope.');
	return chosen === 'custom' ? parameters.requiredText('customScope', itemIndex) : chosen;
}

function modelSettings(parameters: ChunkParameters, itemIndex: number) {
	const added = parameters.added('modelSettings', itemIndex);
	const { dimReductionSize, vectorQuantizationMethod, dataType } = added;
	const modelConfig: IDataObject = {};
	const method =
		vectorQuantizationMethod === 'custom'
			? added.customVectorQuantizationMethod?.trim()
			: vectorQuantizationMethod;
	if (method && method !== 'none') modelConfig.vectorQuantizationMethod = method;
	if (dimReductionSize) modelConfig.dimReductionSize = dimReductionSize;
	const chosen = dataType === 'custom' ? added.customDataType?.trim() : dataType;
	const useCaseConfig: IDataObject = chosen && chosen !== 'notSent' ? { dataType: chosen } : {};
	return { modelConfig, useCaseConfig };
}

function chunkerConfig(
	parameters: ChunkParameters,
	chunker: string,
	isCustom: boolean,
	itemIndex: number,
): IDataObject {
	if (isCustom) return parameters.object('chunkerConfig', itemIndex);
	if (chunker !== 'regex-splitter') return parameters.added('chunkerSettings', itemIndex);
	// Sent unchanged: only Python can tell whether it is valid.
	const regex = parameters.text('regex', itemIndex);
	return regex === '' ? {} : { regex };
}
