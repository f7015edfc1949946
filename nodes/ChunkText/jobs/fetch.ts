/**
 * Fetches the results of chunking jobs. Each job submitted by this run is polled at increasing intervals. Polling ends
 * when the service reports that the job has finished or failed, when a poll receives a permanent error, or when Max
 * Wait expires. `readResponse` decides what each response means. The service might deliver results only once.
 * Therefore, a response with unusable data is kept in the `Job` object and returned with the error. If the service has
 * lost a job, or if a job with several texts has failed, the outcome tells `jobs` to submit the texts again. Get
 * Results uses the same functions for jobs from earlier runs, but it never submits anything.
 */
import { bulk } from '../../shared/sending/bulk';
import { oneEach } from '../../shared/sending/one-each';
import { finalFailure, type Outcome, type UnfinishedJob } from '../../shared/sending/outcome';
import { inParallel, type Consumer } from '../../shared/sending/parallel';
import { poll, type Ending, type PollOptions, type PollResult } from '../../shared/sending/poll';
import type { Diagnosis } from '../../shared/sending/diagnosis';
import { resultsPath } from '../../shared/service/chunking/chunking';
import { classify, type TextResult } from '../../shared/service/chunking/chunking-response';
import { ServiceFailure } from '../../shared/service/failure';
import type { ChunkOptions } from '../parameters';
import type { ChunkService, Job } from './chunk-service';
import {
	alreadyRetrieved,
	countMismatch,
	jobFailed,
	notAChunkingResponse,
	outOfTime,
	unreadableResults,
} from './job-errors';

const POLLING = {
	/** The pause before a job's second poll. Each later pause is longer. */
	firstMs: 250,
	longestMs: 10_000,
	/** Time after a submission during which the service might not know the job yet. */
	unknownIdMs: 30_000,
	/** Time limit for the final poll. */
	finalMs: 5000,
};

export type FetchResult =
	| {
			type: 'results';
			/** In the order of the request. An unreadable entry is undefined. */
			results: Array<TextResult | undefined>;
	  }
	/** The items are returned with the chunking ID. */
	| { type: 'pending'; lastError?: unknown };

export type JobWait = (
	job: Job,
	service: ChunkService,
	consumer?: Consumer,
) => Promise<Outcome<FetchResult> | UnfinishedJob>;

/** Polls a job until it has finished, failed or run out of time. */
export const waitForEnd =
	(whenTimeRunsOut: ChunkOptions['whenTimeRunsOut']): JobWait =>
	async (job, service, consumer) => {
		const { run, options, fetching, session } = service;
		const polling: PollOptions<FetchResult> = {
			...fetching,
			intervals: POLLING,
			deadline: job.since + options.maxWaitSeconds * 1000,
			check: async (leftMs) => await checkUnlessLost(job, service, leftMs + POLLING.finalMs),
			diagnose: (error) =>
				canPollAgain(error, job, run.now())
					? { action: 'retry' }
					: diagnosePoll(error, service),
			expire: (lastError) => {
				if (whenTimeRunsOut === 'output')
					return { state: 'finished', response: { type: 'pending', lastError } };
				const status = session.words(job.status);
				const reason = outOfTime(options.maxWaitSeconds, status, lastError);
				return { state: 'failed', reason };
			},
		};
		return await poll(polling, consumer);
	};

/** Returns immediately without polling. The items are returned with their chunking IDs. */
export const fetchNothing: JobWait = async () =>
	await Promise.resolve({ ok: true, response: { type: 'pending' } });

export interface FetchedJob {
	job: Job;
	outcome: Outcome<FetchResult>;
}

export type Fetch = (
	jobs: Iterable<Job>,
	service: ChunkService,
) => AsyncGenerator<FetchedJob[], void, undefined>;

/** Polls jobs from earlier runs until all of them have ended. Each job is returned as soon as it ends. */
export function fetchAll(
	jobs: Iterable<Job>,
	service: ChunkService,
): AsyncGenerator<FetchedJob[], void, undefined> {
	const waitForJob = waitForEnd(service.options.whenTimeRunsOut);
	return inParallel<FetchedJob>(Infinity, async (tasks) => {
		for (const job of jobs)
			void tasks.start(async () => {
				const outcome = await waitForJob(job, service, tasks);
				await tasks.put({ job, outcome: outcome.next ? finalFailure(outcome) : outcome });
			});
		await Promise.resolve();
	});
}

/** Polls each job from earlier runs once. A job that has not ended is returned as pending. */
export async function* fetchOnce(
	jobs: Iterable<Job>,
	service: ChunkService,
): AsyncGenerator<FetchedJob[], void, undefined> {
	const send = async (job: Job): Promise<FetchResult> => {
		const finding = await check(job, service);
		if (finding.state === 'failed') throw finding.reason;
		return finding.state === 'finished' ? finding.response : { type: 'pending' };
	};
	const settings = {
		...service.fetching,
		diagnose: (error: unknown) => diagnosePoll(error, service),
	};
	for await (const results of bulk([[...jobs]], { ...oneEach(settings, send), arePolls: true }))
		yield results.flatMap(({ entries, outcome }) => entries.map((job) => ({ job, outcome })));
}

