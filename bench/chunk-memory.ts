import { setTimeout as delay } from 'node:timers/promises';

import { makeText } from './lib/documents';
import { isolated } from './lib/isolated';
import { MB } from './lib/memory';
import type { BenchOptions } from './lib/options';
import { accessToken, startService, type Service } from './lib/service';
import { print, ratio, table, whole, type Cell } from './lib/table';
import type { ChunkMemoryParameters, ChunkMemoryResult } from './tasks/chunk-memory';

const VECTOR_SIZE = 256;

/** Submits a text by hand and waits until its chunks are there. */
async function submit(service: Service, authorization: string, text: string): Promise<string> {
	const response = await fetch(`${service.aiUrl}/sentence/gte-small`, {
		method: 'POST',
		headers: { Authorization: authorization, 'Content-Type': 'application/json' },
		body: JSON.stringify({ batch: [{ text }], chunkerConfig: { chunkSize: 1 } }),
	});
	const { chunkingId } = (await response.json()) as { chunkingId: string };
	for (;;) {
		const job = (await service.jobs()).find((each) => each.chunkingId === chunkingId);
		if (job?.status === 'READY') return chunkingId;
		await delay(100);
	}
}

/** Memory of one response with 40,000 chunks, in relation to the response parsed and held alone. */
export async function chunkMemory({ quick }: BenchOptions): Promise<string> {
	const chunks = quick ? 400 : 40_000;
	const text = makeText(chunks);
	const service = await startService('sandbox', {
		vectorSize: VECTOR_SIZE,
		chunkTextLimitBytes: 10_000_000,
	});
	try {
		const authorization = `Bearer ${await accessToken(service)}`;
		const chunkingId = await submit(service, authorization, text);
		const small = await submit(service, authorization, 'Short. Text.');
		const shared: Omit<ChunkMemoryParameters, 'client' | 'measure'> = {
			credentials: service.credentials,
			resultsUrl: `${service.aiUrl}/${chunkingId}`,
			authorization,
			chunkingId,
			sentences: chunks,
			warmUp: { resultsUrl: `${service.aiUrl}/${small}`, chunkingId: small },
			parameters: {
				modelId: 'gte-small',
				chunker: 'sentence',
				chunkerSettings: { chunkSize: 1 },
			},
		};
		const run = async (
			client: ChunkMemoryParameters['client'],
			more: Partial<ChunkMemoryParameters> = {},
		) => {
			const both: ChunkMemoryResult[] = [];
			for (const measure of quick ? (['time'] as const) : (['memory', 'time'] as const)) {
				const result = await isolated<ChunkMemoryParameters, ChunkMemoryResult>(
					'chunk-memory',
					{ ...shared, client, measure, ...more },
				);
				if (!result) throw new Error('The heap was too small');
				both.push(result);
			}
			// Garbage is what a run has that is not disturbed; what is in use the other one knows.
			const { rss, ms } = both[both.length - 1];
			return { ...both[0], rss, ms };
		};
		const parsed = await run('parse');
		const unit = parsed.held;
		const rows: Cell[][] = [];
		const add = (
			name: string,
			{ held, sinceReply, rss, ms, chunks: items }: ChunkMemoryResult,
		) =>
			rows.push([
				name,
				items === 0 ? '-' : whole(items),
				ratio(held / unit),
				ratio(sinceReply / unit),
				ratio(rss / unit),
				(ms / 1000).toFixed(1),
			]);
		add('JSON.parse alone (without its text)', parsed);
		add("n8n's HTTP helper, plain node", await run('helper'));
		const chunked = async (...[client, more]: Parameters<typeof run>) => {
			const result = await run(client, more);
			if (result.chunks !== chunks) throw new Error(`${result.chunks} of ${chunks} chunks`);
			return result;
		};
		add('Get Results', await chunked('getResults'));
		add(
			'Get Results, Documents Ready to Push',
			await chunked('getResults', { output: 'documents' }),
		);
		add('Submit and Wait', await chunked('submitAndWait'));
		print(
			'',
			`**One response of ${whole(chunks)} chunks with ${VECTOR_SIZE} numbers each: ${whole(parsed.body / MB)} MB of JSON, ${whole(unit / MB)} MB parsed (= 1.00)**`,
			'',
		);
		print(
			table(
				[
					'run',
					'items',
					'held at the end',
					'most in use since the response',
					'most of the process, with garbage',
					'seconds',
				],
				rows,
			),
		);
	} finally {
		service.close();
	}
	return 'each chunk was returned as an item.';
}
