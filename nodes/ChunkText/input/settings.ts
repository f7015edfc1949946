import type { IDataObject } from 'n8n-workflow';

import { submitPath, type ChunkSettings } from '../../shared/service/chunking/chunking';
import { InputError } from '../../shared/service/input-error';
import { nonEmptyMembers } from '../../shared/service/json';
import { isNullOrBlankText } from '../../shared/service/strings';
import type { ChunkParameters } from '../parameters';
import type { TextEntry } from './text-entry';

/**
 * Reads an item's chunking settings (docs/service-interface.md, Chunking request). Values that the user left
 * empty are omitted.
 *
 * @returns the settings, and a group key that is the same for equal settings
 * @throws InputError that names the invalid parameter
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
	// This call only validates the names. `submitPath` throws an error if a URL path cannot contain them.
	submitPath(chunker, modelId);
	const added = parameters.membersAdded('options');
	const isFilledIn = (
		option: 'vectorQuantizationMethod' | 'dataType' | 'dimReductionSize',
	): boolean =>
		added.has(option) && !isNullOrBlankText(parameters.value(`options.${option}`, itemIndex));
	// An expression can return a value that is not one of the option's choices.
	const readText = (option: 'vectorQuantizationMethod' | 'dataType') =>
		isFilledIn(option) ? parameters.requiredText(`options.${option}`, itemIndex) : '';
	const vectorQuantizationMethod = readText('vectorQuantizationMethod');
	const dataType = readText('dataType');
	const dimReductionSize =
		isFilledIn('dimReductionSize') && parameters.get('options.dimReductionSize', itemIndex);
	const settings: ChunkSettings = {
		chunker,
		modelId,
		modelConfig: nonEmptyMembers([
			['vectorQuantizationMethod', vectorQuantizationMethod],
			['dimReductionSize', dimReductionSize || undefined],
		]),
		useCaseConfig: nonEmptyMembers([['dataType', dataType]]),
		chunkerConfig: chunkerConfig(parameters, chosen, itemIndex),
		additionalBodyFields: additionalBodyFields(parameters, itemIndex),
	};
	return { settings, group: JSON.stringify(settings) };
}

/** @throws InputError if the fields contain `batch`, which the node would overwrite with the texts */
function additionalBodyFields(parameters: ChunkParameters, itemIndex: number): IDataObject {
	const fields = parameters.get('options.additionalBodyFields', itemIndex);
	if (!Object.hasOwn(fields, 'batch')) return fields;
	throw new InputError(
		"'Additional Body Fields' must not contain 'batch'",
		"Remove it. The node sends the texts of the input as 'batch'.",
	);
}

/**
 * Returns whether the settings are the same for all items. They are the same if no parameter contains an expression.
 */
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
	if (chosen !== 'regex-splitter') return parameters.get('chunkerSettings', itemIndex);
	// Only Python can check this regular expression, so it is sent unchanged.
	return nonEmptyMembers([['regex', parameters.get('regex', itemIndex)]]);
}
