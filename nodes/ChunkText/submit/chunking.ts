import { newStats, type RunState, type RunStats } from '../../shared/flow/run-state';
import { NOTHING_KEPT, type Kept } from '../../shared/n8n/run/previous-tries';
import type { Source } from '../../shared/n8n/sources/source';
import type { Run } from '../../shared/n8n/run/run';
import { requestLine, type RequestLine } from '../../shared/n8n/session/request-options';
import { Session } from '../../shared/n8n/session/session';
import { AI_SERVICE } from '../../shared/service/services';
import { Jobs, newJob, type Job, type JobFacts } from './job';
import type { ChunkOptions, ChunkParameters } from '../parameters';
import { ChunkHints } from '../chunks/hints';
import type { OutputMode } from '../chunks/records';
import type { PreviousRequest } from '../texts/previous-requests';
import { readScopes } from '../texts/settings';
import type { FailedRequest, TextEntry } from '../texts/text';

/** A text of an item that the service has accepted, with what is known of its request. */
interface Accepted {
	text: string;
	/** The same for equal settings. */
	group: string;
	position: number;
	request: Pick<Job, 'chunkingId' | 'textCount'> & Pick<JobFacts, 'status'>;
}

/** A run of Chunk Text: its options, its sessions and all its jobs. */
export interface Chunking {
	run: Run;
	parameters: ChunkParameters;
	options: ChunkOptions;
	/** What to return for a text. */
	mode: OutputMode;
	/** What the user should know beside that. */
	hints: ChunkHints;
	/** The jobs of the run; with texts from a file only those that have not ended. */
	jobs: Jobs;
	sessionOf: (scope: string) => Session;
	/** Whether all requests have the same scope, so that a refused token ends them all. */
	hasOneScope: boolean;
	/** Of this and earlier tries of the node: texts of items that were accepted, by item and text. */
	accepted: Kept<Accepted>;
	/** The same for requests that failed. */
	failed: Kept<readonly FailedRequest[]>;
	/** The same for responses with data of jobs that go no further, by chunking ID: they may come only once. */
	responses: Kept<unknown>;
	/** The same for `JobFacts.kept`. */
	kept: Kept<unknown>;
	/** The same for `JobFacts.lost`. */
	lost: Kept<string>;
	/** What all submissions of the run share. */
	submitting: RequestLine;
	/** What all its polls and fetches share. */
	fetching: RequestLine;
}

/** What earlier tries of the node have learned of a job. */
export const knownOf = (
	chunkingId: string,
	{ responses, kept, lost }: Chunking,
): Parameters<typeof newJob>[2] => ({
	unread: responses.get(chunkingId),
	kept: kept.get(chunkingId),
	lost: lost.get(chunkingId),
});

/** Texts to chunk, all of the input items or those of a file. */
export interface TextSource extends Pick<Source<TextEntry>, 'entries' | 'sink'> {
	/** The run; its requests count for this source. */
	chunking: Chunking;
	/** Jobs of requests that were submitted before. */
	earlier: readonly Job[];
	/** What the names of files with its chunks begin with. */
	name: string;
	/** To be called once a job has been reported. */
	answered: (job: Job) => void;
}

/**
 * Opens the AI service, once for each scope that items have.
 *
 * @param keepsTries whether what is learned is kept for the next try of the node; not with files, since memory would
 *   grow with them
 * @throws InputError for a credential that cannot be used
 */
export async function openChunking(
	run: Run,
	parameters: ChunkParameters,
	options: ChunkOptions,
	mode: OutputMode,
	keepsTries: boolean,
): Promise<Chunking> {
	const sessions = new Map<string, Session>();
	for (const scope of await readScopes(run, parameters))
		sessions.set(scope, await Session.open(run, { ...AI_SERVICE, scope }));
	const [session] = sessions.values();
	const jobs = new Jobs();
	run.progress = () => jobs.progress();
	const kept = <Value>(kind: string): Kept<Value> =>
		keepsTries ? run.previousTries.kept<Value>(kind) : NOTHING_KEPT;
	return {
		run,
		parameters,
		options,
		mode,
		hints: new ChunkHints(),
		jobs,
		sessionOf: (scope) => {
			const session = sessions.get(scope);
			if (session === undefined) throw new Error(`No session for the scope ${scope}`);
			return session;
		},
		hasOneScope: sessions.size < 2,
		accepted: kept('accepted'),
		failed: kept('failed'),
		responses: kept('responses'),
		kept: kept('kept'),
		lost: kept('lost'),
		// The service would chunk again what it has already accepted.
		submitting: requestLine(run, session, options, { idempotent: false }),
		fetching: requestLine(run, session, options, { idempotent: true, comeFirst: true }),
	};
}

/** The same lines for the requests of one file, which are also counted on their own. */
export function countedLines({ submitting, fetching }: Chunking) {
	const { stats, run } = counted(submitting.run);
	return { stats, submitting: { ...submitting, run }, fetching: { ...fetching, run } };
}

/** A part of a run with counters of its own; the counters of the run include them. */
function counted(whole: RunState): { stats: RunStats; run: RunState } {
	const stats = new Proxy(newStats(), {
		set: (target, name: keyof RunStats, value: number) => {
			whole.stats[name] += value - target[name];
			target[name] = value;
			return true;
		},
	});
	const run: RunState = {
		get ended() {
			return whole.ended;
		},
		stopsOnFailure: whole.stopsOnFailure,
		stats,
		stop: (reason) => whole.stop(reason),
		now: () => whole.now(),
		random: () => whole.random(),
		sleep: async (...how) => await whole.sleep(...how),
	};
	return { stats, run };
}

/** The job of a request that an earlier run submitted. */
export function previousJob(
	chunking: Chunking,
	{ chunkingId, scope, refs, textCount }: PreviousRequest,
): Job {
	const { run, jobs, sessionOf } = chunking;
	const job = newJob(
		{ chunkingId, session: sessionOf(scope), refs, textCount, since: run.now(), isOwn: false },
		'SUBMITTED',
		knownOf(chunkingId, chunking),
	);
	jobs.add(job);
	return job;
}
