import type { IDataObject } from 'n8n-workflow';

import { submitPath, type ChunkSettings } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import { isBlank } from '../../shared/service/push/document-id';
import type { ChunkParameters } from '../parameters';
import type { TextEntry } from './text';
import { filled } from '../../shared/service/json';

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
	// From the list, or any other text that an expression gives.
	const addedText = (option: 'vectorQuantizationMethod' | 'dataType') =>
		parameters.isAdded('options', option) &&
		!isBlank(parameters.value(`options.${option}`, itemIndex))
			? parameters.requiredText(`options.${option}`, itemIndex)
			: '';
	const vectorQuantizationMethod = addedText('vectorQuantizationMethod');
	const dataType = addedText('dataType');
	const { dimReductionSize } = parameters.added('options', itemIndex, ['dimReductionSize']);
	const settings: ChunkSettings = {
		chunker,
		modelId,
		modelConfig: filled([
			['vectorQuantizationMethod', vectorQuantizationMethod],
			['dimReductionSize', dimReductionSize || undefined],
		]),
		useCaseConfig: filled([['dataType', dataType]]),
		chunkerConfig: chunkerConfig(parameters, chosen, itemIndex),
		additionalBodyFields: additionalBodyFields(parameters, itemIndex),
	};
	return { settings, group: JSON.stringify(settings) };
}

/** @throws InputError for `batch`, which would be replaced with the texts */
function additionalBodyFields(parameters: ChunkParameters, itemIndex: number): IDataObject {
	const fields = parameters.get('options.additionalBodyFields', itemIndex);
	if (!Object.hasOwn(fields, 'batch')) return fields;
	throw new InputError(
		"'Additional Body Fields' must not contain 'batch'",
		"Remove it. The node sends the texts of the input as 'batch'.",
	);
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

function chunkerConfig(
	parameters: ChunkParameters,
	chosen: unknown,
	itemIndex: number,
): Record<string, unknown> {
	if (chosen === 'custom') return parameters.get('chunkerConfig', itemIndex);
	if (chosen !== 'regex-splitter') return parameters.added('chunkerSettings', itemIndex);
	// Sent unchanged: only Python can tell whether it is valid.
	return filled([['regex', parameters.get('regex', itemIndex)]]);
}
