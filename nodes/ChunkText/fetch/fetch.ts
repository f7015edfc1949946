import { DEFAULT_RETRY_POLICY } from '../../shared/flow/limits/backoff';
import { deliverEach } from '../../shared/flow/deliver-each';
import { failed, type Outcome } from '../../shared/flow/deliver';
import type { Verdict } from '../../shared/flow/verdict';
import {
	FINAL_POLLS_MS,
	poll,
	type Ending,
	type Finding,
	type Polled,
} from '../../shared/flow/poll';
import { classify, resultsPath } from '../../shared/service/chunking/chunking';
import { singly } from '../../shared/flow/slices';
import { judge, pauseMs, ServiceFailure } from '../../shared/service/failure';
import { forgetAccepted } from '../submit/earlier-submissions';
import { outOfTime } from '../failures';
import { meaningOf, type Fetched } from './finding';
import type { Job, JobFacts } from '../submit/job';
import type { Chunking } from '../submit/chunking';
import { forTokenAlone } from '../submit/refusals';

/** How long the service may need after a submission until it knows the chunking ID. */
const UNKNOWN_ID_GRACE_MS = 30_000;

/** Jobs, each with what was fetched, as soon as that is known. */
export type Answers = AsyncGenerator<Polled<Job, Fetched>, void, undefined>;

/**
 * Polls jobs until each has finished, failed or run out of time.
 *
 * @returns each job with what was fetched
 */
export function fetchAll(jobs: AsyncIterable<Job>, chunking: Chunking): Answers {
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
						reason: outOfTime(options.maxWaitSeconds, job.facts.status, lastError),
					},
	});
}

/** Fetches each job once, whether it has finished or not. */
export async function* fetchOnce(jobs: AsyncIterable<Job>, chunking: Chunking): Answers {
	const line = chunking.fetching;
	const judgeFetch = (error: unknown) => forJobAlone(error, line.judge(error), chunking);
	const send = async (job: Job): Promise<Fetched> => {
		const finding = await check(job, chunking);
		if (finding.state === 'failed') throw finding.reason;
		return finding.state === 'finished' ? finding.response : { type: 'pending' };
	};
	for await (const slice of deliverEach(singly(jobs), send, { ...line, judge: judgeFetch })) {
		for (const { entry, outcome } of slice) yield { job: entry, outcome };
	}
}

/** Fetches nothing: the response to a submission may already have the results or the error. */
export async function* fetchNothing(jobs: AsyncIterable<Job>, chunking: Chunking): Answers {
	for await (const job of jobs) yield { job, outcome: outcomeOfSubmission(job, chunking) };
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
	const atOnce = submissionFinding(job, chunking);
	if (atOnce.state !== 'pending') return atOnce;
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
				setFacts(job, { ...job.facts, lost: job.facts.lost ?? error.message }, chunking);
			throw error;
		});
	const finding = found(job, body, chunking);
	if (finding.state !== 'pending' || retryAfterMs === undefined) return finding;
	return { ...finding, delayMs: pauseMs(retryAfterMs) };
}

/** What the response to its submission means for a job, once: it may already have the results. */
function submissionFinding(job: Job, chunking: Chunking): Finding<Fetched> {
	const { state, chunkingId } = job;
	if (state.name !== 'not finished' || state.unread === undefined) return { state: 'pending' };
	job.state = { name: 'not finished' };
	// A response with a chunking ID is enough, whatever else it has: the results come by polling.
	return classify(state.unread, chunkingId).state === 'invalid'
		? { state: 'pending' }
		: found(job, state.unread, chunking);
}

/**
 * Takes what a response means into its job, and into what the next try of the node knows.
 *
 * @throws ServiceFailure for a response that cannot be used
 */
function found(job: Job, body: unknown, chunking: Chunking): Finding<Fetched> {
	const { facts, hasData, says, isRepeatable } = meaningOf(job, body, chunking.mode === 'raw');
	setFacts(job, facts, chunking);
	// What cannot be read says nothing about the job to the next try.
	if (hasData && typeof body !== 'string') chunking.responses.set(job.chunkingId, body);
	switch (says.state) {
		case 'pending':
			return says;
		case 'finished':
			job.state = { name: 'finished' };
			return says;
		case 'failed':
			job.state = { name: 'failed', isRepeatable };
			if (job.isOwn) forgetAccepted(job, chunking);
			return says;
		case 'unusable':
			throw says.reason;
	}
}

function setFacts(job: Job, facts: JobFacts, { lost, kept }: Chunking): void {
	if (facts.lost !== undefined) lost.set(job.chunkingId, facts.lost);
	if (facts.kept !== job.facts.kept) kept.set(job.chunkingId, facts.kept);
	job.facts = facts;
}

function outcomeOfSubmission(job: Job, chunking: Chunking): Outcome<Fetched> {
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
