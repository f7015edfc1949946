/**
 * The main loop of Chunk Text. `bulk` reads the texts from a source, sends them in requests and waits for each
 * request's job. The Submit operation uses the same loop without waiting. When a job ends, the `Report` assigns chunks
 * or an error to each of the job's texts and passes these results to the sink. If the service does not accept a
 * request, the request's texts are reported as failures. Get Results submits nothing, so it only reports what it has
 * fetched.
 */
import { Budget } from '../shared/flow/budget';
import { bulk } from '../shared/flow/bulk';
import type { Sink } from '../shared/n8n/sinks/sink';
import type { Source } from '../shared/n8n/sources/source';
import { ChunkHints } from './output/chunk-hints';
import { Report } from './output/report';
import { fetchNothing, type FetchedJob, type FetchResult, type JobWait } from './jobs/fetch';
import { openService, type ChunkService, type Job } from './jobs/chunk-service';
import { submissions } from './jobs/submit';
import type { ChunkTask, TextEntry } from './input/text';

/** Extends the chunk service with the hints and the function that waits for jobs. */
export interface Work extends ChunkService {
	hints: ChunkHints;
	waitForJob: JobWait;
}

/**
 * Opens a session, carries out an operation, and adds the hints.
 *
 * @throws InputError if the credential is invalid
 */
export async function withWork(
	task: ChunkTask,
	waitForJob: JobWait,
	use: (work: Work) => Promise<void>,
): Promise<void> {
	const hints = new ChunkHints();
	await use({ ...(await openService(task)), hints, waitForJob });
	hints.addTo(task.run, waitForJob !== fetchNothing);
}

export interface TextSource extends Pick<Source<TextEntry>, 'sink' | 'findings'> {
	/** Prefix for the names of chunk files. */
	name: string;
	/** Limits how much text is in memory. A budget is needed only for texts from a file. */
	budget?: Budget;
	onReported?: (job: Job) => void;
}

/** Submits the texts from one source, waits for their jobs and reports their chunks. */
export async function chunkAll(
	entries: AsyncIterable<TextEntry[]>,
	work: Work,
	{ sink, findings, name, budget, onReported }: TextSource,
): Promise<void> {
	const report = new Report(work, work.hints, sink, name, findings);
	const results = bulk(entries, {
		...submissions(work),
		...(budget && { budget, bytesInBudget }),
		isFinished: ({ type }: FetchResult) => type === 'results',
		waitForJob: async (job, consumer) => await work.waitForJob(job, work, consumer),
	});
	for await (const slice of results) {
		for (const { entries: texts, outcome, accepted: job } of slice) {
			if (job) {
				await report.reportJob(job, outcome);
				onReported?.(job);
			} else if (!outcome.ok)
				for (const text of texts) await report.reportNotSubmitted(text, outcome);
		}
	}
	await report.end();
}

/** Reports what was fetched for requests from earlier runs. */
export async function reportFetched(
	fetched: AsyncIterable<FetchedJob[]>,
	work: Work,
	sink: Sink,
): Promise<void> {
	const report = new Report(work, work.hints, sink, 'chunks');
	for await (const slice of fetched)
		for (const { job, outcome } of slice) await report.reportJob(job, outcome);
	await report.end();
}

/**
 * Maximum total size, in bytes, of the texts that are waiting for their chunks. Only texts from files are
 * limited. A text counts as at least 1/500 of this maximum, so at most 500 texts wait at a time.
 */
const MAX_BYTES = 8_000_000;
const MIN_BYTES_OF_TEXT = MAX_BYTES / 500;

/** Returns a new budget for the texts in memory. All files in a run share one budget. */
export const newBudget = (): Budget => new Budget(MAX_BYTES);

const bytesInBudget = ({ record }: TextEntry): number =>
	Math.max(MIN_BYTES_OF_TEXT, Buffer.byteLength(record?.text ?? ''));
