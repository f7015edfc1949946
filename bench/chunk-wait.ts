import '../support/setup';

import { setTimeout as delay } from 'node:timers/promises';

import { ChunkText } from './lib/shipped';
import { runNode } from '../support/engine';
import { axiosClient } from './lib/axios-client';
import type { BenchOptions } from './lib/options';
import { accessToken, startService, type Service } from './lib/service';
import { print, table, whole, type Cell } from './lib/table';
import { time } from './lib/timing';

const JOB_MS = 2_000;
const FIXED_INTERVAL_MS = 1_000;
const CONCURRENCY = 4;

const textOf = (index: number): string => `Text ${index} is short. It has two sentences.`;

async function chunkByNode(service: Service, jobs: number, concurrency: number): Promise<void> {
	const { output, error } = await runNode({
		node: new ChunkText(),
		items: Array.from({ length: jobs }, (_, index) => ({ text: textOf(index) })),
		parameters: {
			operation: 'submitAndWait',
			text: '={{ $json.text }}',
			output: 'chunks',
			modelId: 'gte-small',
			chunker: 'sentence',
			// One job for each item.
			options: { textsPerRequest: 1, concurrency },
		},
		credentials: service.credentials,
	});
	if (error || output.length < jobs) throw error ?? new Error('Chunks are missing');
}

/** Submit and poll by hand, at fixed intervals. */
async function fixedIntervalClient(service: Service) {
	const client = axiosClient({ Authorization: `Bearer ${await accessToken(service)}` });
	return {
		submit: async (index: number): Promise<string> => {
			const { data } = await client.post<{ chunkingId: string }>(
				`${service.aiUrl}/sentence/gte-small`,
				{ batch: [{ text: textOf(index) }] },
			);
			return data.chunkingId;
		},
		isReady: async (id: string): Promise<boolean> => {
			const { data } = await client.get<{ status: string }>(`${service.aiUrl}/${id}`);
			return data.status === 'READY';
		},
	};
}

/** As Loop Over Items with a Wait node does it: submit, wait, poll until it is there. */
async function job(client: Awaited<ReturnType<typeof fixedIntervalClient>>, index: number) {
	const id = await client.submit(index);
	do await delay(FIXED_INTERVAL_MS);
	while (!(await client.isReady(id)));
}

/** Polls so far. A reset would forget them, but all access tokens too. */
async function pollsOf(service: Service): Promise<number> {
	const { requests } = await service.stats();
	return Object.values(requests.results ?? {}).reduce((sum, number) => sum + number, 0);
}

/** Wall time and polls of many jobs that each take 2 s, while the service works in parallel. */
export async function chunkWait({ quick }: BenchOptions): Promise<string> {
	const jobs = quick ? 4 : 100;
	const service = await startService('sandbox', { chunkDelayMs: JOB_MS });
	try {
		await chunkByNode(service, 1, 1);
		const rows: Cell[][] = [];
		const measure = async (name: string, work: () => Promise<void>, measured = jobs) => {
			const before = await pollsOf(service);
			const { ms } = await time(work);
			const polls = (await pollsOf(service)) - before;
			const scale = jobs / measured;
			const sign = scale === 1 ? '' : '~';
			rows.push([
				name,
				`${sign}${((ms * scale) / 1000).toFixed(2)}`,
				`${sign}${whole(polls * scale)}`,
				(polls / measured).toFixed(1),
				measured,
			]);
		};
		for (const concurrency of quick ? [CONCURRENCY] : [CONCURRENCY, 8, 16]) {
			await measure(
				`Chunk Text, concurrency ${concurrency}`,
				async () => await chunkByNode(service, jobs, concurrency),
			);
		}
		const fewJobs = quick ? 1 : 5;
		await measure(
			'Loop and Wait of 1 s, one job after the other',
			async () => {
				const client = await fixedIntervalClient(service);
				for (let index = 0; index < fewJobs; index++) await job(client, index);
			},
			fewJobs,
		);
		print('', `**${jobs} jobs of ${JOB_MS / 1000} s each**`, '');
		print(table(['client', 'seconds', 'polls', 'polls/job', 'jobs measured'], rows));
		print('', '~: from so many jobs as were measured to all.');
	} finally {
		service.close();
	}
	return 'each job gave its chunks.';
}
