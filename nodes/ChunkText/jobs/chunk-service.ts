import type { RequestSettings } from '../../shared/flow/attempt';
import { requestSettings } from '../../shared/n8n/session/request-options';
import { Session } from '../../shared/n8n/session/session';
import { AI_SERVICE } from '../../shared/service/service-definitions';
import { SCOPE_ADVICE } from '../../shared/service/tokens/scope';
import type { ChunkTask, AwaitedText } from '../input/text';
import { listOf } from '../../shared/service/numbers';

/** A chunking request that the service accepted. */
export interface Job {
	readonly chunkingId: string;
	/** What input items wait for. */
	readonly texts: readonly AwaitedText[];
	/** How many texts it has, if that is known. */
	readonly textCount: number | undefined;
	/** When this run began to wait for it, by the clock of the run. */
	readonly since: number;
	/** This run has submitted it. */
	readonly isOfThisRun: boolean;
	/** As the service reported it last. */
	status: string;
	/** The last response with data that could not be used: it may come only once. */
	unusedResponse?: unknown;
	ended?: 'finished' | 'failed';
	/** The service has answered a poll for it. */
	isKnown?: boolean;
}

/** More chunking IDs than this would make a message unreadable. */
const MAX_IDS_IN_MESSAGE = 100;

/** The jobs of a run; with texts from files those that were not returned. */
export class Jobs extends Set<Job> {
	/** The service has answered a poll for a job of this run, so a 404 means that it has lost a job. */
	isPathRight = false;

	/** All chunking IDs of a run that ends early, so that none is lost: what can still be fetched first. */
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

/** The AI service as one run uses it for its task. */
export interface ChunkService extends ChunkTask {
	session: Session;
	jobs: Jobs;
	/** What all submissions of the run share. */
	submitting: RequestSettings;
	/** What all its polls and fetches share. */
	fetching: RequestSettings;
}

/**
 * Opens the AI service for a run, with the scope that the node says.
 *
 * @throws InputError for a credential or a scope that cannot be used
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
		// A text that is submitted twice may be chunked twice, which costs tokens and no data.
		submitting: requestSettings(run, session, options, { idempotent: true }),
		fetching: requestSettings(run, session, options, { idempotent: true }),
	};
}
