import { DEFAULT_RETRY_POLICY } from '../shared/flow/backoff';
import { deliverEach } from '../shared/flow/deliver-each';
import { failed, type Outcome, type Verdict } from '../shared/flow/deliver';
import { FINAL_POLLS_MS, poll, type Ending, type Finding, type Polled } from '../shared/flow/poll';
import {
	classify,
	resultsPath,
	type Chunk,
	type VectorMismatch,
} from '../shared/service/chunking/chunking';
import { judge, pauseMs, ServiceFailure } from '../shared/service/failure';
import { forgetAccepted } from './earlier-submissions';
import {
	alreadyRetrieved,
	anotherRequest,
	countMismatch,
	damagedResponse,
	denied,
	idOfAnother,
	jobFailed,
	notAChunkingResponse,
	outOfTime,
	unreadableResults,
} from './failures';
import type { Chunking, Job } from './jobs';
import { forTokenAlone } from './refusals';

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

/** How long the service may need after a submission until it knows the chunking ID. */
const UNKNOWN_ID_GRACE_MS = 30_000;

/**
 * Polls jobs until each has finished, failed or run out of time.
 *
 * @returns each job with what was fetched
 */
export function fetchAll(
	jobs: AsyncIterable<Job>,
	chunking: Chunking,
): AsyncGenerator<Polled<Job, Fetched>, void, undefined> {
	const { options, fetching } = chunking;
	const maxWaitMs = options.maxWaitSeconds * 1000;
	return poll<Job, Fetched>(jobs, {
		run: fetching.run,
		limiter: fetching.limiter,
		intervals: {
			startMs: options.firstIntervalSeconds * 1000,
			capMs: options.longestIntervalSeconds * 1000,
		},
		retryPolicy: DEFAULT_RETRY_POLICY,
		deadlineOf: ({ since }) => since + maxWaitMs,
		check: async (job, leftMs) => await check(job, chunking, leftMs + FINAL_POLLS_MS),
		judge: (error, job) => judgePoll(error, job, chunking),
		expire: (job, lastError): Ending<Fetched> =>
			options.whenTimeRunsOut === 'output'
				? { state: 'finished', response: { type: 'pending', lastError } }
				: {
						state: 'failed',
						reason: outOfTime(options.maxWaitSeconds, job.status, lastError),
					},
	});
}

/** Fetches each job once, whether it has finished or not. */
export async function* fetchOnce(
	jobs: Job[],
	chunking: Chunking,
): AsyncGenerator<{ job: Job; outcome: Outcome<Fetched> }, void, undefined> {
	const line = chunking.fetching;
	const judgeFetch = (error: unknown) => forJobAlone(error, line.judge(error), chunking);
	const send = async (job: Job): Promise<Fetched> => {
		const finding = await check(job, chunking);
		if (finding.state === 'failed') throw finding.reason;
		return finding.state === 'finished' ? finding.response : { type: 'pending' };
	};
	for await (const slice of deliverEach([jobs], send, { ...line, judge: judgeFetch })) {
		for (const { entry, outcome } of slice) yield { job: entry, outcome };
	}
}

function judgePoll(error: unknown, job: Job, chunking: Chunking): Verdict {
	if (isTransient(error, job, chunking.run.now())) return { action: 'retry' };
	return forJobAlone(error, judge(error, { idempotent: true }), chunking);
}

/**
 * A status such as 403 fails its job alone: others may have been submitted with other rights. Without a
 * connection all of them fail, and without a token all that need it.
 */
function forJobAlone(error: unknown, verdict: Verdict, chunking: Chunking): Verdict {
	const isOfJob = error instanceof ServiceFailure && error.kind === 'status';
	return verdict.action === 'stop' && isOfJob
		? { ...verdict, action: 'fail' }
		: forTokenAlone(error, verdict, chunking);
}

/** Errors that are permanent elsewhere, but transient for a job. */
function isTransient(error: unknown, { isOwn, since }: Job, now: number): boolean {
	if (!(error instanceof ServiceFailure)) return false;
	// Such as the page of a proxy in place of the service.
	if (error.kind === 'response') return true;
	return error.httpStatus === 404 && isOwn && now - since < UNKNOWN_ID_GRACE_MS;
}

