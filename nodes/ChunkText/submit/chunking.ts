import { newStats, type RunState, type RunStats } from '../../shared/flow/run-state';
import type { Kept } from '../../shared/n8n/sources/previous-tries';
import type { Run } from '../../shared/n8n/run/run';
import { requestLine, type RequestLine } from '../../shared/n8n/session/request-options';
import { aiService } from '../../shared/n8n/session/services';
import { Session } from '../../shared/n8n/session/session';
import { factsOf, Jobs, type Job, type JobFacts } from './job';
import type { ChunkOptions, ChunkParameters } from '../parameters';
import type { PreviousRequest } from '../texts/previous-requests';

/** A text of an item that the service has accepted, with what is known of its request. */
export interface Accepted {
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
	/** The jobs of the run by chunking ID; with texts from a file only those that have not ended. */
	jobs: Jobs;
	sessionOf: (scope: string) => Session;
	/** Whether all requests have the same scope, so that a refused token ends them all. */
	hasOneScope: boolean;
	/** Of this and earlier tries of the node: texts of items that were accepted, by item and text. */
	accepted: Kept<Accepted>;
	/** The same for responses with data, by chunking ID: they may come only once. */
	responses: Kept<unknown>;
	/** The same for `JobFacts.lost`. */
	lost: Kept<string>;
	/** What all submissions of the run share. */
	submitting: RequestLine;
	/** What all its polls and fetches share. */
	fetching: RequestLine;
}

/**
 * Opens the AI service, once for each scope.
 *
 * @param before what the run has opened for another file: its jobs and limits go on
 * @throws InputError for a credential that cannot be used
 */
export async function openChunking(
	run: Run,
	parameters: ChunkParameters,
	options: ChunkOptions,
	scopes: Iterable<string>,
	before?: Chunking,
): Promise<Chunking> {
	const sessions = new Map<string, Session>();
	for (const scope of new Set(scopes))
		sessions.set(scope, await Session.open(run, aiService(scope)));
	const [session] = sessions.values();
	const jobs = before?.jobs ?? new Jobs();
	// The service would chunk again what it has already accepted.
	const submitting = before?.submitting ?? requestLine(run, session, options, false);
	const fetching = before?.fetching ?? requestLine(run, session, options, true);
	const sessionOf = (scope: string) => {
		const session = sessions.get(scope);
		if (session === undefined) throw new Error(`No session for the scope ${scope}`);
		return session;
	};
	run.progress = () => jobs.progress();
	const accepted = run.previousTries.kept<Accepted>('accepted');
	const responses = run.previousTries.kept<unknown>('responses');
	const lost = run.previousTries.kept<string>('lost');
	const hasOneScope = sessions.size === 1;
	const kept = { accepted, responses, lost };
	const lines = { submitting, fetching };
	return { run, parameters, options, jobs, sessionOf, hasOneScope, ...kept, ...lines };
}

/** The same lines for the requests of one file, which are also counted on their own. */
export function countedLines({ submitting, fetching }: Chunking) {
	const { stats, run } = counted(submitting.run);
	return { stats, submitting: { ...submitting, run }, fetching: { ...fetching, run } };
}

/** A part of a run: what it counts, the run counts too. */
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
	{ run, jobs, sessionOf, responses, lost }: Chunking,
	{ chunkingId, scope, refs, textCount }: PreviousRequest,
): Job {
	const job: Job = {
		chunkingId,
		session: sessionOf(scope),
		refs,
		textCount,
		since: run.now(),
		isOwn: false,
		state: { name: 'not finished', unread: responses.get(chunkingId) },
		facts: factsOf('SUBMITTED', lost.get(chunkingId)),
	};
	jobs.add(job);
	return job;
}
