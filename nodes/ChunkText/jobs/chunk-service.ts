import type { RequestSettings } from '../../shared/sending/attempt';
import type { Run } from '../../shared/run/run';
import { requestSettings } from '../../shared/session/request-settings';
import { Session } from '../../shared/session/session';
import { listOf } from '../../shared/service/strings';
import { AI_SERVICE } from '../../shared/service/service-definitions';
import { SCOPE_ADVICE } from '../../shared/service/tokens/scope';
import type { AwaitedText } from '../input/text-entry';
import type { ChunkOptions, ChunkTask } from '../parameters';

/** A chunking request that the service has accepted. */
export interface Job {
	readonly chunkingId: string;
	readonly texts: readonly AwaitedText[];
	readonly textCount: number | undefined;
	/** Time when this run began to wait for the job. */
	readonly since: number;
	readonly isOfThisRun: boolean;
	status: string;
	/**
	 * The last response with data that is in no item yet. The response is kept because the service might not return it
	 * again.
	 */
	unusedResponse?: unknown;
	ended?: 'finished' | 'failed';
	/** Whether the service has answered a poll for this job. */
	isKnown?: boolean;
}

const MAX_IDS_IN_MESSAGE = 100;

/** If the texts come from files, jobs that have finished or failed are removed. */
export class Jobs extends Set<Job> {
	/**
	 * Whether the service has answered a poll for any job that this run submitted. If it has, the results
	 * path is correct, so a 404 means that the service has lost a job.
	 */
	isPathRight = false;

	/**
	 * Returns all chunking IDs. If the run ends early, the error message lists these IDs, so that no job is
	 * lost. IDs whose chunks can still be fetched come first.
	 *
	 * @param returnsNothing whether the run has ended without returning the chunks of its finished jobs
	 */
	progress(returnsNothing: boolean): string {
		return [
			this.list(undefined, 'Unfinished chunking IDs'),
			this.list('failed', 'Failed chunking IDs'),
			returnsNothing ? this.list('finished', 'Finished, but not returned') : '',
		]
			.filter(Boolean)
			.join(' ');
	}

	private list(ended: Job['ended'], label: string): string {
		const ids = [...this].flatMap((job) => (job.ended === ended ? job.chunkingId : []));
		return ids.length === 0 ? '' : `${label}: ${listOf(ids, MAX_IDS_IN_MESSAGE)}.`;
	}
}

export interface ChunkService {
	run: Run;
	options: ChunkOptions;
	session: Session;
	jobs: Jobs;
	submitting: RequestSettings;
	fetching: RequestSettings;
}

/**
 * Opens a session with the AI service, using the scope set in the node.
 *
 * @throws InputError if the credential or scope is invalid
 */
export async function openService(task: ChunkTask): Promise<ChunkService> {
	const { run, parameters, options } = task;
	const chosen = parameters.requiredText('scope', 0, SCOPE_ADVICE);
	const scope =
		chosen === 'custom' ? parameters.requiredText('customScope', 0, SCOPE_ADVICE) : chosen;
	const session = await Session.open(run, { ...AI_SERVICE, scope });
	return {
		run,
		options,
		session,
		jobs: new Jobs(),
		// If a text is submitted twice, it may be chunked twice. This costs tokens, but no data is lost.
		submitting: requestSettings(run, session, options, { idempotent: true }),
		fetching: requestSettings(run, session, options, { idempotent: true }),
	};
}
