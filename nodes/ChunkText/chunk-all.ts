/**
 * The loop of Chunk Text. `bulk` takes the texts of a source, sends them in requests and waits for the job of
 * each request. The operation Submit uses the same loop without waiting. When a job has ended, the report
 * assigns chunks or an error to each of its texts, and passes them to the sink. A text whose request was not
 * accepted is reported as a failure. Get Results does not submit anything, so it only reports what it has
 * fetched.
 */
import { Budget } from '../shared/flow/budget';
import { bulk } from '../shared/flow/bulk';
import type { Sink } from '../shared/n8n/sinks/sink';
import { ChunkHints } from './output/chunk-hints';
import { Report } from './output/report';
import { fetchNothing, type FetchedJob, type Settle } from './jobs/fetch';
import { openService, type ChunkService, type Job } from './jobs/chunk-service';
import { submissions } from './jobs/submit';
import type { ChunkTask, TextEntry } from './input/text';

/** The service that an operation uses, and how it deals with jobs. */
export interface Work extends ChunkService {
	hints: ChunkHints;
	settle: Settle;
}

/**
 * Opens the service for an operation, and adds the hints at its end.
 *
 * @throws InputError if the credential is invalid
 */
export async function withWork(
	task: ChunkTask,
	settle: Settle,
	use: (work: Work) => Promise<void>,
): Promise<void> {
	const hints = new ChunkHints();
	await use({ ...(await openService(task)), hints, settle });
	hints.addTo(task.run, settle !== fetchNothing);
}

/** Describes the source of the texts, which is all input items or one file. */
export interface TextSource {
	sink: Sink;
	/** Prefix of the names of output files with chunks. */
	name: string;
	/** Limits the texts in memory, if they come from a file. */
	budget?: Budget;
	onReported?: (job: Job) => void;
}

/** Submits the texts of one source, waits for their jobs and reports their chunks. */
export async function chunkAll(
	entries: AsyncIterable<TextEntry[]>,
	work: Work,
	{ sink, name, budget, onReported }: TextSource,
): Promise<void> {
	const report = new Report(work, work.hints, sink, name);
	const results = bulk(entries, {
		...submissions(work),
		...(budget && { budget, bytesInBudget }),
		settle: async (job, consumer) => await work.settle(job, work, consumer),
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

/** Reports what was fetched for requests of earlier runs. */
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
 * Maximum bytes of the texts from files that wait for their chunks. Each text counts as at least a 500th of
 * this maximum, so at most 500 texts wait.
 */
const MAX_BYTES = 8_000_000;
const MIN_BYTES_OF_TEXT = MAX_BYTES / 500;

/** Returns a new budget for the texts in memory. All files of a run share one budget. */
export const newBudget = (): Budget => new Budget(MAX_BYTES);

const bytesInBudget = ({ record }: TextEntry): number =>
	Math.max(MIN_BYTES_OF_TEXT, Buffer.byteLength(record?.text ?? ''));
