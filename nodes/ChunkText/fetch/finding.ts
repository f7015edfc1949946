import type { Finding } from '../../shared/flow/poll';
import {
	classify,
	type Chunk,
	type ChunkingResponse,
	type VectorMismatch,
} from '../../shared/service/chunking/chunking';
import {
	alreadyRetrieved,
	anotherRequest,
	countMismatch,
	damagedResponse,
	denied,
	idOfAnother,
	jobFailed,
	notAChunkingResponse,
	unreadableResults,
} from '../failures';
import { isObject } from '../../shared/service/json';
import type { Job, JobFacts } from '../submit/job';

/** What was fetched for a job. */
export type Fetched =
	| {
			type: 'results';
			/** Chunks of each text of the request; undefined for an entry that cannot be read. */
			texts: Array<Chunk[] | undefined>;
			/** For each text whose vectors cannot be assigned to its chunks. */
			mismatches: Array<VectorMismatch | undefined>;
			body: unknown;
	  }
	| { type: 'raw'; body: unknown }
	/** Not finished: the items go on with the chunking ID. */
	| { type: 'pending'; lastError?: unknown };

/** What a response says about its job: `unusable` if it cannot be used, but another one may be. */
type Said = Finding<Fetched> | { state: 'unusable'; reason: unknown };

/** What a response means for its job. */
interface Meaning {
	says: Said;
	/** What is known of the job from now on. */
	facts: JobFacts;
	/** Whether the response has data of a job that goes no further: it may come only once. */
	hasData: boolean;
	/** Whether the texts may be submitted again: no data would be lost by that. */
	isRepeatable: boolean;
}

/** What a response means for its job (docs/service-interface.md, Chunking results); changes nothing. */
export function meaningOf(job: Readonly<Job>, body: unknown, isRaw: boolean): Meaning {
	const { chunkingId, session, isOwn, facts: before } = job;
	const response = classify(body, chunkingId);
	const { hasContent, state, status } = response;
	const read = {
		...before,
		status: (status !== undefined && session.words(status)) || before.status,
		kept: hasContent ? withEarlier(before.kept, body) : before.kept,
	};
	const { says, more } = saidBy(response, body, { ...job, facts: read }, isRaw);
	const facts = { ...read, ...more };
	return {
		says,
		facts,
		hasData: hasContent && state !== 'pending',
		isRepeatable: state === 'failed' && isOwn && facts.kept === undefined,
	};
}

/** `more`: facts that only this kind of response gives. */
interface SaidWith {
	says: Said;
	more?: Partial<JobFacts>;
}

const failed = (reason: unknown, more = {}): SaidWith => ({
	says: { state: 'failed', reason },
	more,
});
const unusable = (reason: unknown, more = {}): SaidWith => ({
	says: { state: 'unusable', reason },
	more,
});
const finished = (response: Fetched): SaidWith => ({
	says: { state: 'finished', response },
	more: { kept: undefined },
});

function saidBy(
	response: ChunkingResponse,
	body: unknown,
	job: Readonly<Job>,
	isRaw: boolean,
): SaidWith {
	const { session, textCount, isOwn, facts } = job;
	const { status, lost, kept } = facts;
	const words = () => session.words(body);
	switch (response.state) {
		case 'pending':
			// A response has arrived, so a lost one before it no longer explains missing chunks.
			return { says: { state: 'pending' }, more: { lost: undefined } };
		case 'finished':
			if (isRaw) return finished({ type: 'raw', body });
			return resultsIn(response, body, job);
		case 'unreadable':
			// Raw returns whatever came, but not in place of results that may have come only once.
			return isRaw && damagedIn(kept) === undefined
				? finished({ type: 'raw', body })
				: failed(unreadableResults(status));
		case 'failed':
			return failed(jobFailed(status, words(), textCount ?? 1));
		case 'denied':
			return failed(denied(response.by, words()));
		case 'alreadyRetrieved':
			return failed(alreadyRetrieved(lost, isOwn, kept !== undefined));
		case 'foreign':
			return unusable(anotherRequest(session.words(response.chunkingId)));
		case 'invalid':
			return typeof body === 'string' && response.hasContent
				? unusable(damagedResponse(), { lost: 'what arrived is not a valid JSON object' })
				: unusable(notAChunkingResponse(), {
						lost: 'what arrived is not a valid chunking response',
					});
	}
}

function resultsIn(
	{ texts, mismatches }: Extract<ChunkingResponse, { state: 'finished' }>,
	body: unknown,
	{ textCount, facts }: Readonly<Job>,
): SaidWith {
	if (facts.isAmbiguous) return failed(idOfAnother(), { kept: body });
	if (textCount === undefined || textCount === texts.length)
		return finished({ type: 'results', texts, mismatches, body });
	return failed(countMismatch(texts.length, textCount), { kept: body });
}

/**
 * Damaged results may have come only once, and so may chunks that came before a job failed: other data that
 * comes after them is kept beside them.
 */
function withEarlier(before: unknown, body: unknown): unknown {
	const first = firstOf(before);
	const isUnique = typeof first === 'string' || (hasChunks(first) && !hasChunks(body));
	return isUnique && first !== body ? [first, body] : body;
}

/** The damaged results among what is kept of a job. */
function damagedIn(kept: unknown): string | undefined {
	const first = firstOf(kept);
	return typeof first === 'string' ? first : undefined;
}

const firstOf = (kept: unknown): unknown => (Array.isArray(kept) ? (kept as unknown[])[0] : kept);

/** Whether a response has at least one chunk. */
const hasChunks = (body: unknown): boolean =>
	isObject(body) &&
	Array.isArray(body.chunkedData) &&
	body.chunkedData.some(
		(entry) => isObject(entry) && Array.isArray(entry.chunks) && entry.chunks.length > 0,
	);
