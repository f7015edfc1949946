import { deliverEach, type Delivered } from '../../shared/flow/deliver';
import type { Verdict } from '../../shared/flow/verdict';
import { flat, singly } from '../../shared/flow/parallel';
import { poll, type Finding } from '../../shared/flow/poll';
import type { Session } from '../../shared/n8n/session/session';
import { resultsPath } from '../../shared/service/chunking/chunking';
import { classify, type TextResult } from '../../shared/service/chunking/chunking-response';
import { ServiceFailure } from '../../shared/service/failure';
import {
	alreadyRetrieved,
	countMismatch,
	jobFailed,
	notAChunkingResponse,
	outOfTime,
	unreadableResults,
} from '../failures';
import type { ChunkService, Job } from '../submit/service';

/** How jobs are polled, in milliseconds. */
export const POLLING = {
	/** Between the first two polls of a job; each interval is longer. */
	firstMs: 250,
	/** No interval is longer. */
	longestMs: 10_000,
	/** How long a new chunking ID may be unknown to the service. */
	unknownIdMs: 30_000,
	/** How long the final poll may take. */
	finalMs: 5000,
};

/** What was fetched for a job. */
export type Fetched =
	| {
			type: 'results';
			/** For each text of the request; undefined for an entry that cannot be read. */
			texts: Array<TextResult | undefined>;
			body: unknown;
	  }
	/** Not finished: the items go on with the chunking ID. */
	| { type: 'pending'; lastError?: unknown }
	/** The service no longer knows the job, such as after a restart: its texts are to be submitted again. */
	| { type: 'lost'; reason: unknown };

/** Jobs, each with what was fetched, as soon as that is known. */
export type FetchedJobs = AsyncGenerator<Delivered<Job, Fetched>, void, undefined>;

/** Fetches jobs in one of three ways. */
export type Fetch = (jobs: AsyncIterable<Job>, service: ChunkService) => FetchedJobs;

/** Polls jobs until each has finished, failed or run out of time. */
export function fetchAll(jobs: AsyncIterable<Job>, service: ChunkService): FetchedJobs {
	const { run, options, fetching } = service;
	return poll<Job, Fetched>(jobs, {
		...fetching,
		intervals: POLLING,
		deadlineOf: ({ since }) => since + options.maxWaitSeconds * 1000,
		check: async (job, leftMs) =>
			await check(job, service, leftMs + POLLING.finalMs).catch((reason: unknown) => {
				if (!job.isKnown || !isUnknownId(reason) || isTransient(reason, job, run.now()))
					throw reason;
				job.ended = 'failed';
				return { state: 'finished', response: { type: 'lost', reason } };
			}),
		judge: (error, job) =>
			isTransient(error, job, run.now()) ? { action: 'retry' } : forJobAlone(error, service),
		expire: (job, lastError) => {
			if (options.whenTimeRunsOut === 'output')
				return { state: 'finished', response: { type: 'pending', lastError } };
			const status = service.session.words(job.status);
			return {
				state: 'failed',
				reason: outOfTime(options.maxWaitSeconds, status, lastError),
			};
		},
	});
}

/** Fetches each job once, whether it has finished or not. */
export function fetchOnce(jobs: AsyncIterable<Job>, service: ChunkService): FetchedJobs {
	const send = async (job: Job): Promise<Fetched> => {
		const finding = await check(job, service);
		if (finding.state === 'failed') throw finding.reason;
		return finding.state === 'finished' ? finding.response : { type: 'pending' };
	};
	const line = { ...service.fetching, judge: (error: unknown) => forJobAlone(error, service) };
	return flat(deliverEach(singly(jobs), send, line));
}

/** Fetches nothing: the items go on with their chunking IDs. */
export async function* fetchNothing(jobs: AsyncIterable<Job>): FetchedJobs {
	for await (const entry of jobs)
		yield { entry, outcome: { ok: true, response: { type: 'pending' } } };
}

