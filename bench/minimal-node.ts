import '../support/setup';

import type { IDataObject, IExecuteFunctions, INodeType } from 'n8n-workflow';

import { runNode } from '../support/engine';
import { limited, slices } from './lib/axios-client';
import { makeDocuments } from './lib/documents';
import type { BenchOptions } from './lib/options';
import { startService, type Service } from '../support/service';
import { DeleteDocument, PushDocuments } from './lib/shipped';
import { print, ratio, table, whole, type Cell } from './lib/table';
import { time } from './lib/timing';

/** Sends something with n8n's own helper; returns one item for each document. */
type Send = (
	context: IExecuteFunctions,
	documents: Array<{ json: IDataObject; at: number }>,
) => Promise<unknown>;

/**
 * The least that any node does: the same batches with n8n's own helper, and one item per document. It
 * checks nothing, retries nothing and reads no response.
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

/** Runs a node, which has to return so many items. */
const running =
	(
		{ credentials }: Service,
		node: INodeType,
		items: IDataObject[],
		parameters: IDataObject = {},
	) =>
	async (): Promise<void> => {
		const { output, error } = await runNode({
			node,
			items,
			parameters: parameters as never,
			credentials,
		});
		if (error || output.length !== items.length) {
			throw error ?? new Error(`${output.length} of ${items.length} items`);
		}
	};

async function cpuOf(work: () => Promise<void>, documents: number): Promise<number> {
	const { cpuMs } = await time(work);
	return (cpuMs / documents) * 1000;
}

const median = (list: number[]): number =>
	[...list].sort((one, other) => one - other)[Math.floor(list.length / 2)];

/** Processor time per document beside what does the least, in interleaved rounds. */
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
		for (const { name, ours, floor, documents: all } of [push(500), push(10), remove]) {
			const figures: Record<'ours' | 'floor', number[]> = { ours: [], floor: [] };
			for (let round = -1; round < rounds; round++) {
				const one = await cpuOf(ours, all);
				const other = await cpuOf(floor, all);
				// The first round warms the code up.
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
