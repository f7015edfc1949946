import type { IDataObject } from 'n8n-workflow';

import type { Run } from '../../shared/n8n/run/run';
import { submitPath, type ChunkSettings } from '../../shared/service/chunking/chunking';
import type { ChunkParameters } from '../parameters';

/**
 * Reads how the text of an item is to be chunked (docs/service-interface.md, Chunking request). Nothing
 * that the user left empty is part of it.
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
	const { dimReductionSize } = parameters.added('options', itemIndex, ['dimReductionSize']);
	const method = optionalText(parameters, 'vectorQuantizationMethod', itemIndex);
	const dataType = optionalText(parameters, 'dataType', itemIndex);
	return {
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
}

/** Whether the settings are the same for all items, since there is no expression in them. */
export const areConstant = (parameters: ChunkParameters): boolean =>
	parameters.areConstant(
		'modelId',
		'chunker',
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

/** Warns of regular expressions that Python reads differently than their author likely means. */
export function hintAtRegexes(settings: Iterable<ChunkSettings>, run: Pick<Run, 'hint'>): void {
	const regexes = new Set([...settings].map(({ chunkerConfig: { regex } }) => regex));
	const hints = [...regexes].flatMap((regex) =>
		typeof regex === 'string' ? regexHints(regex) : [],
	);
	// Each item may have a regex of its own, with the same mistake in all of them.
	for (const hint of new Set(hints)) run.hint(hint);
}

/**
 * Common mistakes in a regular expression: Python's `re` reads it differently than its author likely
 * means. The pattern is sent unchanged anyway: only Python can tell whether it is valid.
 *
 * @returns one sentence for each mistake found
 */
export function regexHints(regex: string): string[] {
	const hints: string[] = [];
	if (/^\/.+\/[dgimsuvy]*$/s.test(regex)) {
		hints.push(
			"'Regex' looks like a JavaScript literal: Python reads the slashes and flags as text. Remove them and write flags as (?i) at the start.",
		);
	}
	const doubled = /\\\\([nrtsSdDwWbB])/.exec(regex);
	if (doubled) {
		hints.push(
			`'Regex' contains \\\\${doubled[1]}, which Python reads as a backslash followed by the letter ${doubled[1]}. Write \\${doubled[1]} with one backslash.`,
		);
	}
	if (/\(\?<[A-Za-z_]/.test(regex)) {
		hints.push("'Regex' names a group as JavaScript does. In Python it is (?P<name>...).");
	}
	return hints;
}
