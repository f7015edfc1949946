import './lib/nodes';

import { DeleteDocument } from './lib/shipped';
import { runNode } from '../support/engine';
import { axiosClient, limited, slices } from './lib/axios-client';
import { makeDocuments } from './lib/documents';
import type { BenchOptions } from './lib/options';
import { startService, type Service } from './lib/service';
import { print, ratio, table, whole, type Cell } from './lib/table';
import { compare, time, type Timing } from './lib/timing';

const CONCURRENCIES = [1, 4, 8, 16];

async function deleteByNode(service: Service, ids: string[], concurrency: number): Promise<void> {
	const { output, error } = await runNode({
		node: new DeleteDocument(),
		items: ids.map((id) => ({ id })),
		parameters: {
			documentId: '={{ $json.id }}',
			commit: 'serviceDefault',
			options: { concurrency },
		},
		credentials: service.credentials,
	});
	if (error || output.length !== ids.length) throw error ?? new Error('Deletes are missing');
}

async function deleteByAxios(
	service: Service,
	ids: string[],
	options: { concurrency: number; keepAlive: boolean },
): Promise<void> {
	const client = axiosClient({ 'X-API-Key': service.pushKey }, options);
	await limited(options.concurrency, ids, async (id) => {
		await client.delete(`${service.pushUrl}/${encodeURIComponent(id)}`);
	});
}

/** Deletes per second, beside one after the other. */
export async function deleteThroughput({ quick }: BenchOptions): Promise<string> {
	const documents = makeDocuments(quick ? 100 : 2_000);
	const ids = documents.map(({ id }) => id as string);
	const service = await startService('sandbox');
	const push = axiosClient({ 'X-API-Key': service.pushKey }, { keepAlive: false });
	try {
		await service.reset();
		await deleteByNode(service, ids, 4);
		for (const latencyMs of quick ? [0] : [0, 20]) {
			const fresh = async (work: (part: string[]) => Promise<void>, count = ids.length) => {
				await service.reset(latencyMs);
				for (const batch of slices(documents, 1_000))
					await push.post(service.pushUrl, batch);
				const timing = await time(async () => await work(ids.slice(0, count)));
				// As if all had been deleted: one after the other takes long.
				return { ...timing, ms: (timing.ms * ids.length) / count };
			};
			// With latency one after the other is measured on a part.
			const few = latencyMs === 0 ? ids.length : ids.length / 10;
			const results: Record<string, Timing> = await compare(quick ? 1 : 3, {
				...Object.fromEntries(
					CONCURRENCIES.map((concurrency) => [
						`Delete Document, ${concurrency} concurrent`,
						async () =>
							await fresh(
								async (part) => await deleteByNode(service, part, concurrency),
								concurrency === 1 ? few : undefined,
							),
					]),
				),
				'axios, one by one': async () =>
					await fresh(
						async (part) =>
							await deleteByAxios(service, part, {
								concurrency: 1,
								keepAlive: false,
							}),
						few,
					),
				'axios, one by one, keep-alive': async () =>
					await fresh(
						async (part) =>
							await deleteByAxios(service, part, { concurrency: 1, keepAlive: true }),
						few,
					),
				'axios, 4 concurrent': async () =>
					await fresh(
						async (part) =>
							await deleteByAxios(service, part, {
								concurrency: 4,
								keepAlive: false,
							}),
					),
			});
			const one = results['axios, one by one'].ms;
			const rows: Cell[][] = Object.entries(results).map(([name, { ms }]) => [
				name,
				whole(ids.length / (ms / 1000)),
				`${ratio(one / ms)} x`,
			]);
			print('', `**${whole(ids.length)} deletes, ${latencyMs} ms added latency**`, '');
			print(table(['client', 'deletes/s', 'of axios one by one'], rows));
		}
	} finally {
		service.close();
	}
	return 'each ID was returned as an item, and none failed.';
}
