import { isObject, membersOf } from '../json';
import { MESSAGE_KEYS, serverMessage } from '../response-words';

/** The service may omit any field except `text`. */
export interface Chunk {
	text: string;
	/** Character offsets of the chunk in the submitted text. The end is exclusive. */
	start?: number;
	end?: number;
	tokensUsed?: number;
	vector?: number[];
}

/**
 * Describes a response in which the number of vectors differs from the number of chunks. The numbers refer
 * to one text, or to all texts if the texts share a list of vectors.
 */
export interface VectorMismatch {
	vectors: number;
	chunks: number;
}

export interface TextResult {
	chunks: Chunk[];
	/** Set if the vectors cannot be assigned to the chunks. In that case, the chunks have no vectors. */
	mismatch?: VectorMismatch;
}

export interface ChunkingResponse {
	state:
		| 'finished'
		| 'pending'
		| 'failed'
		/**
		 * The status is RETRIEVED, but the response contains no data, because the data was already
		 * delivered.
		 */
		| 'alreadyRetrieved'
		/** The status is READY or RETRIEVED, but the format of the data is unknown. */
		| 'unreadable'
		/** The body is not a chunking response, or it is malformed JSON. */
		| 'invalid';
	status?: string;
	chunkingId?: string;
	/** The service might not deliver the data again. */
	hasContent: boolean;
	/** Results of a finished job, in the order of its texts. If a result cannot be read, it is undefined. */
	texts: Array<TextResult | undefined>;
}

const FINISHED = ['READY', 'RETRIEVED'];

/** The documentation mentions only ERROR, but the other two statuses are handled in the same way. */
const FAILED = ['ERROR', 'FAILED', 'CANCELLED'];

/**
 * Reads the response to a submission or a poll (docs/service-interface.md, Chunking results). Only the
 * statuses READY and RETRIEVED mean that the results are available. If the status is unknown, the job is
 * pending, regardless of what else the response contains. Never throws an error.
 *
 * @param body parsed JSON, or text
 */
export function classify(body: unknown): ChunkingResponse {
	// An empty response, for example with status 204, means that there is no result yet.
	if (body === undefined || (typeof body === 'string' && body.trim() === ''))
		return { state: 'pending', hasContent: false, texts: [] };
	if (!isObject(body)) {
		const hasContent = typeof body === 'string' ? beginsAsJson(body) : hasMembers(body);
		return { state: 'invalid', hasContent, texts: [] };
	}
	const { chunkedData, chunkingId, status } = body;
	const isList = Array.isArray(chunkedData);
	const facts = {
		...(typeof status === 'string' && { status }),
		...(typeof chunkingId === 'string' && chunkingId !== '' && { chunkingId }),
		hasContent: Object.entries(body).some(
			([name, value]) => !MESSAGE_KEYS.includes(name) && hasMembers(value),
		),
		texts: [],
	};
	if (facts.status === undefined && !isList) return { ...facts, state: 'invalid' };
	const upperStatus = (facts.status ?? 'READY').trim().toUpperCase();
	if (FAILED.includes(upperStatus)) return { ...facts, state: 'failed' };
	if (!FINISHED.includes(upperStatus)) return { ...facts, state: 'pending' };
	if (isList && chunkedData.length > 0)
		return { ...facts, state: 'finished', texts: readEntries(chunkedData, body.vector) };
	if (facts.hasContent) return { ...facts, state: 'unreadable' };
	if (upperStatus === 'RETRIEVED') return { ...facts, state: 'alreadyRetrieved' };
	return { ...facts, state: isList ? 'finished' : 'pending' };
}

/** A string is not data, because it can only be a description of the job. */
const hasMembers = (value: unknown): boolean =>
	typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Returns true if a string looks like malformed JSON rather than a message from a proxy. */
