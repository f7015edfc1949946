import { PATHS, pathSegment } from '../url';
import { isObject } from '../json';
import { InputError } from '../input-error';

const ID_PLACEHOLDER = '{chunkingId}';
/** Maximum size of a text in a chunking request (docs/service-interface.md, Limits). */
export const MAX_CHUNK_TEXT_BYTES = 1_000_000;

/**
 * Default path for retrieving results. The interface does not specify this path, so the user can change it
 * with an option (docs/service-interface.md, Chunking results).
 */
export const DEFAULT_RESULTS_PATH = `${PATHS.chunking}/${ID_PLACEHOLDER}`;

/** Texts with the same settings can share a request. */
export interface ChunkSettings {
	chunker: string;
	modelId: string;
	modelConfig: Record<string, unknown>;
	useCaseConfig: Record<string, unknown>;
	chunkerConfig: Record<string, unknown>;
	additionalBodyFields: Record<string, unknown>;
}

/**
 * Returns the path for submitting texts (docs/service-interface.md, Chunking request).
 *
 * @throws InputError if the chunker or the model ID is empty, `.` or `..`
 */
export function submitPath(chunker: string, modelId: string): string {
	return `${PATHS.chunking}/${pathSegment(chunker, 'Chunker')}/${pathSegment(modelId, 'Model ID')}`;
}

/**
 * Validates the template for the results path.
 *
 * @param template what the user entered, e.g. `/ai/async-chunking/{chunkingId}`
 * @throws InputError if the template is not a path that contains `{chunkingId}`
 */
export function checkResultsPath(template: string): void {
	if (/^\/[^?#\s\\]*$/.test(template) && template.includes(ID_PLACEHOLDER)) return;
	throw new InputError(
		`'Results Path' must start with /, contain ${ID_PLACEHOLDER} and have no spaces, ?, # or backslashes`,
		`Enter a path such as ${DEFAULT_RESULTS_PATH}, which is the default.`,
	);
}

/**
 * Returns the path for retrieving the results of a chunking request.
 *
 * @param template a template that `checkResultsPath` accepts
 * @throws InputError if the ID is empty, `.` or `..`
 */
export const resultsPath = (template: string, chunkingId: string): string =>
	template.replaceAll(ID_PLACEHOLDER, () => pathSegment(chunkingId, 'Chunking ID'));

/**
 * Returns the JSON body for submitting texts (docs/service-interface.md, Chunking request). `modelConfig`,
 * `useCaseConfig` and `chunkerConfig` are omitted if they are empty. The Additional Body Fields option can also add
 * fields to these configs.
 */
export function submitBody(
	settings: ChunkSettings,
	texts: ReadonlyArray<{ text: string }>,
): string {
	const body: Record<string, unknown> = {
		...settings.additionalBodyFields,
		batch: texts.map(({ text }) => ({ text })),
	};
	for (const key of ['modelConfig', 'useCaseConfig', 'chunkerConfig'] as const) {
		const additional = body[key];
		const config = { ...(isObject(additional) && additional), ...settings[key] };
		if (Object.keys(config).length > 0) body[key] = config;
		else if (isObject(additional)) delete body[key];
	}
	return JSON.stringify(body);
}
