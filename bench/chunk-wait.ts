import '../support/setup';

import { ChunkText } from './lib/shipped';
import { runNode } from '../support/engine';
import type { BenchOptions } from './lib/options';
import { startService, type Service } from '../support/service';
import { print, table, whole, type Cell } from './lib/table';
import { time } from './lib/timing';

const JOB_MS = 2_000;

const textOf = (index: number): string => `Text ${index} is short. It has two sentences.`;

export async function chunkByNode(
	service: Service,
	jobs: number,
	options: { concurrency?: number } = {},
): Promise<void> {
	const { output, error } = await runNode({
		node: new ChunkText(),
		items: Array.from({ length: jobs }, (_, index) => ({ text: textOf(index) })),
		parameters: {
			operation: 'submitAndWait',
			text: '={{ $json.text }}',
			output: 'chunks',
			modelId: 'gte-small',
			chunker: 'sentence',
			options: { textsPerRequest: 1, ...options },
		},
		credentials: service.credentials,
	});
	if (error || output.length < jobs) throw error ?? new Error('Chunks are missing');
}

/**
 * Returns the number of polls since the service started. The service is not reset between measurements, because a reset
 * would also revoke all tokens.
 */
async function pollsOf(service: Service): Promise<number> {
	const { requests } = await service.stats();
	return Object.values(requests.results ?? {}).reduce((sum, number) => sum + number, 0);
}

/**
 * Measures the wall time and the number of polls for many jobs. Each job takes 2 s, and the service processes all jobs
 * in parallel.
 */
export async function chunkWait({ quick }: BenchOptions): Promise<string> {
	const jobs = quick ? 4 : 100;
	const service = await startService('sandbox', { chunkDelayMs: JOB_MS });
	try {
		await chunkByNode(service, 1);
		const rows: Cell[][] = [];
		for (const concurrency of quick ? [4] : [4, 8, 16]) {
			const before = await pollsOf(service);
			const { ms } = await time(
				async () => await chunkByNode(service, jobs, { concurrency }),
			);
			const polls = (await pollsOf(service)) - before;
			const seconds = (ms / 1000).toFixed(2);
			rows.push([concurrency, seconds, whole(polls), (polls / jobs).toFixed(1)]);
		}
		print('', `**${jobs} jobs of ${JOB_MS / 1000} s each**`, '');
		print(table(['concurrency', 'seconds', 'polls', 'polls/job'], rows));
	} finally {
		service.close();
	}
	return 'each job gave its chunks.';
}