/** If the job is from this run and the service has lost it, the outcome tells `jobs` to submit the job again. */
async function checkUnlessLost(
	job: Job,
	service: ChunkService,
	limitMs: number,
): Promise<PollResult<FetchResult>> {
	const { jobs, run } = service;
	return await check(job, service, limitMs).catch((error: unknown) => {
		const isLost = isUnknownId(error) && (job.isKnown || jobs.isPathRight);
		if (!isLost || canPollAgain(error, job, run.now())) throw error;
		return endAsFailed(job, error, job.isOfThisRun ? 'again' : undefined);
	});
}

async function check(
	job: Job,
	service: ChunkService,
	limitMs = Infinity,
): Promise<PollResult<FetchResult>> {
	const { options, session } = service;
	const { body } = await session.request({
		method: 'GET',
		path: resultsPath(options.resultsPath, job.chunkingId),
		timeoutMs: Math.min(options.timeoutSeconds * 1000, limitMs),
		isUnmasked: true,
		advice: job.isOfThisRun ? ADVICE_FOR_THIS_RUN : ADVICE_FOR_EARLIER_RUN,
	});
	job.isKnown = true;
	if (job.isOfThisRun) service.jobs.isPathRight = true;
	return readResponse(job, body, service);
}

const CHECK_PATH = "'AI Service URL' in the credential and the option 'Results Path'";
const ADVICE_FOR_THIS_RUN = {
	404: `The service does not have the results of this request, so submit the text again. If that does not help, check ${CHECK_PATH}`,
	content: `Check what the service says, and then ${CHECK_PATH}`,
};
const ADVICE_FOR_EARLIER_RUN = {
	404: `Check 'Chunking ID'. If the service no longer has it, submit the text again. If it has none of your IDs, check ${CHECK_PATH}`,
	content: `Check what the service says, and then 'Chunking ID', ${CHECK_PATH}`,
};

const isUnknownId = (error: unknown): boolean =>
	error instanceof ServiceFailure && error.httpStatus === 404;

/** Some errors that are permanent for other requests are temporary for a poll. */
function canPollAgain(error: unknown, { isOfThisRun, since }: Job, now: number): boolean {
	// A proxy may have sent its own page instead of the service's response.
	if (error instanceof ServiceFailure && error.kind === 'response') return true;
	return isUnknownId(error) && isOfThisRun && now - since < POLLING.unknownIdMs;
}

/**
 * Normally, a status such as 401 ends the run. Here, such a status makes only this job fail, because other jobs may
 * belong to other clients. Three polls in a row with 403 still end the run (`poll`).
 */
function diagnosePoll(error: unknown, { fetching }: ChunkService): Diagnosis {
	const diagnosis = fetching.diagnose(error);
	const isOfJob = error instanceof ServiceFailure && error.kind === 'status';
	return diagnosis.action === 'stop' && isOfJob ? { ...diagnosis, action: 'fail' } : diagnosis;
}

/**
 * Decides what a response means for its job (docs/service-interface.md, Chunking results) and updates the
 * job.
 *
 * @throws ServiceFailure if the response is invalid but a later response may be valid
 */
function readResponse(
	job: Job,
	body: unknown,
	{ run, session }: ChunkService,
): PollResult<FetchResult> {
	const response = classify(body);
	const { hasContent, state, status } = response;
	if (status !== undefined && status.trim() !== '') job.status = status;
	const hadUnusedResponse = job.unusedResponse !== undefined;
	// Chunks that arrived before the job failed are kept. The response that reports the failure does not replace
	// them.
	if (hasContent && !(state === 'failed' && hadUnusedResponse)) job.unusedResponse = body;
	switch (state) {
		case 'invalid':
			throw notAChunkingResponse(hasContent);
		case 'pending':
			return { state };
		case 'finished': {
			const { texts } = response;
			// Once the texts' results are reported, the response is dropped.
			job.unusedResponse = body;
			if (job.textCount !== undefined && job.textCount !== texts.length)
				return endAsFailed(job, countMismatch(texts.length, job.textCount));
			job.ended = 'finished';
			return { state, response: { type: 'results', results: texts } };
		}
		case 'unreadable':
			return endAsFailed(job, unreadableResults(session.words(job.status)));
		case 'alreadyRetrieved':
			return endAsFailed(job, alreadyRetrieved(hadUnusedResponse));
		case 'failed': {
			const { texts, unusedResponse, isOfThisRun } = job;
			const words = session.words(body);
			const reason = jobFailed(session.words(job.status), words, job.textCount ?? 1);
			// The service does not say which text caused the error, so each text is submitted separately.
			const mayRepeat =
				isOfThisRun &&
				texts.length > 1 &&
				unusedResponse === undefined &&
				!run.stopsOnFailure;
			return endAsFailed(job, reason, mayRepeat ? 'alone' : undefined);
		}
	}
}

function endAsFailed(job: Job, reason: unknown, next?: UnfinishedJob['next']): Ending<FetchResult> {
	job.ended = 'failed';
	return { state: 'failed', reason, next };
}
