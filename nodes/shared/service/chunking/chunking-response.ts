import { isObject, membersOf } from '../json';
import { MESSAGE_KEYS, serverMessage } from '../response-words';

/** A chunk of a text. The service may leave out every field but `text`. */
export interface Chunk {
	text: string;
	/** Offsets in characters of the submitted text, the end exclusive. */
	start?: number;
	end?: number;
	tokensUsed?: number;
	vector?: number[];
}

/** How many vectors a response has for how many chunks: of a text, or of all if they share a list. */
export interface VectorMismatch {
	vectors: number;
	chunks: number;
}

/** The results for one text of a request. */
export interface TextResult {
	chunks: Chunk[];
	/** Its vectors cannot be assigned to its chunks, which have none then. */
	mismatch?: VectorMismatch;
}

/** What a chunking response means, apart from what to do about it. */
export interface ChunkingResponse {
	state:
		| 'finished'
		/** Not finished, nothing known against it. */
		| 'pending'
		/** The service gave up. */
		| 'failed'
		/** RETRIEVED without data: it was delivered before. */
		| 'alreadyRetrieved'
		/** READY or RETRIEVED with data of an unknown shape. */
		| 'unreadable'
		/** Not a chunking response, such as damaged JSON. */
		| 'invalid';
	/** As the service wrote it. */
	status?: string;
	chunkingId?: string;
	/** It holds data beside its status, which the service may deliver only once. */
	hasContent: boolean;
	/** If it has finished, in the order of the batch; undefined for an entry that cannot be read. */
	texts: Array<TextResult | undefined>;
}

const FINISHED = ['READY', 'RETRIEVED'];

/** ERROR is the one that the interface knows. */
const FAILED = ['ERROR', 'FAILED', 'CANCELLED'];

/**
 * Reads the response to a submission or to a poll (docs/service-interface.md, Chunking results). Only
 * READY and RETRIEVED finish a job. With any status that is not known it is pending, whatever else the
 * response holds. Never throws.
 *
 * @param body parsed JSON, or text
 */
export function classify(body: unknown): ChunkingResponse {
	// Such as 204: there is nothing yet.
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

/** Whether a value is a list or an object that holds something: a text only says something about the job. */
const hasMembers = (value: unknown): boolean =>
	typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Whether a text is JSON that was damaged, rather than the words of a proxy. */
const beginsAsJson = (text: string): boolean => /^\s*["[{]/.test(text);

/**
 * Reads the entries of a response in both known shapes: vectors within each entry, or in one list
 * beside the entries, which runs through all of them. Vectors are the response's own arrays, never
 * copies: they are most of the memory of a large one.
 */
function readEntries(entries: unknown[], vector: unknown): Array<TextResult | undefined> {
	const shared = Array.isArray(vector) ? vector : [];
	const texts = entries.map(readEntry);
	const total = texts.reduce((sum, text) => sum + (text?.chunks.length ?? 0), 0);
	// After an entry that cannot be read, nobody knows whose the next vector is.
	const isShareable = total === shared.length && !texts.includes(undefined);
	let used = 0;
	for (const [index, text] of texts.entries()) {
		if (text === undefined) continue;
		const { vectors: entryVectors } = entries[index] as { vectors?: unknown };
		const { length } = text.chunks;
		if (Array.isArray(entryVectors)) addVectors(text, entryVectors);
		else if (isShareable) addVectors(text, shared.slice(used, used + length));
		else if (shared.length > 0 && length > 0)
			text.mismatch = { vectors: shared.length, chunks: total };
		used += length;
	}
	return texts;
}

function readEntry(entry: unknown): TextResult | undefined {
	if (!isObject(entry) || !Array.isArray(entry.chunks)) return undefined;
	const texts: unknown[] = entry.chunks;
	// An error in place of chunks, such as an overloaded model: the text is not without chunks.
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

/**
 * Gives chunks their vectors. Unless each gets one, none can be trusted to be that of its chunk: then
 * none gets any.
 */
function addVectors(text: TextResult, entries: unknown[]): void {
	const { chunks } = text;
	const vectors = entries.flatMap((entry) => vectorOf(entry) ?? []);
	const isAsMany = entries.length === chunks.length;
	if (isAsMany && vectors.length === chunks.length)
		for (const [index, chunk] of chunks.entries()) Object.assign(chunk, vectors[index]);
	else if (vectors.length > 0) {
		const { length } = isAsMany ? vectors : entries;
		text.mismatch = { vectors: length, chunks: chunks.length };
	}
}

function vectorOf(entry: unknown): Pick<Chunk, 'tokensUsed' | 'vector'> | undefined {
	const { tokensUsed, vector } = membersOf(entry) ?? {};
	const tokens = membersOf(tokensUsed)?.inputTokens;
	if (!Array.isArray(vector)) return undefined;
	return {
		vector: vector as number[],
		...(typeof tokens === 'number' && { tokensUsed: tokens }),
	};
}

/** How much of a text its chunks cover. */
export interface Coverage {
	/** Characters at the end that no chunk covers, not counting a separator; 0 if that is unknown. */
	missing: number;
	/** Whether these are certainly all chunks of the text: a chunk beyond them no longer exists. */
	isComplete: boolean;
}

/** A remainder shorter than this may be a separator. */
const MIN_MISSING_CHARACTERS = 16;

/**
 * Says by the last span how much of a text its chunks cover: the service may truncate a text beyond its
 * limit without reporting it (docs/service-interface.md, Limits). A text is complete if that span ends
 * at its end, apart from white space, in characters as Python or as JavaScript counts them.
 *
 * @param text as submitted; undefined where it is unknown
 * @param chunks those of the response, in their order
 */
export function coverage(text: string | undefined, chunks: readonly Chunk[]): Coverage {
	const end = chunks.at(-1)?.end;
	if (text === undefined || end === undefined)
		return { missing: 0, isComplete: chunks.length === 0 && text?.trim() === '' };
	// Beyond the end the service has counted something else, such as bytes.
	if (end <= text.length && text.slice(end).trim() === '')
		return { missing: 0, isComplete: true };
	// For Python a surrogate pair is one character.
	const characters = Array.from(text);
	const missing = characters.length - end;
	const isComplete = missing >= 0 && characters.slice(end).join('').trim() === '';
	return { missing: isComplete || missing < MIN_MISSING_CHARACTERS ? 0 : missing, isComplete };
}
