import { bulk } from '../../shared/flow/bulk';
import { oneEach } from '../../shared/flow/one-each';
import type { Outcome, Unfinished } from '../../shared/flow/outcome';
import { inParallel, type Consumer } from '../../shared/flow/parallel';
import { poll, type Ending, type Finding } from '../../shared/flow/poll';
import type { Verdict } from '../../shared/flow/verdict';
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
} from './job-errors';
import type { ChunkService, Job } from './chunk-service';

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
	| { type: 'pending'; lastError?: unknown };

/** Waits for what becomes of a job that was submitted. */
export type Settle = (
	job: Job,
	service: ChunkService,
	consumer?: Consumer,
) => Promise<Outcome<Fetched> | Unfinished>;

/** Polls a job until it has finished, failed or run out of time. */
export const untilEnded: Settle = async (job, service, consumer) => {
	const { run, options, fetching, jobs } = service;
	const polling = {
		...fetching,
		intervals: POLLING,
		deadlineOf: ({ since }: Job) => since + options.maxWaitSeconds * 1000,
		check: async (job: Job, leftMs: number) =>
			await check(job, service, leftMs + POLLING.finalMs).catch((reason: unknown) => {
				const isLost = isUnknownId(reason) && (job.isKnown || jobs.isPathRight);
				if (!isLost || isTransient(reason, job, run.now())) throw reason;
				return fail(job, reason, job.isOwn ? 'again' : undefined);
			}),
		judge: (error: unknown): Verdict =>
			isTransient(error, job, run.now()) ? { action: 'retry' } : forJobAlone(error, service),
		expire: (job: Job, lastError: unknown): Ending<Fetched> => {
			if (options.whenTimeRunsOut === 'output')
				return { state: 'finished', response: { type: 'pending', lastError } };
			const status = service.session.words(job.status);
			return {
				state: 'failed',
				reason: outOfTime(options.maxWaitSeconds, status, lastError),
			};
		},
	};
	return await poll<Job, Fetched>(job, polling, consumer);
};

/** Fetches nothing: the items go on with their chunking IDs. */
export const notAtAll: Settle = async () =>
	await Promise.resolve({ ok: true, response: { type: 'pending' } });

/** A job with what was fetched for it. */
export interface FetchedJob {
	job: Job;
	outcome: Outcome<Fetched>;
}

/** Fetches jobs of earlier runs, in one of two ways. */
export type Fetch = (
	jobs: Iterable<Job>,
	service: ChunkService,
) => AsyncGenerator<FetchedJob[], void, undefined>;

/** Polls jobs of earlier runs until each has ended, and returns them as soon as they have. */
export function fetchAll(
	jobs: Iterable<Job>,
	service: ChunkService,
): AsyncGenerator<FetchedJob[], void, undefined> {
	return inParallel<FetchedJob>(Infinity, async (tasks) => {
		for (const job of jobs)
			void tasks.start(async () => {
				const outcome = await untilEnded(job, service, tasks);
				await tasks.put({ job, outcome: 'next' in outcome ? outcome.failure : outcome });
			});
		await Promise.resolve();
	});
}

/** Fetches each job of earlier runs once, whether it has finished or not. */
export async function* fetchOnce(
	jobs: Iterable<Job>,
	service: ChunkService,
): AsyncGenerator<FetchedJob[], void, undefined> {
	const send = async (job: Job): Promise<Fetched> => {
		const finding = await check(job, service);
		if (finding.state === 'failed') throw finding.reason;
		return finding.state === 'finished' ? finding.response : { type: 'pending' };
	};
	const line = { ...service.fetching, judge: (error: unknown) => forJobAlone(error, service) };
	for await (const answers of bulk([[...jobs]], { ...oneEach(line, send), arePolls: true }))
		yield answers.flatMap(({ entries, outcome }) => entries.map((job) => ({ job, outcome })));
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
	if (job.isOwn) service.jobs.isPathRight = true;
	return meaningOf(job, body, service);
}

const CHECK_PATH = "'AI Service URL' in the credential and the option 'Results Path'";
/** Advice by status for a job that this run has submitted. */
const ADVICE_FOR_OWN = {
	404: `The service does not have the results of this request: submit the text again. If that does not help, check ${CHECK_PATH}`,
	content: `Check what the service says, and then ${CHECK_PATH}`,
};
/** Advice by status for a job whose chunking ID was given. */
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
function meaningOf(job: Job, body: unknown, { run, session }: ChunkService): Finding<Fetched> {
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
			const { refs, kept, isOwn } = job;
			const words = session.words(body);
			const reason = jobFailed(session.words(job.status), words, job.textCount ?? 1);
			// The service does not say which text caused the error, so each text is submitted alone.
			const mayRepeat = isOwn && refs.length > 1 && kept === undefined && !run.stopsOnFailure;
			return fail(job, reason, mayRepeat ? 'split' : undefined);
		}
	}
}

function fail(job: Job, reason: unknown, next?: 'again' | 'split'): Ending<Fetched> {
	job.ended = 'failed';
	return { state: 'failed', reason, next };
}
