import './lib/nodes';

import type { IDataObject, INodeType } from 'n8n-workflow';

import { PushDocuments } from './lib/shipped';
import { runNode } from '../support/engine';
import { axiosClient, limited, slices } from './lib/axios-client';
import { makeDocuments } from './lib/documents';
import { httpRequestNode } from './lib/http-request';
import { startService, type Service } from './lib/service';
import { print, ratio, table, whole, type Cell } from './lib/table';
import { compare, time, type Timing } from './lib/timing';
import type { BenchOptions } from './lib/options';

const CONCURRENCIES = [1, 2, 4, 8, 16];
const PER_REQUEST = [10, 100, 500, 1000];
const LATENCIES_MS = [0, 20, 100];
/** What a plain client manages without any latency; only to choose how much a cell sends. */
const ROUGH_DOCUMENTS_PER_SECOND = 10_000;

interface Setting {
	concurrency: number;
	perRequest: number;
}

/** Push Documents on n8n's engine. */
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

/** The same batches by axios alone. */
async function pushByAxios(
	service: Service,
	documents: IDataObject[],
	{ concurrency, perRequest }: Setting,
	keepAlive: boolean,
) {
	const client = axiosClient({ 'X-API-Key': service.pushKey }, { keepAlive });
	await limited(concurrency, slices(documents, perRequest), async (batch) => {
		await client.post(service.pushUrl, batch);
	});
}

/** n8n's HTTP Request node: one request for each item, all started together. */
async function pushByHttpRequest(node: INodeType, service: Service, documents: IDataObject[]) {
	const { output, error } = await runNode({
		node,
		items: documents,
		parameters: {
			method: 'POST',
			url: service.pushUrl,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'pushEndpointApi',
			sendBody: true,
			specifyBody: 'json',
			jsonBody: '={{ $json }}',
			options: {},
		},
		credentials: service.credentials,
	});
	if (error || output.length !== documents.length) {
		throw error ?? new Error(`${output.length} of ${documents.length} documents`);
	}
}

async function headline(
	title: string,
	service: Service,
	documents: IDataObject[],
	{ rounds, latencyMs = 0 }: { rounds: number; latencyMs?: number },
): Promise<void> {
	const setting = { concurrency: 4, perRequest: 100 };
	const few = documents.slice(0, Math.min(2_000, documents.length / 10));
	const http = httpRequestNode('pushEndpointApi');
	const fresh = async (work: () => Promise<void>): Promise<Timing> => {
		await service.reset(latencyMs);
		return await time(work);
	};
	const results: Record<string, Timing> = await compare<string>(rounds, {
		node: async () => await fresh(async () => await pushByNode(service, documents, setting)),
		axios: async () =>
			await fresh(async () => await pushByAxios(service, documents, setting, false)),
		axiosKeepAlive: async () =>
			await fresh(async () => await pushByAxios(service, documents, setting, true)),
		axiosEach: async () =>
			await fresh(
				async () =>
					await pushByAxios(service, few, { concurrency: 4, perRequest: 1 }, false),
			),
		...(http && {
			httpRequest: async () =>
				await fresh(async () => await pushByHttpRequest(http, service, few)),
		}),
	});
	const names: Record<string, [string, number]> = {
		node: ['Push Documents in the engine', documents.length],
		axios: ['axios, same batches', documents.length],
		axiosKeepAlive: ['axios, same batches, keep-alive', documents.length],
		axiosEach: ['axios, one request per document, 4 concurrent', few.length],
		httpRequest: ['HTTP Request node, per item (all concurrent)', few.length],
	};
	const perSecond = (name: string) => names[name][1] / (results[name].ms / 1000);
	print('', `**${title}**`, '');
	print(
		table(
			['client', 'documents', 'documents/s', 'Push Documents : client', 'CPU µs/document'],
			Object.entries(results).map(([name, { cpuMs }]) => [
				names[name][0],
				whole(names[name][1]),
				whole(perSecond(name)),
				`${ratio(perSecond('node') / perSecond(name))} : 1`,
				whole((cpuMs / names[name][1]) * 1000),
			]),
		),
	);
	if (!http) print('', 'Without the HTTP Request node: e2e/ is not installed.');
}