async function check(
	job: Job,
	service: ChunkService,
	leftMs = Infinity,
): Promise<Finding<Fetched>> {
	const { options, session } = service;
	const { body } = await session.request({
		method: 'GET',
		path: resultsPath(options.resultsPath, job.chunkingId),
		timeoutMs: Math.min(options.timeoutSeconds * 1000, leftMs),
		isUnmasked: true,
		advice: job.isOwn ? ADVICE_FOR_OWN : ADVICE_FOR_EARLIER,
	});
	job.isKnown = true;
	return meaningOf(job, body, session);
}

const CHECK_PATH = "'AI Service URL' in the credential and the option 'Results Path'";
/** What to do after statuses of a job that this run has submitted ... */
const ADVICE_FOR_OWN = {
	404: `The service does not have the results of this request: submit the text again. If that does not help, check ${CHECK_PATH}`,
	content: `Check what the service says, and then ${CHECK_PATH}`,
};
/** ... and of one whose chunking ID was given. */
const ADVICE_FOR_EARLIER = {
	404: `Check 'Chunking ID'. If the service no longer has it, submit the text again. If it has none of your IDs, check ${CHECK_PATH}`,
	content: `Check what the service says, and then 'Chunking ID', ${CHECK_PATH}`,
};

const isUnknownId = (error: unknown): boolean =>
	error instanceof ServiceFailure && error.httpStatus === 404;

/** Whether an error that is permanent elsewhere may pass for a job. */
function isTransient(error: unknown, { isOwn, since }: Job, now: number): boolean {
	// Such as the page of a proxy in place of the service.
	if (error instanceof ServiceFailure && error.kind === 'response') return true;
	return isUnknownId(error) && isOwn && now - since < POLLING.unknownIdMs;
}

/** Judges an error of a poll. A status such as 403 fails its job alone: others may be of other clients. */
function forJobAlone(error: unknown, { fetching }: ChunkService): Verdict {
	const verdict = fetching.judge(error);
	const isOfJob = error instanceof ServiceFailure && error.kind === 'status';
	return verdict.action === 'stop' && isOfJob ? { ...verdict, action: 'fail' } : verdict;
}

/**
 * Says what a response means for its job (docs/service-interface.md, Chunking results), and takes into the
 * job what is known of it from now on.
 *
 * @throws ServiceFailure for a response that cannot be used, where another one may be
 */
function meaningOf(job: Job, body: unknown, session: Session): Finding<Fetched> {
	const response = classify(body);
	const { hasContent, state, status } = response;
	if (status !== undefined && status.trim() !== '') job.status = status;
	const hadContent = job.kept !== undefined;
	// Chunks that came before a job failed are not given up for what its failure says.
	if (hasContent && !(state === 'failed' && hadContent)) job.kept = body;
	switch (state) {
		case 'invalid':
			throw notAChunkingResponse(hasContent);
		case 'pending':
			return { state };
		case 'finished': {
			const { texts } = response;
			if (job.textCount !== undefined && job.textCount !== texts.length) {
				job.kept = body;
				return fail(job, countMismatch(texts.length, job.textCount));
			}
			job.kept = undefined;
			job.ended = 'finished';
			return { state, response: { type: 'results', texts, body } };
		}
		case 'unreadable':
			return fail(job, unreadableResults(session.words(job.status)));
		case 'alreadyRetrieved':
			return fail(job, alreadyRetrieved(hadContent));
		case 'failed': {
			const { refs, kept } = job;
			const words = session.words(body);
			const reason = jobFailed(session.words(job.status), words, job.textCount ?? 1);
			job.mayRepeat = job.isOwn && refs.length > 1 && kept === undefined;
			return fail(job, reason);
		}
	}
}

function fail(job: Job, reason: unknown): Finding<Fetched> {
	job.ended = 'failed';
	return { state: 'failed', reason };
}
