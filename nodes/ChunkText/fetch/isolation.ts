import type { Failed, Outcome } from '../../shared/flow/deliver';
import type { ChunkOutput } from '../chunks/report';
import { fetchAll } from './fetch';
import type { Fetched } from './finding';
import type { Job } from '../submit/job';
import type { Chunking } from '../submit/chunking';
import { submit } from '../submit/submit';
import type { TextEntry, TextRef } from '../texts/text';

/** A job that failed, and why. */
export interface FailedJob {
	job: Job;
	outcome: Failed;
}

/** Whether a job failed whose texts may be submitted again, without losing what it delivered. */
export function canIsolate({ state, refs }: Job, { run, options }: Chunking): boolean {
	const isWanted = options.isolateFailingTexts && !run.stopsOnFailure && !run.ended;
	return isWanted && state.name === 'failed' && state.isRepeatable && refs.length > 1;
}

/**
 * Submits the texts of failed jobs again, each by itself, so that a bad one fails alone. A text that
 * cannot be submitted again keeps the error and the chunking ID that it had.
 *
 * @returns the job of each text that was submitted
 */
export async function* isolated(
	failed: readonly FailedJob[],
	chunking: Chunking,
	output: ChunkOutput,
): AsyncGenerator<{ job: Job; outcome: Outcome<Fetched> }, void, undefined> {
	const origins = new Map<TextEntry, FailedJob>();
	for (const one of failed) {
		for (const text of one.job.refs.filter(isEntry)) origins.set(text, one);
	}
	const keepError = async (text: TextEntry) => {
		const { job, outcome } = origins.get(text) ?? {};
		if (job && outcome) await output.report({ ...job, refs: [text] }, outcome);
	};
	yield* fetchAll(submit([...origins.keys()], chunking, keepError, 1), chunking);
}

const isEntry = (ref: TextRef): ref is TextEntry => 'settings' in ref;
