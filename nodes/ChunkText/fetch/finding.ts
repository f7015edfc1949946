import { classify, type Chunk, type VectorMismatch } from '../../shared/service/chunking/chunking';
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

/** What a response says about its job. */
export interface Meaning {
	/** What is known of the job from now on. */
	facts: JobFacts;
	/** Whether the response has data of a job that goes no further: it may come only once. */
	hasData: boolean;
	says:
		| { state: 'pending' }
		| { state: 'finished'; response: Fetched }
		| { state: 'failed'; reason: unknown; isRepeatable: boolean }
		/** The response cannot be used, but another one may be. */
		| { state: 'unusable'; reason: unknown };
}

/** What a response means for its job (docs/service-interface.md, Chunking results); changes nothing. */
export function meaningOf(
	{ chunkingId, session, textCount, isOwn, facts: before }: Readonly<Job>,
	body: unknown,
	isRaw: boolean,
): Meaning {
	const response = classify(body, chunkingId);
	const { hasContent } = response;
	const words = () => session.words(body);
	const status =
		(response.status !== undefined && session.words(response.status)) || before.status;
	const known = hasContent ? withDamaged(before.kept, body) : before.kept;
	const facts = { ...before, status, kept: known };
	const hasData = hasContent && response.state !== 'pending';
	const failed = (reason: unknown, more: Partial<JobFacts> = {}): Meaning => {
		const kept = { ...facts, ...more };
		// Data would be lost if the texts were submitted again.
		const isRepeatable = response.state === 'failed' && isOwn && kept.kept === undefined;
		return { facts: kept, hasData, says: { state: 'failed', reason, isRepeatable } };
	};
	const finished = (fetched: Fetched): Meaning => ({
		facts: { ...facts, kept: undefined },
		hasData,
		says: { state: 'finished', response: fetched },
	});
	switch (response.state) {
		case 'pending':
			// What was lost before does not explain what happens after a response that arrived.
			return { facts: { ...facts, lost: undefined }, hasData, says: { state: 'pending' } };
		case 'finished': {
			if (isRaw) return finished({ type: 'raw', body });
			if (before.isAmbiguous) return failed(idOfAnother(), { kept: body });
			const { texts, mismatches } = response;
			if (textCount === undefined || textCount === texts.length)
				return finished({ type: 'results', texts, mismatches, body });
			return failed(countMismatch(texts.length, textCount), { kept: body });
		}
		case 'unreadable':
			return isRaw ? finished({ type: 'raw', body }) : failed(unreadableResults(status));
		case 'failed':
			return failed(jobFailed(status, words(), textCount ?? 1));
		case 'denied':
			return failed(denied(response.by, words()));
		case 'alreadyRetrieved':
			return failed(alreadyRetrieved(before.lost, isOwn, known !== undefined));
		case 'foreign': {
			const reason = anotherRequest(session.words(response.chunkingId));
			return { facts, hasData, says: { state: 'unusable', reason } };
		}
		case 'invalid': {
			const isDamaged = typeof body === 'string' && hasContent;
			const what = isDamaged ? 'a valid JSON object' : 'a valid chunking response';
			const reason = isDamaged ? damagedResponse() : notAChunkingResponse();
			const lost = `what arrived is not ${what}`;
			return { facts: { ...facts, lost }, hasData, says: { state: 'unusable', reason } };
		}
	}
}

/** Damaged results may have come only once: data that comes after them is kept beside them. */
function withDamaged(before: unknown, body: unknown): unknown {
	const damaged: unknown = Array.isArray(before) ? before[0] : before;
	return typeof damaged === 'string' && damaged !== body ? [damaged, body] : body;
}
