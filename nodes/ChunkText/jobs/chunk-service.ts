import type { RequestSettings } from '../../shared/flow/attempt';
import { requestSettings } from '../../shared/n8n/session/request-options';
import { Session } from '../../shared/n8n/session/session';
import { AI_SERVICE } from '../../shared/service/service-definitions';
import { SCOPE_ADVICE } from '../../shared/service/tokens/scope';
import type { ChunkTask, AwaitedText } from '../input/text';
import { listOf } from '../../shared/service/numbers';

/** A chunking request that the service has accepted. */
export interface Job {
	readonly chunkingId: string;
	/** The texts whose chunks are expected. */
	readonly texts: readonly AwaitedText[];
	/** Number of texts in the request, if it is known. */
	readonly textCount: number | undefined;
	/** The time at which this run began to wait for the job. */
	readonly since: number;
	readonly isOfThisRun: boolean;
	status: string;
	/**
	 * The last response whose data could not be used. It is kept because the service may not return it again.
	 */
	unusedResponse?: unknown;
	ended?: 'finished' | 'failed';
	/** Whether the service has answered a poll for this job. */
	isKnown?: boolean;
}

const MAX_IDS_IN_MESSAGE = 100;

/** The jobs of a run. With texts from files, finished jobs are removed. */
export class Jobs extends Set<Job> {
	/**
	 * Whether the service has answered a poll for a job of this run. If so, the path is right, and a 404
	 * means that the service has lost a job.
	 */
	isPathRight = false;

	/**
	 * Returns all chunking IDs for the error of a run that ends early, so that no job is lost. IDs whose
	 * chunks can still be fetched come first.
	 */
	progress(): string {
		return [
			this.list(undefined, 'Unfinished chunking IDs'),
			this.list('failed', 'Failed chunking IDs'),
			this.list('finished', 'Finished, but not returned'),
		]
			.filter(Boolean)
			.join(' ');
	}

	private list(ended: Job['ended'], label: string): string {
		const ids = [...this].flatMap((job) => (job.ended === ended ? job.chunkingId : []));
		return ids.length === 0 ? '' : `${label}: ${listOf(ids, MAX_IDS_IN_MESSAGE)}.`;
	}
}

/** A task of Chunk Text with everything that is needed to send its requests. */
export interface ChunkService extends ChunkTask {
	session: Session;
	jobs: Jobs;
	submitting: RequestSettings;
	fetching: RequestSettings;
}

/**
 * Opens the AI service for a run, with the scope of the node.
 *
 * @throws InputError if the credential or the scope is invalid
 */
export async function openService(task: ChunkTask): Promise<ChunkService> {
	const { run, parameters, options } = task;
	const chosen = parameters.requiredText('scope', 0, SCOPE_ADVICE);
	const scope =
		chosen === 'custom' ? parameters.requiredText('customScope', 0, SCOPE_ADVICE) : chosen;
	const session = await Session.open(run, { ...AI_SERVICE, scope });
	return {
		...task,
		session,
		jobs: new Jobs(),
		// Submitting a text twice may chunk it twice, which costs tokens but loses no data.
		submitting: requestSettings(run, session, options, { idempotent: true }),
		fetching: requestSettings(run, session, options, { idempotent: true }),
	};
}
