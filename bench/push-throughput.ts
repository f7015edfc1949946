import '../support/setup';

import type { IDataObject } from 'n8n-workflow';

import { PushDocuments } from './lib/shipped';
import { runNode } from '../support/engine';
import { axiosClient, limited, slices } from './lib/axios-client';
import { makeDocuments } from './lib/documents';
import { startService, type Service } from '../support/service';
import { print, ratio, table, whole, type Cell } from './lib/table';
import { compare, time, type Timing } from './lib/timing';
import type { BenchOptions } from './lib/options';

const CONCURRENCIES = [1, 4, 16];
const PER_REQUEST = [10, 100, 1000];
const LATENCIES_MS = [0, 20];
/** Minimum number of requests that each client sends for each cell of the table. */
const REQUESTS = 8;

interface Setting {
	concurrency: number;
	perRequest: number;
}

async function pushByNode(service: Service, documents: IDataObject[], setting: Setting) {
	const { concurrency, perRequest: documentsPerRequest } = setting;
	const { output, error } = await runNode({
		node: new PushDocuments(),
		items: documents,
		parameters: { options: { concurrency, documentsPerRequest } },
		credentials: service.credentials,
	});
	if (error || output.length !== documents.length) {
		throw error ?? new Error(`${output.length} of ${documents.length} documents`);
	}
}

async function pushByAxios(
	service: Service,
	documents: IDataObject[],
	{ concurrency, perRequest }: Setting,
) {
	const client = axiosClient({ 'X-API-Key': service.pushKey });
	await limited(concurrency, slices(documents, perRequest), async (batch) => {
		await client.post(service.pushUrl, batch);
	});
}

interface Matrix {
	rounds: number;
	concurrencies: number[];
	perRequests: number[];
}

async function matrix(
	service: Service,
	documents: IDataObject[],
	latencyMs: number,
	{ rounds, concurrencies, perRequests }: Matrix,
): Promise<void> {
	const speeds: Cell[][] = [];
	const ratios: Cell[][] = [];
	for (const concurrency of concurrencies) {
		const speedRow: Cell[] = [concurrency];
		const ratioRow: Cell[] = [concurrency];
		for (const perRequest of perRequests) {
			const setting = { concurrency, perRequest };
			const part = documents.slice(0, Math.max(2 * concurrency, REQUESTS) * perRequest);
			const fresh = async (work: () => Promise<void>): Promise<Timing> => {
				await service.reset(latencyMs);
				return await time(work);
			};
			const { node, axios } = await compare(rounds, {
				node: async () => await fresh(async () => await pushByNode(service, part, setting)),
				axios: async () =>
					await fresh(async () => await pushByAxios(service, part, setting)),
			});
			speedRow.push(whole(part.length / (node.ms / 1000)));
			ratioRow.push(ratio(axios.ms / node.ms));
		}
		speeds.push(speedRow);
		ratios.push(ratioRow);
	}
	const head = ['concurrency', ...perRequests.map((count) => `${count} per request`)];
	print('', `**Push Documents, documents/s, ${latencyMs} ms added latency**`, '');
	print(table(head, speeds));
	print('', 'Its speed as a part of axios with the same batches:', '');
	print(table(head, ratios));
}

/**
 * Compares how many documents per second the node and axios push. The number of concurrent requests and the number of
 * documents per request vary.
 */
export async function pushThroughput({ quick }: BenchOptions): Promise<string> {
	const settings: Matrix = quick
		? { rounds: 1, concurrencies: [4], perRequests: [500] }
		: { rounds: 3, concurrencies: CONCURRENCIES, perRequests: PER_REQUEST };
	const documents = makeDocuments(
		quick ? 5_000 : Math.max(...CONCURRENCIES) * Math.max(...PER_REQUEST) * 2,
	);
	const service = await startService('sandbox');
	try {
		const warmUp = { concurrency: 4, perRequest: 100 };
		await pushByNode(service, documents.slice(0, 5_000), warmUp);
		await pushByAxios(service, documents.slice(0, 5_000), warmUp);
		for (const latencyMs of quick ? [0] : LATENCIES_MS) {
			await matrix(service, documents, latencyMs, settings);
		}
	} finally {
		service.close();
	}
	return 'each document was returned as an item, and none failed.';
}
