import type { IDataObject } from 'n8n-workflow';

import { submitPath, type ChunkSettings } from '../../shared/service/chunking/chunking';
import type { ChunkParameters } from '../parameters';
import type { TextEntry } from './text';

/**
 * Reads how the text of an item is to be chunked (docs/service-interface.md, Chunking request). Nothing
 * that the user left empty is part of it.
 *
 * @returns the settings, and the group of texts with equal ones
 * @throws InputError for a value that cannot be used, naming the parameter
 */
export function readSettings(
	parameters: ChunkParameters,
	itemIndex: number,
): Pick<TextEntry, 'settings' | 'group'> {
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
	const { dimReductionSize } = parameters.added('options', itemIndex, ['dimReductionSize']);
	const method = optionalText(parameters, 'vectorQuantizationMethod', itemIndex);
	const dataType = optionalText(parameters, 'dataType', itemIndex);
	const settings: ChunkSettings = {
		chunker,
		modelId,
		modelConfig: {
			...(method !== undefined && { vectorQuantizationMethod: method }),
			...(dimReductionSize && { dimReductionSize }),
		},
		useCaseConfig: dataType === undefined ? {} : { dataType },
		chunkerConfig: chunkerConfig(parameters, chunker, chosen === 'custom', itemIndex),
		additionalBodyFields: parameters.object('options.additionalBodyFields', itemIndex),
	};
	return { settings, group: JSON.stringify(settings) };
}

/** Whether the settings are the same for all items, since there is no expression in them. */
export const areConstant = (parameters: ChunkParameters): boolean =>
	parameters.areConstant(
		'modelId',
		'regex',
		'chunkerSettings',
		'chunkerName',
		'chunkerConfig',
		'options.dimReductionSize',
		'options.vectorQuantizationMethod',
		'options.dataType',
		'options.additionalBodyFields',
	);

/** The value of an option, from the list or any other that an expression gives; undefined for none. */
function optionalText(
	parameters: ChunkParameters,
	option: 'vectorQuantizationMethod' | 'dataType',
	itemIndex: number,
): string | undefined {
	if (!parameters.isAdded('options', option)) return undefined;
	return parameters.text(`options.${option}`, itemIndex).trim() || undefined;
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