const beginsAsJson = (text: string): boolean => /^\s*["[{]/.test(text);

/**
 * There are two known formats. Either each entry contains its own vectors, or one list next to the entries contains the
 * vectors for all texts. The vectors are not copied, because they account for most of the memory that a large response
 * needs.
 */
function readEntries(entries: unknown[], vector: unknown): Array<TextResult | undefined> {
	const texts = entries.map(readEntry);
	const shared = readVectors(vector) ?? [];
	const ownLists = entries.map((entry) => readVectors(membersOf(entry)?.vectors));
	dropOddVectors([shared, ...ownLists.map((own) => own ?? [])].flat());
	const total = texts.reduce((sum, text) => sum + (text?.chunks.length ?? 0), 0);
	// If an entry cannot be read, it is unknown which texts the following vectors belong to.
	const isShareable = total === shared.length && !texts.includes(undefined);
	let used = 0;
	for (const [index, text] of texts.entries()) {
		if (text === undefined) continue;
		const own = ownLists[index];
		const { length } = text.chunks;
		if (own) addVectors(text, own);
		else if (isShareable) addVectors(text, shared.slice(used, used + length));
		else if (shared.length > 0 && length > 0)
			text.mismatch = { vectors: shared.length, chunks: total };
		// Blank chunks have vectors too, so they are removed only now. The index would have documents without a text.
		text.chunks = text.chunks.filter((chunk) => chunk.text.trim() !== '');
		used += length;
	}
	return texts;
}

function readEntry(entry: unknown): TextResult | undefined {
	if (!isObject(entry) || !Array.isArray(entry.chunks)) return undefined;
	const texts: unknown[] = entry.chunks;
	// An entry can contain an error instead of chunks, for example because a model is overloaded. In that case, it is
	// unknown which chunks the text has, so the entry is treated as unreadable.
	if (texts.length === 0 && serverMessage(entry) !== '') return undefined;
	if (!texts.every((text) => typeof text === 'string')) return undefined;
	const spans: unknown[] = Array.isArray(entry.spans) ? entry.spans : [];
	return { chunks: texts.map((text, index) => ({ text, ...spanOf(spans[index]) })) };
}

function spanOf(span: unknown): Pick<Chunk, 'start' | 'end'> | undefined {
	if (!Array.isArray(span)) return undefined;
	const [start, end] = span as unknown[];
	return typeof start === 'number' && typeof end === 'number' ? { start, end } : undefined;
}

/** Describes what a response says about one vector. If `vector` is undefined, it cannot be read. */
interface ReadVector {
	vector?: number[] | undefined;
	tokensUsed?: number;
}

/**
 * If the number of vectors differs from the number of chunks, no vectors are assigned, because they could belong to
 * other chunks.
 */
function addVectors(text: TextResult, vectors: readonly ReadVector[]): void {
	const { chunks } = text;
	const isAsMany = vectors.length === chunks.length;
	const readable = vectors.filter(({ vector }) => vector !== undefined).length;
	if (isAsMany && readable === chunks.length)
		for (const [index, chunk] of chunks.entries()) Object.assign(chunk, vectors[index]);
	else if (readable > 0) {
		text.mismatch = { vectors: isAsMany ? readable : vectors.length, chunks: chunks.length };
	}
}

const readVectors = (entries: unknown): ReadVector[] | undefined =>
	Array.isArray(entries) ? entries.map(readVector) : undefined;

function readVector(entry: unknown): ReadVector {
	const { tokensUsed, vector } = membersOf(entry) ?? {};
	const tokens = membersOf(tokensUsed)?.inputTokens;
	if (!isVector(vector)) return {};
	return { vector, ...(typeof tokens === 'number' && { tokensUsed: tokens }) };
}

/** JSON.parse turns a number such as 1e400 into Infinity, which would be sent as null. */
const isVector = (value: unknown): value is number[] =>
	Array.isArray(value) && value.length > 0 && value.every(Number.isFinite);

/**
 * Makes vectors unreadable whose length differs from most vectors of the job, because a model's vectors have one
 * length. If no length is the most frequent one, it is unknown which vectors are right, so all become unreadable.
 */
function dropOddVectors(vectors: readonly ReadVector[]): void {
	const counts = new Map<number, number>();
	for (const { vector } of vectors)
		if (vector) counts.set(vector.length, (counts.get(vector.length) ?? 0) + 1);
	if (counts.size < 2) return;
	const most = Math.max(...counts.values());
	const mostFrequent = [...counts.keys()].filter((length) => counts.get(length) === most);
	const [usual] = mostFrequent.length === 1 ? mostFrequent : [];
	for (const each of vectors) if (each.vector?.length !== usual) each.vector = undefined;
}

export interface Coverage {
	/**
	 * Number of characters in the text after the last chunk. The number is 0 if these characters may be a
	 * separator, or if the number cannot be determined.
	 */
	missing: number;
	/**
	 * Whether the chunks are known to cover the whole text. If so, chunks with higher numbers no longer exist,
	 * even if an earlier run returned them.
	 */
	isComplete: boolean;
}

/**
 * Text after the last chunk is reported as missing only if it has at least this many characters. A shorter
 * text may be a separator.
 */
const MIN_MISSING_CHARACTERS = 16;

/**
 * Determines how much of a text is covered by the text's chunks. The service may truncate a long text and not report
 * the truncation (docs/service-interface.md, Limits). The text is complete if the last chunk ends at the end of the
 * text. White space is ignored in this comparison. The service may express positions in characters, as in Python, or in
 * UTF-16 code units, as in JavaScript.
 *
 * @param text the submitted text, if it is known
 * @param chunks the chunks in the order of the response
 */
export function coverage(text: string | undefined, chunks: readonly Chunk[]): Coverage {
	const end = chunks.at(-1)?.end;
	if (text === undefined || end === undefined)
		return { missing: 0, isComplete: chunks.length === 0 && text?.trim() === '' };
	// The span must end within the text. Otherwise, the service counted bytes or something else instead of characters.
	if (end <= text.length && text.slice(end).trim() === '')
		return { missing: 0, isComplete: true };
	// Python counts a surrogate pair as one character.
	const characters = Array.from(text);
	const missing = characters.length - end;
	const isComplete = missing >= 0 && characters.slice(end).join('').trim() === '';
	return { missing: isComplete || missing < MIN_MISSING_CHARACTERS ? 0 : missing, isComplete };
}

const SURROGATES = /[\ud800-\udfff]/;

/**
 * Returns a function that converts a position in a response to an offset in the text, in UTF-16 units. The service may
 * count characters, as Python does, or UTF-16 units. The function returns undefined for a position beyond the text.
 *
 * @returns undefined if it is not certain in which unit the service counts
 */
export function offsetsIn(
	text: string,
	chunks: readonly Chunk[],
): ((position: number) => number | undefined) | undefined {
	const end = chunks.at(-1)?.end;
	if (end === undefined) return undefined;
	const within = (position: number) =>
		Number.isInteger(position) && position >= 0 && position <= text.length
			? position
			: undefined;
	if (!SURROGATES.test(text)) return end <= text.length ? within : undefined;
	const offsets = codePointOffsets(text);
	const isEnd = (offset: number | undefined) =>
		offset !== undefined && text.slice(offset).trim() === '';
	const areUnits = isEnd(within(end));
	const areCharacters = isEnd(offsets[end]);
	if (areUnits === areCharacters) return undefined;
	return areUnits ? within : (position) => offsets[position];
}

/** Returns the UTF-16 offset of each character, and of the end of the text. */
function codePointOffsets(text: string): number[] {
	const offsets: number[] = [];
	let offset = 0;
	for (const character of text) {
		offsets.push(offset);
		offset += character.length;
	}
	offsets.push(offset);
	return offsets;
}