async function check(job: Job, chunking: Chunking, leftMs = Infinity): Promise<Finding<Fetched>> {
	if (job.response !== undefined) {
		const finding = submissionFinding(job, chunking);
		if (finding.state !== 'pending') return finding;
	}
	const { options } = chunking;
	const { body, retryAfterMs } = await job.session
		.request({
			method: 'GET',
			path: resultsPath(options.resultsPath, job.chunkingId),
			timeoutMs: Math.min(options.timeoutSeconds * 1000, leftMs),
			isUnmasked: true,
		})
		.catch((error: unknown) => {
			// The service may have delivered what did not arrive.
			if (error instanceof ServiceFailure && error.outcomeUnknown)
				lose(job, error.message, chunking);
			throw error;
		});
	const finding = findingOf(job, body, chunking);
	if (finding.state !== 'pending' || retryAfterMs === undefined) return finding;
	return { ...finding, delayMs: pauseMs(retryAfterMs) };
}

function lose(job: Job, reason: string, { lost }: Chunking): void {
	job.lost = reason;
	lost.set(job.chunkingId, reason);
}

/** What the response to its submission means for a job, once: it may already have the results. */
function submissionFinding(job: Job, chunking: Chunking): Finding<Fetched> {
	const { response } = job;
	delete job.response;
	// A response with a chunking ID is enough, whatever else it has: the results come by polling.
	return classify(response, job.chunkingId).state === 'invalid'
		? { state: 'pending' }
		: findingOf(job, response, chunking);
}

/** What a response means for its job (docs/service-interface.md, Chunking results). */
function findingOf(job: Job, body: unknown, chunking: Chunking): Finding<Fetched> {
	const response = classify(body, job.chunkingId);
	if (response.status !== undefined)
		job.status = job.session.words(response.status) || job.status;
	if (response.hasContent) {
		job.kept = kept(job.kept, body);
		if (response.state !== 'pending') chunking.responses.set(job.chunkingId, body);
	}
	// What was lost before does not explain what happens after a response that arrived.
	if (response.state === 'pending') delete job.lost;
	const fail = (reason: unknown): Finding<Fetched> => {
		job.state = 'failed';
		if (job.isOwn) forgetAccepted(job, chunking);
		return { state: 'failed', reason };
	};
	const finish = (fetched: Fetched): Finding<Fetched> => {
		job.state = 'finished';
		delete job.kept;
		return { state: 'finished', response: fetched };
	};
	const isRaw = chunking.parameters.choice('output') === 'raw';
	switch (response.state) {
		case 'pending':
			return { state: 'pending' };
		case 'finished': {
			if (isRaw) return finish({ type: 'raw', body });
			job.kept = body;
			if (job.isAmbiguous) return fail(idOfAnother());
			const { texts, mismatches } = response;
			if (job.textCount === undefined || job.textCount === texts.length) {
				return finish({ type: 'results', texts, mismatches, body });
			}
			return fail(countMismatch(texts.length, job.textCount));
		}
		case 'unreadable':
			return isRaw ? finish({ type: 'raw', body }) : fail(unreadableResults(job.status));
		case 'failed':
			// Data that came with it would be lost if its texts were submitted again.
			if (!response.hasContent) job.hasError = true;
			return fail(jobFailed(job.status, job.session.words(body), job.textCount ?? 1));
		case 'denied':
			return fail(denied(response.by, job.session.words(body)));
		case 'alreadyRetrieved':
			return fail(alreadyRetrieved(job.lost, job.isOwn, job.kept !== undefined));
		case 'foreign':
			throw anotherRequest(job.session.words(response.chunkingId));
		case 'invalid': {
			const isDamaged = typeof body === 'string' && response.hasContent;
			const what = isDamaged ? 'a valid JSON object' : 'a valid chunking response';
			lose(job, `what arrived is not ${what}`, chunking);
			throw isDamaged ? damagedResponse() : notAChunkingResponse();
		}
	}
}

/** Damaged results may have come only once: data that comes after them is kept beside them. */
function kept(before: unknown, body: unknown): unknown {
	const damaged: unknown = Array.isArray(before) ? before[0] : before;
	return typeof damaged === 'string' && damaged !== body ? [damaged, body] : body;
}

/** The outcome of a submission: pending, or already the results or the error. */
export function outcomeOfSubmission(job: Job, chunking: Chunking): Outcome<Fetched> {
	try {
		const finding = submissionFinding(job, chunking);
		if (finding.state === 'failed') return failed(finding.reason, 1);
		const response: Fetched =
			finding.state === 'finished' ? finding.response : { type: 'pending' };
		return { ok: true, response, attempts: 1 };
	} catch (reason) {
		return failed(reason, 1);
	}
}
