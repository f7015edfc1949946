/**
 * The main loop of Chunk Text. `jobs` reads the texts from a source, sends them in requests and waits for each
 * request's job. The Submit operation uses the same loop without waiting. When a job ends, the `Report` assigns chunks
 * or an error to each of the job's texts and passes these results to the sink. If the service does not accept a
 * request, the request's texts are reported as failures. Get Results submits nothing, so it only reports what it has
 * fetched (`fetchItems`).
 */
import { Budget } from '../shared/sending/budget';
import { jobs } from '../shared/sending/jobs';
import { textsOf, type TextEntry } from './input/text-entry';
import type { ChunkService, Job, Jobs } from './jobs/chunk-service';
import type { FetchResult, JobWait } from './jobs/fetch';
import { submissions } from './jobs/submit';
import type { ChunkHints } from './output/chunk-hints';
import type { Report } from './output/report';
import type { ChunkTask } from './parameters';

/** One execution of an operation. All texts share it, but each file counts its own requests. */
export interface Operation {
	readonly task: ChunkTask;
	readonly service: ChunkService;
	readonly waitForJob: JobWait;
	readonly hints: ChunkHints;
}

/**
 * Submits the texts from one source, waits for their jobs and reports their chunks.
 *
 * @param memory needed only for texts from a file. The texts of items stay in memory anyway
 */
export async function chunkAll(
	entries: AsyncIterable<TextEntry[]>,
	{ service, waitForJob, hints }: Operation,
	report: Report,
	memory?: TextMemory,
): Promise<void> {
	const results = jobs(textsIn(entries, hints), {
		...submissions(service),
		...(memory && { budget: memory.budget, bytesInBudget }),
		isFinished: ({ type }: FetchResult) => type === 'results',
		waitForJob: async (job, consumer) => await waitForJob(job, service, consumer),
	});
	for await (const slice of results) {
		for (const { entries: texts, outcome, accepted: job } of slice) {
			if (job) {
				await report.reportJob(job, outcome);
				memory?.releaseTexts(job);
			} else if (!outcome.ok)
				for (const text of texts) await report.reportNotSubmitted(text, outcome);
		}
	}
	await report.storeLastFile();
}

async function* textsIn(
	entries: AsyncIterable<TextEntry[]>,
	hints: ChunkHints,
): AsyncGenerator<TextEntry[], void, undefined> {
	for await (const slice of entries) {
		for (const { text } of slice) hints.examine(text);
		yield slice.flatMap(textsOf);
	}
}

/**
 * Maximum total size, in bytes, of the texts that are waiting for their chunks. A text counts as at least 1/500 of this
 * maximum, so at most 500 texts wait at a time.
 */
const MAX_BYTES = 8_000_000;
const MIN_BYTES_OF_TEXT = MAX_BYTES / 500;

const bytesInBudget = ({ record }: TextEntry): number =>
	Math.max(MIN_BYTES_OF_TEXT, Buffer.byteLength(record?.text ?? ''));

/** All files in a run share one object. */
export class TextMemory {
	readonly budget = new Budget(MAX_BYTES);

	constructor(private readonly jobs: Jobs) {}

	/**
	 * Drops a job that has been reported, so that memory use does not grow with the size of a file. A job that has not
	 * ended is kept without its texts. If the run ends early, the error can then name the job.
	 */
	releaseTexts(job: Job): void {
		this.jobs.delete(job);
		if (job.ended === undefined)
			this.jobs.add({ ...job, texts: [], unusedResponse: undefined });
	}
}
