import { isObject } from '../json';
import { MESSAGE_KEYS, serverMessage } from '../failure';
import { denialIn } from '../success';

/** A chunk of a text; everything but its text only if the service returned it. */
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

interface CommonFacts {
	/** As the service wrote it; undefined if the response has none. */
	status: string | undefined;
	/** The request the response names. */
	chunkingId: string | undefined;
	/**
	 * The response holds data beside its status. The service may deliver it only once, so it must not
	 * be discarded, whatever the state.
	 */
	hasContent: boolean;
}

/** What a chunking response means, apart from what to do about it. */
export type ChunkingResponse = CommonFacts &
	(
		| {
				state: 'finished';
				/**
				 * Chunks of each text, in the order of the batch; undefined for an entry that cannot be
				 * read.
				 */
				texts: Array<Chunk[] | undefined>;
				/**
				 * For each text whose vectors cannot be assigned to its chunks: these have none then.
				 */
				mismatches: Array<VectorMismatch | undefined>;
		  }
		| {
				/** The service says that it did not do what it was asked to, whatever its status. */
				state: 'denied';
				/** In its words, e.g. `success: false`. */
				by: string;
		  }
		| {
				state: /** Not finished, nothing known against it. */
				| 'pending'
					/** The service gave up. */
					| 'failed'
					/** RETRIEVED without data: it was delivered before. */
					| 'alreadyRetrieved'
					/** READY or RETRIEVED with data of an unknown shape: return it as received. */
					| 'unreadable'
					/** It is the response of another request. */
					| 'foreign'
					/** Not a chunking response, such as the page of a proxy. */
					| 'invalid';
		  }
	);

const FINISHED = new Set(['READY', 'RETRIEVED']);

/** ERROR is the one the interface knows; a service may use the others of its kind. */
const FAILED = new Set([
	'ABORTED',
	'CANCELED',
	'CANCELLED',
	'ERROR',
	'ERRORED',
	'EXPIRED',
	'FAILED',
	'FAILURE',
	'KILLED',
	'REJECTED',
	'TERMINATED',
	'TIMED_OUT',
	'TIMEDOUT',
	'TIMEOUT',
]);

/**
 * Says what the response to a submission or to a poll means (docs/service-interface.md, Chunking
 * results). Only READY and RETRIEVED finish a job and only well-known failures fail it, in any letter
 * case; with any other status it is pending, whatever else the response holds. Never throws.
 *
 * @param body parsed JSON, or text
 * @param expectedId the chunking ID that was asked for
 */
export function classify(body: unknown, expectedId?: string): ChunkingResponse {
	// Such as 204: there is nothing yet.
	if (body === undefined || (typeof body === 'string' && body.trim() === '')) {
		return { state: 'pending', status: undefined, chunkingId: undefined, hasContent: false };
	}
	const members = isObject(body) ? body : {};
	const { chunkedData } = members;
	const status = typeof members.status === 'string' ? members.status : undefined;
	const chunkingId = nonEmpty(members.chunkingId);
	const facts = { status, chunkingId, hasContent: hasContent(body) };

	if (isAnother(chunkingId, expectedId)) return { ...facts, state: 'foreign' };
	const denial = denialIn(members);
	if (denial !== undefined) return { ...facts, state: 'denied', by: `${denial}: false` };
	if (status === undefined && !Array.isArray(chunkedData)) return { ...facts, state: 'invalid' };
	const known = normalized(status ?? 'READY');
	if (FAILED.has(known)) return { ...facts, state: 'failed' };
	if (!FINISHED.has(known)) return { ...facts, state: 'pending' };
	return { ...facts, ...finished(known, members, facts.hasContent) };
}

/** What a response says whose job is finished. */
function finished(
	status: string,
	body: Record<string, unknown>,
	content: boolean,
): ({ state: 'finished' } & Entries) | { state: 'pending' | 'alreadyRetrieved' | 'unreadable' } {
	const { chunkedData } = body;
	const isList = Array.isArray(chunkedData);
	if (isList && chunkedData.length > 0) {
		const vectors = Array.isArray(body.vector) ? body.vector : [];
		return { state: 'finished', ...readEntries(chunkedData, vectors) };
	}
	if (content) return { state: 'unreadable' };
	if (status === 'RETRIEVED') return { state: 'alreadyRetrieved' };
	return isList ? { state: 'finished', texts: [], mismatches: [] } : { state: 'pending' };
}

/** Whether the service says that the job has finished, in any letter case. */
export const hasFinished = (status: string): boolean => FINISHED.has(normalized(status));

const nonEmpty = (value: unknown): string | undefined =>
	typeof value === 'string' && value !== '' ? value : undefined;

