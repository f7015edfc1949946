import { pathSegment } from './url';
import { coverage, type Chunk } from './chunking-response';
import { InputError } from './input-error';

export * from './chunking-response';

const ID_PLACEHOLDER = '{chunkingId}';
/** The interface leaves this path open, so it is an option (docs/service-interface.md, Chunking results). */
export const DEFAULT_RESULTS_PATH = `/ai/async-chunking/${ID_PLACEHOLDER}`;

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

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
 * Submit texts).
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
	if (typeof template !== 'string') return 'be a text';
	if (!template.startsWith('/') || !template.includes(ID_PLACEHOLDER)) {
		return `start with / and contain ${ID_PLACEHOLDER}`;
	}
	if (/[?#]/.test(template)) return 'not have a query or fragment: remove ? and #';
	// A URL parser leaves out tabs and line breaks, and takes a backslash for a slash.
	if (/[\s\p{Cc}\\]/u.test(template))
		return 'not contain spaces, control characters or backslashes';
	// It also takes an encoded dot for a dot.
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
 * Body of a submission (docs/service-interface.md, Submit texts). Configs without members are not sent;
 * additional fields may also add to the three configs.
 */
export function submitBody(settings: ChunkSettings, texts: string[]): string {
	const body: Record<string, unknown> = {
		...settings.additionalFields,
		batch: texts.map((text) => ({ text })),
	};
	for (const key of ['modelConfig', 'useCaseConfig', 'chunkerConfig'] as const) {
		const additional = body[key];
		const config = { ...(isObject(additional) && additional), ...settings[key] };
		if (Object.keys(config).length > 0) body[key] = config;
		else if (isObject(additional)) delete body[key];
	}
	return JSON.stringify(body);
}

export interface ChunkingReply {
	chunkingId?: string;
	/** SUBMITTED, READY, RETRIEVED, ERROR, or what the service adds. */
	status: string;
	/** The service's words, where it has any. */
	message?: string;
	/**
	 * Chunks of each text, in the order of the batch, undefined for an entry that has no list of
	 * them; absent while there are no results.
	 */
	results?: Array<Chunk[] | undefined>;
}

/** @deprecated Use `classify`. */
export function parseChunkingReply(body: unknown): ChunkingReply | undefined {
	if (!isObject(body)) return undefined;
	const { chunkingId, status, message, chunkedData } = body;
	if (typeof status !== 'string' && !Array.isArray(chunkedData)) return undefined;

	const reply: ChunkingReply = { status: typeof status === 'string' ? status : 'READY' };
	if (typeof chunkingId === 'string' && chunkingId !== '') reply.chunkingId = chunkingId;
	if (typeof message === 'string' && message !== '') reply.message = message;
	if (Array.isArray(chunkedData)) {
		const vectors = Array.isArray(body.vector) ? body.vector : [];
		let position = 0;
		reply.results = chunkedData.map((entry: unknown) => {
			const chunks = parseEntry(entry, vectors, position);
			position += chunks?.length ?? 0;
			return chunks;
		});
	}
	return reply;
}

function parseEntry(
	entry: unknown,
	sharedVectors: unknown[],
	position: number,
): Chunk[] | undefined {
	if (!isObject(entry) || !Array.isArray(entry.chunks)) return undefined;
	const spans = Array.isArray(entry.spans) ? entry.spans : [];
	const vectors = Array.isArray(entry.vectors) ? entry.vectors : undefined;
	return entry.chunks.map((value: unknown, index) => {
		const chunk: Chunk = { text: typeof value === 'string' ? value : JSON.stringify(value) };
		const span: unknown = spans[index];
		if (Array.isArray(span) && typeof span[0] === 'number' && typeof span[1] === 'number') {
			chunk.start = span[0];
			chunk.end = span[1];
		}
		const embedding: unknown = vectors ? vectors[index] : sharedVectors[position + index];
		if (Array.isArray(embedding)) {
			chunk.vector = embedding as number[];
		} else if (isObject(embedding)) {
			if (Array.isArray(embedding.vector)) chunk.vector = embedding.vector as number[];
			const used = embedding.tokensUsed;
			const tokens = isObject(used) ? used.inputTokens : used;
			if (typeof tokens === 'number') chunk.tokensUsed = tokens;
		}
		return chunk;
	});
}

/** @deprecated Use `classify`. */
export function isDone(reply: ChunkingReply): boolean {
	return reply.results !== undefined && reply.status !== 'ERROR' && reply.status !== 'SUBMITTED';
}

/** @deprecated Use `classify`. */
export function hasContent(reply: ChunkingReply, body: unknown): boolean {
	if (!['READY', 'RETRIEVED'].includes(reply.status) || !isObject(body)) return false;
	return Object.values(body).some((member) => typeof member === 'object' && member !== null);
}

/** @deprecated Use `coverage`. */
export const cutTailLength = (text: string, chunks: Chunk[]): number =>
	coverage(text, chunks).missing;
