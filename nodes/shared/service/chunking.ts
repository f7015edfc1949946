import { pathSegment } from './address';
import { InputError } from './input-error';

/** Path of the results (facts, section 1.1); the spec leaves it open, so it is a parameter. */
export const DEFAULT_RESULTS_PATH = '/ai/async-chunking/{chunkingId}';

const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** How one text is to be chunked. Texts with equal settings may share a request. */
export interface ChunkSettings {
	scope: string;
	chunker: string;
	modelId: string;
	/** Body members beside `batch`; empty ones are left out. */
	modelConfig: Record<string, unknown>;
	useCaseConfig: Record<string, unknown>;
	chunkerConfig: Record<string, unknown>;
	additionalFields: Record<string, unknown>;
}

/**
 * Path of endpoint 2, e.g. `/ai/async-chunking/regex-splitter/gte-small`.
 *
 * @throws InputError for a name that is empty, `.` or `..`
 */
export function submitPath(chunker: string, modelId: string): string {
	return `/ai/async-chunking/${pathSegment(chunker, 'Chunker')}/${pathSegment(modelId, 'Model ID')}`;
}

/**
 * Path of the results of a chunking request.
 *
 * @throws InputError if the template has no `{chunkingId}` or the id is empty, `.` or `..`
 */
export function resultsPath(template: string, chunkingId: string): string {
	if (!template.startsWith('/') || !template.includes('{chunkingId}')) {
		throw new InputError(
			"'Results Path' must start with / and contain {chunkingId}",
			`The default is ${DEFAULT_RESULTS_PATH}`,
		);
	}
	return template.replaceAll('{chunkingId}', () => pathSegment(chunkingId, 'Chunking ID'));
}

/**
 * Body of endpoint 2 (spec, Chunking request body). What the user left empty is not sent; additional
 * fields may also add to the three config objects.
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
	}
	return JSON.stringify(body);
}

export interface Chunk {
	text: string;
	/** Offsets in characters of the submitted text, the end exclusive. */
	start?: number;
	end?: number;
	tokensUsed?: number;
	vector?: number[];
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

/**
 * Reads a reply of endpoint 2 or of the results GET (spec, Chunking submission response; facts,
 * section 1.5: vectors nested in each entry, or in an older shape in one list beside the entries).
 * Vectors are the reply's own arrays, never copies: they are most of a large reply's memory.
 *
 * @returns undefined if the body is no such reply
 */
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

/** Results are there: READY or RETRIEVED (spec, States), and they came with the reply. */
export function isDone(reply: ChunkingReply): boolean {
	return reply.results !== undefined && reply.status !== 'ERROR' && reply.status !== 'SUBMITTED';
}

/**
 * Whether a reply holds content of whatever shape (spec: the result fields are not shown), so that it
 * can be handed on as it is.
 */
export function hasContent(reply: ChunkingReply, body: unknown): boolean {
	if (!['READY', 'RETRIEVED'].includes(reply.status) || !isObject(body)) return false;
	return Object.values(body).some((member) => typeof member === 'object' && member !== null);
}

/** A splitter's separators end a text too; a remainder shorter than this is taken for one. */
const MIN_CUT_TAIL_CHARACTERS = 16;

/**
 * How much of the end of a text no chunk covers (facts, section 1.7: beyond the limit of chunks a
 * text may be cut off without a word).
 *
 * @returns characters left out, or 0 if the last span reaches the end or there are no spans
 */
export function cutTailLength(text: string, chunks: Chunk[]): number {
	const end = chunks.at(-1)?.end;
	if (end === undefined || end >= text.length) return 0;
	// The service counts characters as Python does: a surrogate pair is one.
	const tail = Array.from(text).slice(end);
	return tail.join('').trim().length < MIN_CUT_TAIL_CHARACTERS ? 0 : tail.length;
}
