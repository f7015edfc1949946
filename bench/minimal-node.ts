import '../support/setup';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

import type { IDataObject, IExecuteFunctions, INodeType } from 'n8n-workflow';

import { runNode } from '../support/engine';
import { axiosClient, limited, slices } from './lib/axios-client';
import { makeDocuments } from './lib/documents';
import type { BenchOptions } from './lib/options';
import { startService, type Service } from '../support/service';
import { DeleteDocument, PushDocuments } from './lib/shipped';
import { print, ratio, table, whole, type Cell } from './lib/table';
import { time } from './lib/timing';

type Send = (
	context: IExecuteFunctions,
	documents: Array<{ json: IDataObject; at: number }>,
) => Promise<unknown>;

/**
 * Makes a node that does as little as possible. It sends the same batches as the real node, but with n8n's own helper.
 * It returns one item per document, checks nothing, retries nothing and reads no response.
 */
const minimalNode = (concurrency: number, perRequest: number, send: Send): INodeType => ({
	description: {
		displayName: 'Minimal',
		name: 'minimal',
		group: ['output'],
		version: 1,
		description: 'The floor for any node',
		defaults: {},
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'lucidworksPushApi', required: true }],
		properties: [],
	},
	async execute(this: IExecuteFunctions) {
		const all = this.getInputData().map(({ json }, at) => ({ json, at }));
		await limited(concurrency, slices(all, perRequest), async (batch) => {
			await send(this, batch);
		});
		return [all.map(({ json, at }) => ({ json: { id: json.id }, pairedItem: { item: at } }))];
	},
});

const request =
	(
		options: (documents: IDataObject[]) => {
			method: 'POST' | 'DELETE';
			url: string;
			body?: IDataObject[];
		},
	): Send =>
	async (context, batch) =>
		await context.helpers.httpRequestWithAuthentication.call(context, 'lucidworksPushApi', {
			...options(batch.map(({ json }) => json)),
			json: true,
		});

interface Comparison {
	name: string;
	ours: () => Promise<void>;
	floor: () => Promise<void>;
	documents: number;
}

const running =
	(
		{ credentials }: Service,
		node: INodeType,
		items: IDataObject[],
		parameters: IDataObject = {},
		returned = items.length,
	) =>
	async (): Promise<void> => {
		const { output, error } = await runNode({
			node,
			items,
			parameters: parameters as never,
			credentials,
		});
		if (error || output.length !== returned) {
			throw error ?? new Error(`${output.length} of ${returned} items`);
		}
	};

/**
 * Sends the same file with axios, without n8n. As in n8n, the file is in memory. The function decodes the file, parses
 * it line by line, and sends batches of the same size.
 */
const fileByAxios =
	({ pushUrl, pushKey }: Service, base64: string, concurrency: number, perRequest: number) =>
	async (): Promise<void> => {
		const axios = axiosClient({ 'X-API-Key': pushKey });
		const inFlight = new Set<Promise<unknown>>();
		const send = async (body: unknown[]): Promise<void> => {
			const request: Promise<unknown> = axios
				.post(pushUrl, body)
				.finally(() => inFlight.delete(request));
			inFlight.add(request);
			if (inFlight.size >= concurrency) await Promise.race(inFlight);
		};
		let batch: unknown[] = [];
		const input = Readable.from(chunksOf(Buffer.from(base64, 'base64')));
		for await (const line of createInterface({ input })) {
			batch.push(JSON.parse(line));
			if (batch.length < perRequest) continue;
			await send(batch);
			batch = [];
		}
		if (batch.length > 0) await send(batch);
		await Promise.all(inFlight);
	};

function* chunksOf(file: Buffer): Generator<Buffer> {
	for (let from = 0; from < file.length; from += 65_536) yield file.subarray(from, from + 65_536);
}

async function cpuOf(work: () => Promise<void>, documents: number): Promise<number> {
	// Collects the garbage from the previous run if Node.js was started with --expose-gc.
	globalThis.gc?.();
	const { cpuMs } = await time(work);
	return (cpuMs / documents) * 1000;
}

const median = (list: number[]): number =>
	[...list].sort((one, other) => one - other)[Math.floor(list.length / 2)];

/**
 * Compares this package's node with the minimal node in alternating rounds. The measure is the processor time per
 * document.
 */
export async function minimal({ quick }: BenchOptions): Promise<string> {
	const rounds = quick ? 1 : 9;
	const documents = makeDocuments(quick ? 1_000 : 20_000);
	const service = await startService('sink');
	const push = (perRequest: number): Comparison => ({
		name: `Push, ${perRequest} documents per request, 4 concurrent : minimal node`,
		ours: running(service, new PushDocuments(), documents, {
			options: { concurrency: 4, documentsPerRequest: perRequest },
		}),
		floor: running(
			service,
			minimalNode(
				4,
				perRequest,
				request((body) => ({ method: 'POST', url: service.pushUrl, body })),
			),
			documents,
		),
		documents: documents.length,
	});
	const file = Buffer.from(documents.map((each) => `${JSON.stringify(each)}\n`).join(''));
	const base64 = file.toString('base64');
	const binary = { data: { data: base64, mimeType: 'text/plain', fileName: 'all.jsonl' } };
	const pushFile: Comparison = {
		name: 'Push from a file, 500 documents per request, 4 concurrent : axios that parses the lines',
		ours: running(service, new PushDocuments(), [{ json: {}, binary }], {
			documentSource: 'file',
			options: { concurrency: 4, documentsPerRequest: 500 },
		}),
		floor: fileByAxios(service, base64, 4, 500),
		documents: documents.length,
	};
	const deleted = documents.slice(0, documents.length / 10);
	const remove: Comparison = {
		name: 'Delete, 8 concurrent : minimal node',
		ours: running(service, new DeleteDocument(), deleted, {
			documentId: '={{ $json.id }}',
			options: { concurrency: 8 },
		}),
		floor: running(
			service,
			minimalNode(
				8,
				1,
				request(([{ id }]) => ({
					method: 'DELETE',
					url: `${service.pushUrl}/${encodeURIComponent(String(id))}`,
				})),
			),
			deleted,
		),
		documents: deleted.length,
	};
	const rows: Cell[][] = [];
	try {
		for (const { name, ours, floor, documents: all } of [
			push(500),
			push(10),
			pushFile,
			remove,
		]) {
			const figures: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] };
			for (let round = -1; round < rounds; round++) {
				const one = await cpuOf(ours, all);
				const other = await cpuOf(floor, all);
				// The first round only warms up the code.
				if (round < 0) continue;
				figures.ours.push(one);
				figures.floor.push(other);
			}
			const ratios = figures.ours.map((one, at) => one / figures.floor[at]);
			rows.push([
				name,
				whole(median(figures.ours)),
				whole(median(figures.floor)),
				ratio(median(ratios)),
				rounds,
			]);
		}
		print('', '**Processor time per document, a server that does nothing**', '');
		print(
			table(
				['work : its peer', 'node, µs', 'peer, µs', 'ratio (median of rounds)', 'rounds'],
				rows,
			),
		);
	} finally {
		service.close();
	}
	return 'each node returned one item per document, and none failed.';
}
