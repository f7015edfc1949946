import { Budget } from '../shared/flow/budget';
import { bulk } from '../shared/flow/bulk';
import type { Sink } from '../shared/n8n/sinks/sink';
import { ChunkHints } from './output/chunk-hints';
import { Report } from './output/report';
import { notAtAll, type FetchedJob, type Settle } from './jobs/fetch';
import { openService, type ChunkService, type Job } from './jobs/chunk-service';
import { submissions } from './jobs/submit';
import type { ChunkTask, TextEntry } from './input/text';

/** What an operation does with texts, and the service that it uses. */
export interface Work extends ChunkService {
	hints: ChunkHints;
	/** How the operation waits for jobs that it has submitted. */
	settle: Settle;
}

/**
 * Opens the service for the work of an operation, and says at its end what a user should know.
 *
 * @throws InputError for a credential that cannot be used
 */
export async function withWork(
	task: ChunkTask,
	settle: Settle,
	use: (work: Work) => Promise<void>,
): Promise<void> {
	const hints = new ChunkHints();
	await use({ ...(await openService(task)), hints, settle });
	hints.addTo(task.run, settle !== notAtAll);
}

/** What the texts of the input items, or of a file, have in common. */
export interface TextSource {
	sink: Sink;
	/** What the names of files with its chunks begin with. */
	name: string;
	/** Bounds the texts in memory, if they come from a file. */
	budget?: Budget;
	/** To be called once a job has been reported. */
	answered?: (job: Job) => void;
}

/** Submits the texts of one source, waits for their jobs and reports their chunks. */
export async function chunkAll(
	entries: AsyncIterable<TextEntry[]>,
	work: Work,
	{ sink, name, budget, answered }: TextSource,
): Promise<void> {
	const report = new Report(work, work.hints, sink, name);
	const answers = bulk(entries, {
		...submissions(work),
		...(budget && { budget, bytesInBudget }),
		settle: async (job, consumer) => await work.settle(job, work, consumer),
	});
	for await (const slice of answers) {
		for (const { entries: texts, outcome, accepted: job } of slice) {
			if (job) {
				await report.answer(job, outcome);
				answered?.(job);
			} else if (!outcome.ok)
				for (const text of texts) await report.notSubmitted(text, outcome);
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
		for (const { job, outcome } of slice) await report.answer(job, outcome);
	await report.end();
}

/** Maximum bytes of texts of files that wait for their chunks; a short text counts as a 500th. */
const MAX_BYTES = 8_000_000;
const MIN_BYTES_OF_TEXT = MAX_BYTES / 500;

/** Returns a new budget for the texts in memory. All files of a run share one. */
export const newBudget = (): Budget => new Budget(MAX_BYTES);

const bytesInBudget = ({ record }: TextEntry): number =>
	Math.max(MIN_BYTES_OF_TEXT, Buffer.byteLength(record?.text ?? ''));
