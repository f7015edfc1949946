import type { Session } from '../../shared/n8n/session/session';
import type { TextRef } from '../texts/text';

/** A chunking request that the service accepted. */
export interface Job {
	readonly chunkingId: string;
	readonly session: Session;
	/** What input items wait for. */
	readonly refs: TextRef[];
	/** How many texts it has, if that is known. */
	readonly textCount: number | undefined;
	/** When this run began to wait for it, by the clock of the run. */
	readonly since: number;
	/** Submitted by this run: the service may need a moment until it knows the ID. */
	readonly isOwn: boolean;
	/** Of its texts and settings, if this run has submitted it: the same for equal requests. */
	readonly digest?: string;
	state: JobState;
	facts: JobFacts;
}

/** How far a job has come. */
type JobState =
	/** `unread`: the response to the submission, which may already have the results. */
	| { readonly name: 'not finished'; readonly unread?: unknown }
	/** `isRepeatable`: the service gave it up and returned no data, so its texts may be submitted again. */
	| { readonly name: 'failed'; readonly isRepeatable: boolean }
	| { readonly name: 'finished' };

/** What is known of a job from the responses to it. */
export interface JobFacts {
	/** As the service reported it last. */
	readonly status: string;
	/** The last response with data of a job that did not finish: it may come only once. */
	readonly kept: unknown;
	/** Why an earlier response was lost in transit. */
	readonly lost: string | undefined;
	/** Another request got the same chunking ID: the results may be of either. */
	readonly isAmbiguous: boolean;
}

/**
 * A job at its beginning.
 *
 * @param known `unread`: the response to the submission; `kept` and `lost`: see `JobFacts`
 */
export const newJob = (
	job: Omit<Job, 'state' | 'facts'>,
	status: string,
	{ unread, kept, lost }: { unread?: unknown; kept?: unknown; lost?: string | undefined },
): Job => ({
	...job,
	state: { name: 'not finished', unread },
	facts: { status, kept, lost, isAmbiguous: false },
});

/** More chunking IDs than this would make a message unreadable. */
const MAX_IDS_IN_MESSAGE = 100;

/** So many chunking IDs of jobs that are no longer needed are remembered: some 15 MB. */
const MAX_REMEMBERED = 100_000;

/** The jobs of a run by chunking ID. */
export class Jobs {
	private readonly all = new Map<string, Job>();
	/** The digests of jobs that are no longer needed, by chunking ID. */
	private readonly past = new Map<string, string | undefined>();
	/** Their outcome has been reported: nothing may be added to them. */
	private readonly over = new WeakSet<Job>();
	/** Chunking IDs of jobs that failed in earlier tries of the node. */
	readonly failedBefore = new Set<string>();

	/**
	 * If another request of this run got the chunking ID of this one, nobody knows whose the chunks are. Then
	 * the results of that request are not used either, if they have not been returned yet.
	 *
	 * @returns whether that is so
	 */
	markIfAmbiguous({ chunkingId, digest }: Job): boolean {
		const known = this.all.get(chunkingId);
		if (known === undefined)
			return this.past.has(chunkingId) && this.past.get(chunkingId) !== digest;
		if (known.digest === digest) return false;
		known.facts = { ...known.facts, isAmbiguous: true };
		return true;
	}

	/** Adds a job, or adds its texts to an equal job. @returns whether the job is new and has to be fetched */
	add(job: Job): boolean {
		const known = this.all.get(job.chunkingId);
		const isNew = known === undefined || this.over.has(known);
		if (isNew) this.all.set(job.chunkingId, job);
		else known.refs.push(...job.refs);
		return isNew;
	}

	/** Nothing more is added to this job. */
	close(job: Job): void {
		this.over.add(job);
	}

	/** Forgets a job, except what is needed to notice another request that gets the same ID. */
	forget({ chunkingId, digest }: Job): void {
		this.all.delete(chunkingId);
		this.past.set(chunkingId, digest);
		const [oldest] = this.past.keys();
		if (this.past.size > MAX_REMEMBERED && oldest !== undefined) this.past.delete(oldest);
	}

	/** Only the ID of this job is needed from now on. */
	keepId(job: Job): void {
		job.refs.length = 0;
		job.facts = { ...job.facts, kept: undefined };
	}

	/** All chunking IDs of a run that ends early, so that none is lost: what can still be fetched first. */
	progress(): string {
		const idsOf = (name: JobState['name']) =>
			[...this.all.values()]
				.filter(({ state }) => state.name === name)
				.map(({ chunkingId }) => chunkingId);
		const list = (ids: string[], words: string) => {
			if (ids.length === 0) return '';
			const others = ids.length - MAX_IDS_IN_MESSAGE;
			const more = others > 0 ? ` and ${others} more` : '';
			return `Chunking IDs ${words}: ${ids.slice(0, MAX_IDS_IN_MESSAGE).join(', ')}${more}.`;
		};
		const failedBefore = [...this.failedBefore].filter((id) => !this.all.has(id));
		return [
			list(idsOf('not finished'), 'not finished'),
			list([...failedBefore, ...idsOf('failed')], 'failed'),
			list(idsOf('finished'), 'finished, but not returned'),
		]
			.filter(Boolean)
			.join(' ');
	}
}