/** Whether a response belongs to another request. UUIDs in another letter case are the same ID. */
const isAnother = (id: string | undefined, expected: string | undefined): boolean =>
	id !== undefined && expected !== undefined && id.toLowerCase() !== expected.toLowerCase();

const normalized = (status: string): string =>
	status
		.trim()
		.toUpperCase()
		.replace(/[\s-]+/g, '_');

/** What a response says about its job, in members of any shape. */
const STATUS_MEMBERS = new Set(['chunkingId', 'status', ...MESSAGE_KEYS]);

/** A date or a URL says something about a job; a longer text may be its data. */
const MIN_DATA_CHARACTERS = 100;

const isData = (value: unknown): boolean =>
	typeof value === 'string'
		? value.length >= MIN_DATA_CHARACTERS
		: typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Whether a text is JSON that was damaged, rather than words or a page in place of it. */
export const beginsAsJson = (text: string): boolean => /^\s*["[{]/.test(text);

function hasContent(body: unknown): boolean {
	if (typeof body === 'string') return beginsAsJson(body);
	if (!isObject(body)) return isData(body);
	return Object.entries(body).some(([name, value]) => !STATUS_MEMBERS.has(name) && isData(value));
}

/** What the entries of a response hold, in their order. */
interface Entries {
	texts: Array<Chunk[] | undefined>;
	mismatches: Array<VectorMismatch | undefined>;
}

/**
 * Reads the entries of a response in both known shapes: vectors within each entry, or in one list
 * beside the entries. Vectors are the response's own arrays, never copies: they are most of the memory
 * of a large one.
 */
function readEntries(entries: unknown[], sharedVectors: unknown[]): Entries {
	const counts = entries.map((entry) =>
		isObject(entry) && Array.isArray(entry.chunks) ? entry.chunks.length : undefined,
	);
	const starts = positions(counts, sharedVectors.length);
	const total = counts.reduce((sum: number, count = 0) => sum + count, 0);
	const mismatches = entries.map((): VectorMismatch | undefined => undefined);
	const texts = entries.map((entry, index) => {
		if (!isObject(entry) || !Array.isArray(entry.chunks)) return undefined;
		// An error in place of chunks, such as an overloaded model: the text is not without chunks.
		if (entry.chunks.length === 0 && serverMessage(entry) !== '') return undefined;
		const chunks = readChunks(entry.chunks, Array.isArray(entry.spans) ? entry.spans : []);
		if (chunks === undefined || chunks.length === 0) return chunks;
		const start = starts[index];
		if (Array.isArray(entry.vectors)) {
			mismatches[index] = addVectors(chunks, entry.vectors, 0, entry.vectors.length);
		} else if (start !== undefined) {
			mismatches[index] = addVectors(chunks, sharedVectors, start, chunks.length);
		} else if (sharedVectors.length > 0) {
			mismatches[index] = { vectors: sharedVectors.length, chunks: total };
		}
		return chunks;
	});
	return { texts, mismatches };
}

function readChunks(values: unknown[], spans: unknown[]): Chunk[] | undefined {
	const chunks: Chunk[] = [];
	for (const [index, value] of values.entries()) {
		const text = chunkText(value);
		if (text === undefined) return undefined;
		const chunk: Chunk = { text };
		readSpan(chunk, spans[index]);
		chunks.push(chunk);
	}
	return chunks;
}

/**
 * Gives chunks their vectors. Unless each gets one, none can be trusted to be that of its chunk: then
 * none gets any.
 */
function addVectors(
	chunks: Chunk[],
	vectors: unknown[],
	first: number,
	count: number,
): VectorMismatch | undefined {
	// Without vectors nothing can be assigned wrongly.
	if (count === 0) return undefined;
	if (count !== chunks.length) return { vectors: count, chunks: chunks.length };
	for (const [index, chunk] of chunks.entries()) readVector(chunk, vectors[first + index]);
	const found = chunks.filter(({ vector }) => vector !== undefined).length;
	if (found === 0 || found === chunks.length) return undefined;
	for (const chunk of chunks) delete chunk.vector;
	return { vectors: found, chunks: chunks.length };
}

/**
 * Where in the shared list the vectors of each entry begin; undefined where that cannot be told. The
 * entries after one whose number of chunks is unknown are counted from the end.
 *
 * @param counts of chunks of each entry, undefined for one that cannot be read
 */
function positions(counts: Array<number | undefined>, vectors: number): Array<number | undefined> {
	const starts = counts.map((): number | undefined => undefined);
	const known = counts.reduce((sum: number, count = 0) => sum + count, 0);
	const firstUnknown = counts.indexOf(undefined);
	if (firstUnknown < 0 ? known !== vectors : known > vectors) return starts;
	let forward = 0;
	for (const [index, count] of counts.entries()) {
		if (count === undefined) break;
		starts[index] = forward;
		forward += count;
	}
	let backward = vectors;
	for (let index = counts.length - 1; index > firstUnknown && firstUnknown >= 0; index--) {
		const count = counts[index];
		if (count === undefined) break;
		backward -= count;
		starts[index] = backward;
	}
	return starts;
}

/** The text of a chunk; undefined for what is none. */
function chunkText(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	if (value === null || value === undefined) return undefined;
	try {
		return JSON.stringify(value);
	} catch {
		// Nested so deep that it cannot be written.
		return undefined;
	}
}

function readSpan(chunk: Chunk, span: unknown): void {
	if (!Array.isArray(span)) return;
	const [start, end] = span as unknown[];
	if (typeof start !== 'number' || typeof end !== 'number') return;
	chunk.start = start;
	chunk.end = end;
}

function readVector(chunk: Chunk, value: unknown): void {
	if (Array.isArray(value)) chunk.vector = value as number[];
	else if (isObject(value)) {
		if (Array.isArray(value.vector)) chunk.vector = value.vector as number[];
		const used = value.tokensUsed;
		const tokens = isObject(used) ? used.inputTokens : used;
		if (typeof tokens === 'number') chunk.tokensUsed = tokens;
	}
}

/** How much of a text its chunks cover. */
export interface Coverage {
	/** Characters at the end that no chunk covers, not counting a separator; 0 if that is unknown. */
	missing: number;
	/**
	 * Whether these are all chunks of the text. Only then is it certain that a chunk beyond them no
	 * longer exists.
	 */
	isComplete: boolean;
	/** False if a chunk is not what the text has at its span: it may belong to another text. */
	isOwn: boolean;
}

/** A separator ends a text too; a remainder shorter than this is taken for one. */
const MIN_MISSING_CHARACTERS = 16;

/**
 * Says how much of a text its chunks cover: the service may truncate a text beyond its limit without
 * reporting it (docs/service-interface.md, Limits). A text counts as completely covered only if its last
 * span ends at the end of the text, apart from white space or a separator.
 *
 * @param text as submitted; undefined where it is unknown
 * @param chunks those of the response, in their order
 */
export function coverage(text: string | undefined, chunks: Chunk[]): Coverage {
	const end = chunks.at(-1)?.end;
	if (text === undefined || end === undefined) {
		const isBlank = text !== undefined && chunks.length === 0 && text.trim() === '';
		const isOwn = text === undefined || occurIn(text, chunks);
		return { missing: 0, isComplete: isBlank, isOwn };
	}
	// The service counts characters as Python does: a surrogate pair is one.
	const characters = /[\uD800-\uDBFF]/.test(text) ? Array.from(text) : undefined;
	const length = characters?.length ?? text.length;
	const part = (from: number, to?: number): string =>
		(characters ? characters.slice(from, to).join('') : text.slice(from, to)).trim();
	const isAtSpans = chunks.every(
		(chunk) =>
			chunk.start === undefined ||
			squeezed(part(chunk.start, chunk.end)) === squeezed(chunk.text),
	);
	// The service may also count otherwise, such as in bytes. Chunks of another text, which it may return
	// in another order, say nothing about this one.
	if (!isAtSpans) return { missing: 0, isComplete: false, isOwn: occurIn(text, chunks) };
	const isOwn = true;
	if (end >= length) {
		// Beyond the end it has counted something else, such as bytes: where it stopped is unknown.
		return { missing: 0, isComplete: end === length || end === text.length, isOwn };
	}
	const rest = part(end);
	if (rest.length >= MIN_MISSING_CHARACTERS) {
		return { missing: length - end, isComplete: false, isOwn };
	}
	return { missing: 0, isComplete: rest === '' || isSeparator(rest, chunks, part), isOwn };
}

/** Whether all chunks occur in a text, none before the one ahead of it. */
function occurIn(text: string, chunks: Chunk[]): boolean {
	const whole = squeezed(text);
	let from = 0;
	return chunks.every((chunk) => (from = whole.indexOf(squeezed(chunk.text), from)) >= 0);
}

/** White space is what services change in a chunk. */
const squeezed = (text: string): string => text.replace(/\s+/g, '');

/** Whether a remainder is a mark that also stands alone between two chunks, or a single one. */
function isSeparator(
	rest: string,
	chunks: Chunk[],
	part: (from: number, to: number) => string,
): boolean {
	if (/^[\p{P}\p{S}]$/u.test(rest)) return true;
	return chunks.some(({ start }, index) => {
		const before = chunks[index - 1]?.end;
		if (start === undefined || before === undefined) return false;
		const gap = start - before;
		return gap <= 2 * MIN_MISSING_CHARACTERS && part(before, start) === rest;
	});
}
