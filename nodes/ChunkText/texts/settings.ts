import type { IDataObject } from 'n8n-workflow';

import type { Run } from '../../shared/n8n/run/run';
import { submitPath, type ChunkSettings } from '../../shared/service/chunking/chunking';
import { regexHints } from '../../shared/service/chunking/python-regex';
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

const MODEL_SETTINGS = [
	'dataType',
	'customDataType',
	'dimReductionSize',
	'vectorQuantizationMethod',
	'customVectorQuantizationMethod',
] as const;

function modelSettings(parameters: ChunkParameters, itemIndex: number) {
	const added = parameters.added('options', itemIndex, MODEL_SETTINGS);
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

/** The scopes of all items; one that cannot be read fails with its item. */
export async function readScopes(run: Run, parameters: ChunkParameters): Promise<Set<string>> {
	const scopes = new Set<string>();
	for await (const [itemIndex] of run.eachItem()) {
		try {
			scopes.add(readScope(parameters, itemIndex));
		} catch {
			continue;
		}
	}
	return scopes;
}

/** Warns of regular expressions that Python reads differently than their author likely means. */
export function hintAtRegexes(
	texts: ReadonlyArray<{ settings: ChunkSettings }>,
	run: Pick<Run, 'hint'>,
): void {
	const regexes = new Set(texts.map(({ settings }) => settings.chunkerConfig.regex));
	const hints = [...regexes].flatMap((regex) =>
		typeof regex === 'string' ? regexHints(regex) : [],
	);
	// Each item may have a regex of its own, with the same mistake in all of them.
	for (const hint of new Set(hints)) run.hint(hint);
}