/** So many documents that a cell takes about that time, and all requests are in flight twice. */
function documentsFor(
	{ concurrency, perRequest }: Setting,
	latencyMs: number,
	budgetMs: number,
): number {
	const msPerRequest = latencyMs + 2 + (perRequest * 1000) / ROUGH_DOCUMENTS_PER_SECOND;
	const rate = Math.min(
		ROUGH_DOCUMENTS_PER_SECOND,
		(concurrency * perRequest * 1000) / msPerRequest,
	);
	const rounds = Math.max(2, Math.round((rate * budgetMs) / 1000 / (concurrency * perRequest)));
	return rounds * concurrency * perRequest;
}

/** What a matrix of settings has, and how thoroughly each is measured. */
interface Matrix {
	rounds: number;
	budgetMs: number;
	concurrencies: number[];
	perRequests: number[];
}

async function matrix(
	service: Service,
	documents: IDataObject[],
	latencyMs: number,
	{ rounds, budgetMs, concurrencies, perRequests }: Matrix,
): Promise<void> {
	const speeds: Cell[][] = [];
	const ratios: Cell[][] = [];
	for (const concurrency of concurrencies) {
		const speedRow: Cell[] = [concurrency];
		const ratioRow: Cell[] = [concurrency];
		for (const perRequest of perRequests) {
			const setting = { concurrency, perRequest };
			const part = documents.slice(0, documentsFor(setting, latencyMs, budgetMs));
			const fresh = async (work: () => Promise<void>): Promise<Timing> => {
				await service.reset(latencyMs);
				return await time(work);
			};
			const { node, axios, keepAlive } = await compare(rounds, {
				node: async () => await fresh(async () => await pushByNode(service, part, setting)),
				axios: async () =>
					await fresh(async () => await pushByAxios(service, part, setting, false)),
				keepAlive: async () =>
					await fresh(async () => await pushByAxios(service, part, setting, true)),
			});
			speedRow.push(whole(part.length / (node.ms / 1000)));
			ratioRow.push(`${ratio(axios.ms / node.ms)} / ${ratio(keepAlive.ms / node.ms)}`);
		}
		speeds.push(speedRow);
		ratios.push(ratioRow);
	}
	const head = ['concurrency', ...perRequests.map((count) => `${count} per request`)];
	print('', `**Push Documents, documents/s, ${latencyMs} ms added latency**`, '');
	print(table(head, speeds));
	print(
		'',
		'Its speed as a part of axios with the same batches (without / with keep-alive):',
		'',
	);
	print(table(head, ratios));
}

/** Documents per second by number of concurrent requests and documents per request, beside peers. */
export async function pushThroughput({ quick }: BenchOptions): Promise<string> {
	const count = quick ? 2_000 : 20_000;
	const rounds = quick ? 1 : 3;
	const budgetMs = quick ? 100 : 800;
	const most = quick ? 5_000 : Math.max(...CONCURRENCIES) * Math.max(...PER_REQUEST) * 2;
	const documents = makeDocuments(most);
	const service = await startService('sandbox');
	const sink = await startService('sink');
	try {
		// Warms the code of all clients and of the servers up.
		for (const each of [service, sink]) {
			await each.reset();
			await pushByNode(each, documents.slice(0, 5_000), { concurrency: 4, perRequest: 100 });
			await pushByAxios(
				each,
				documents.slice(0, 5_000),
				{ concurrency: 4, perRequest: 100 },
				true,
			);
		}
		const part = documents.slice(0, count);
		await headline('Sandbox, 4 concurrent requests, 100 documents each', service, part, {
			rounds,
		});
		await headline('The same with 20 ms latency', service, part.slice(0, count / 2), {
			rounds,
			latencyMs: 20,
		});
		await headline('A server that does nothing: the client alone', sink, part, { rounds });
		const sides = quick
			? { concurrencies: [4], perRequests: [500] }
			: { concurrencies: CONCURRENCIES, perRequests: PER_REQUEST };
		for (const latencyMs of quick ? [0] : LATENCIES_MS) {
			await matrix(service, documents, latencyMs, {
				rounds: latencyMs === 0 ? rounds : 1,
				budgetMs,
				...sides,
			});
		}
	} finally {
		service.close();
		sink.close();
	}
	return 'each document was returned as an item, and none failed.';
}
