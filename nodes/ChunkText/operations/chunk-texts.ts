import type { Failed, Outcome } from '../../shared/flow/deliver';
import type { Sink } from '../../shared/n8n/sinks/sink';
import { ChunkHints } from '../chunks/hints';
import { Report } from '../chunks/report';
import { fetchNothing, type Fetch, type Fetched } from '../fetch/fetch';
import { openService, type ChunkService, type Job } from '../submit/service';
import { submit } from '../submit/submit';
import type { ChunkTask, TextEntry, TextRef } from '../texts/text';
import { areMany, type Room } from './room';

/** What an operation does with texts, and the service that it uses. */
export interface Work extends ChunkService {
	hints: ChunkHints;
	fetch: Fetch;
}

/**
 * Opens the service for the work of an operation, and says at its end what a user should know.
 *
 * @throws InputError for a credential that cannot be used
 */
export async function withWork(
	task: ChunkTask,
	fetch: Fetch,
	use: (work: Work) => Promise<void>,
): Promise<void> {
	const hints = new ChunkHints();
	await use({ ...(await openService(task)), hints, fetch });
	hints.addTo(task.run, fetch !== fetchNothing);
}

/** What the texts of the input items, or of a file, have in common. */
interface TextSource {
	sink: Sink;
	/** What the names of files with its chunks begin with. */
	name: string;
	/** Bounds the texts in memory, if they come from a file. */
	room?: Room;
	/** To be called once a job has been reported. */
	answered?: (job: Job) => void;
}

/** Submits the texts of one source, fetches their chunks and reports these: the loop of all operations. */
export class ChunkRun {
	private readonly report: Report;
	/** Jobs that got lost or ended in ERROR, whose texts may be submitted once more. */
	private held: Array<{ job: Job; outcome: Outcome<Fetched> }> = [];
	/** A request has succeeded, so the texts of another may be at fault. */
	private hasSucceeded = false;

	constructor(
		private readonly work: Work,
		private readonly source: TextSource,
	) {
		this.report = new Report(work, work.hints, source.sink, source.name);
	}

	/** @param earlier jobs of requests that were submitted before */
	async chunkAll(
		entries: AsyncIterable<TextEntry[]>,
		earlier: Iterable<Job> = [],
	): Promise<void> {
		const jobs = this.jobs(entries, earlier);
		for await (const { entry, outcome } of this.work.fetch(jobs, this.work))
			await this.step(async () => await this.take(entry, outcome));
		if (this.held.length > 0) await this.repeat();
		await this.report.end();
	}

	private async *jobs(
		entries: AsyncIterable<TextEntry[]>,
		earlier: Iterable<Job>,
	): AsyncGenerator<Job, void, undefined> {
		const { room } = this.source;
		yield* earlier;
		const notSubmitted = async (text: TextEntry, outcome: Failed) =>
			await this.step(async () => await this.report.notSubmitted(text, outcome));
		const slices = room ? room.admitted(entries) : entries;
		const { textsPerRequest } = this.work.options;
		for await (const job of submit(slices, this.work, textsPerRequest, notSubmitted)) {
			room?.take(job.refs);
			yield job;
		}
	}

	/** Takes a step. If that throws, closes the room, so that no reader waits forever. */
	private async step(take: () => Promise<void>): Promise<void> {
		await take().catch((error: unknown) => {
			this.source.room?.close();
			throw error;
		});
	}

	private async take(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		const isLost = outcome.ok && outcome.response.type === 'lost' && job.isOwn;
		if (isLost || (!outcome.ok && job.mayRepeat && !this.work.run.stopsOnFailure)) {
			this.held.push({ job, outcome });
			const texts = this.held.flatMap(({ job: { refs } }) => refs);
			return areMany(texts) ? await this.repeat() : undefined;
		}
		if (outcome.ok && outcome.response.type === 'results') this.hasSucceeded = true;
		await this.answer(job, outcome);
	}

	private async answer(job: Job, outcome: Outcome<Fetched>): Promise<void> {
		const { room, answered } = this.source;
		await this.report.answer(job, outcome);
		room?.release(job.refs);
		answered?.(job);
	}

	/**
	 * Submits the texts of failed jobs once more: together those of lost jobs, each by itself those of jobs
	 * that ended in ERROR, so that a bad one fails alone.
	 */
	private async repeat(): Promise<void> {
		const { work } = this;
		const lost: TextEntry[] = [];
		const suspects: TextEntry[] = [];
		for (const { job, outcome } of this.held.splice(0)) {
			if (work.run.ended || !(outcome.ok || this.hasSucceeded)) {
				await this.answer(job, outcome);
				continue;
			}
			work.jobs.delete(job);
			(outcome.ok ? lost : suspects).push(...job.refs.filter(isEntry));
		}
		await this.submitAgain(lost, work.options.textsPerRequest);
		await this.submitAgain(suspects, 1);
	}

	private async submitAgain(texts: TextEntry[], maxTexts: number): Promise<void> {
		const { work } = this;
		const notSubmitted = async (text: TextEntry, outcome: Failed) => {
			await this.report.notSubmitted(text, outcome);
			this.source.room?.release([text]);
		};
		const jobs = submit([texts], work, maxTexts, notSubmitted);
		for await (const { entry, outcome } of work.fetch(jobs, work))
			await this.answer(entry, outcome);
	}
}

const isEntry = (ref: TextRef): ref is TextEntry => 'settings' in ref;
