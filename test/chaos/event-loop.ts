/** How long a node blocks the event loop, which all executions of an n8n process share. */
import { fork } from 'node:child_process';
import path from 'node:path';

import type { IDataObject, IExecuteFunctions, INodeType } from 'n8n-workflow';

import { CredentialStore } from '../../support/credential-store';
import { runNode, type RunResult } from '../../support/engine';
import { credentialsFor, NODES, parametersOf, type NodeKey, type Settings } from './adapter';

const SAMPLE_MS = 4;

/**
 * Measures from its start to its end. A block counts as long as it took, but no longer than this
 * process was computing: a machine that is busy with something else is no block.
 */
export class BlockMeter {
	private timer: NodeJS.Timeout | undefined;
	longestMs = 0;

	start(): void {
		let wall = performance.now();
		let cpu = process.cpuUsage();
		this.timer = setInterval(() => {
			const used = process.cpuUsage(cpu);
			const tookMs = performance.now() - wall - SAMPLE_MS;
			this.longestMs = Math.max(
				this.longestMs,
				Math.min(tookMs, (used.user + used.system) / 1000),
			);
			wall = performance.now();
			cpu = process.cpuUsage();
		}, SAMPLE_MS);
	}

	/** The last block is over once the event loop has come round. */
	async stop(): Promise<void> {
		await new Promise((resolve) => setTimeout(resolve, 2 * SAMPLE_MS));
		clearInterval(this.timer);
	}
}

/** The node with a meter around what it executes: what n8n does before and after is n8n's. */
export function metered(node: INodeType, meter: BlockMeter): INodeType {
	const execute = node.execute as NonNullable<INodeType['execute']>;
	return {
		description: node.description,
		async execute(this: IExecuteFunctions) {
			meter.start();
			try {
				return await execute.call(this);
			} finally {
				await meter.stop();
			}
		},
	};
}

export interface Service {
	url: string;
	stop: () => void;
}

/** Starts the service in a process of its own. */
export async function startService(): Promise<Service> {
	const child = fork(path.join(__dirname, 'event-loop-service.cjs'), { execArgv: [] });
	const port = await new Promise<unknown>((resolve) => child.once('message', resolve));
	return { url: `http://127.0.0.1:${String(port)}`, stop: () => void child.disconnect() };
}

export interface Load {
	title: string;
	node: NodeKey;
	settings: Settings;
	item: (index: number) => IDataObject;
	/** How many items come out. */
	returns: number;
}

export const ITEMS = 50_000;

/** Documents of an ID share a delete, so that the items count and not the requests. */
const DISTINCT_DELETES = 250;

const document = (index: number): IDataObject => ({
	id: `handbook/${index}.md`,
	name: `Chapter ${index}`,
	description: 'Goods may be returned within thirty days.',
	url: `https://example.com/handbook/${index}`,
});

export const LOADS: Load[] = [
	{
		title: 'Push Documents, whole items',
		node: 'push',
		settings: { documentSource: 'wholeItem' },
		item: document,
		returns: ITEMS,
	},
	{
		title: 'Push Documents, mapped fields',
		node: 'push',
		settings: { documentSource: 'fields' },
		item: document,
		returns: ITEMS,
	},
	{
		title: 'Delete Document',
		node: 'delete',
		settings: {},
		item: (index) => ({ id: `handbook/${index % DISTINCT_DELETES}.md` }),
		returns: ITEMS,
	},
	{
		title: 'Chunk Text',
		node: 'chunk',
		settings: {
			operation: 'submitAndWait',
			modelId: 'gte-small',
			chunkOutput: 'documents',
			textsPerRequest: 100,
			firstInterval: 0.1,
		},
		item: (index) => ({ ...document(index), text: `Chapter ${index}: Goods may be returned.` }),
		returns: ITEMS,
	},
	{
		title: 'Migrate Blobs',
		node: 'migrate',
		settings: { confirm: true },
		item: (index) => ({ index }),
		returns: 1,
	},
];

/** Runs a node on many items. */
export async function longestBlock(
	{ node, settings, item }: Load,
	url: string,
	run: number,
): Promise<{ longestMs: number; result: RunResult }> {
	const meter = new BlockMeter();
	const result = await runNode({
		node: metered(NODES[node], meter),
		items: Array.from({ length: ITEMS }, (_, index) => item(index)),
		parameters: parametersOf(node, settings),
		store: new CredentialStore(credentialsFor(url, `event-loop-${node}-${run}`)),
	});
	return { longestMs: meter.longestMs, result };
}
