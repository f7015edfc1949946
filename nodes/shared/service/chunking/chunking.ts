import { pathSegment } from '../url';
import { isObject } from '../json';
import { InputError } from '../input-error';

export * from './chunking-response';

const ID_PLACEHOLDER = '{chunkingId}';
/** The interface leaves this path open, so it is an option (docs/service-interface.md, Chunking results). */
export const DEFAULT_RESULTS_PATH = `/ai/async-chunking/${ID_PLACEHOLDER}`;

/** How one text is to be chunked. Texts with equal settings may share a request. */
export interface ChunkSettings {
	scope: string;
	chunker: string;
	modelId: string;
	/** Body members beside `batch`; omitted if empty. */
	modelConfig: Record<string, unknown>;
	useCaseConfig: Record<string, unknown>;
	chunkerConfig: Record<string, unknown>;
	additionalFields: Record<string, unknown>;
}

/**
 * Path of a submission, e.g. `/ai/async-chunking/regex-splitter/gte-small` (docs/service-interface.md,
 * Chunking request).
 *
 * @throws InputError for a name that is empty, `.` or `..`
 */
export function submitPath(chunker: string, modelId: string): string {
	return `/ai/async-chunking/${pathSegment(chunker, 'Chunker')}/${pathSegment(modelId, 'Model ID')}`;
}

/**
 * Checks the template of the results path.
 *
 * @param template what the user entered, e.g. `/ai/async-chunking/{chunkingId}`
 * @returns the same text
 * @throws InputError unless it is a path with `{chunkingId}`, without query, fragment and `..`
 */
export function parseResultsPath(template: unknown): string {
	const problem = problemOfPath(template);
	if (problem === undefined) return template as string;
	throw new InputError(
		`'Results Path' must ${problem}`,
		`Enter a path such as ${DEFAULT_RESULTS_PATH}, which is the default.`,
	);
}

function problemOfPath(template: unknown): string | undefined {
	if (typeof template !== 'string') return 'be text';
	if (!template.startsWith('/') || !template.includes(ID_PLACEHOLDER)) {
		return `start with / and contain ${ID_PLACEHOLDER}`;
	}
	if (/[?#]/.test(template)) return 'not have a query or fragment: remove ? and #';
	// A URL parser drops tabs and line breaks, and reads a backslash as a slash.
	if (/[\s\p{Cc}\\]/u.test(template))
		return 'not contain spaces, control characters or backslashes';
	// It also reads an encoded dot as a dot.
	const segments = template.replace(/%2e/gi, '.').split('/');
	const isRelative = segments.some((segment) => segment === '.' || segment === '..');
	return isRelative ? 'not contain the segments . and ..' : undefined;
}

/**
 * Path of the results of a chunking request.
 *
 * @param template see parseResultsPath
 * @throws InputError if the template is no such path or the ID is empty, `.` or `..`
 */
export function resultsPath(template: string, chunkingId: string): string {
	return parseResultsPath(template).replaceAll(ID_PLACEHOLDER, () =>
		pathSegment(chunkingId, 'Chunking ID'),
	);
}

/**
 * Body of a submission (docs/service-interface.md, Chunking request). Configs without members are not sent;
 * additional fields may also add to the three configs.
 *
 * @param fields what each text has beside it in the batch, if anything
 * @returns JSON
 */
export function submitBody(
	settings: ChunkSettings,
	texts: string[],
	fields: Array<Record<string, unknown> | undefined> = [],
): string {
	const body: Record<string, unknown> = {
		...settings.additionalFields,
		batch: texts.map((text, index) => ({ ...fields[index], text })),
	};
	for (const key of ['modelConfig', 'useCaseConfig', 'chunkerConfig'] as const) {
		const additional = body[key];
		const config = { ...(isObject(additional) && additional), ...settings[key] };
		if (Object.keys(config).length > 0) body[key] = config;
		else if (isObject(additional)) delete body[key];
	}
	return JSON.stringify(body);
}
