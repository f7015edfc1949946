/** How long a node keeps the event loop, which all executions of an n8n process share. */
import './setup';

import { fork } from 'node:child_process';
import path from 'node:path';

import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';

import { CredentialStore } from './credential-store';
import { runNode, type RunResult } from './engine';
import { loadNode } from './load-node';

/** CPU time of this process: unlike the clock, it stands still while others have the processor. */
export function cpuMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

/** What a node computed. */
export interface Computing {
	/** In all. */
	totalMs: number;
	/** The longest of it between two turns of the event loop. */
	longestMs: number;
}

/** Measures some work, in CPU time. */
export async function measureComputing(work: () => Promise<unknown>): Promise<Computing> {
	const startedAt = cpuMs();
	let isOver = false;
	let last = startedAt;
	let longestMs = 0;
	const turn = () => {
		if (isOver) return;
		const now = cpuMs();
		longestMs = Math.max(longestMs, now - last);
		last = now;
		// Not setImmediate, which would keep a processor busy while the node waits.
		setTimeout(turn, 1);
	};
	turn();
	try {
		await work();
	} finally {
		turn();
		isOver = true;
	}
	return { totalMs: cpuMs() - startedAt, longestMs };
}

/** The node, measured without what n8n does before and after it. */
function measured(node: INodeType, report: (computing: Computing) => void): INodeType {
	return {
		description: node.description,
		async execute(this: IExecuteFunctions) {
			let output: Awaited<ReturnType<NonNullable<INodeType['execute']>>> = [[]];
			const computing = await measureComputing(async () => {
				output = (await node.execute?.call(this)) ?? [[]];
			});
			report(computing);
			return output;
		},
	};
}

/** A service that accepts everything, unless its URL ends with `/status/N`. */
export interface Service {
	url: string;
	stop: () => void;
}

/** Starts the service in a process of its own, so that its work is not taken for the nodes'. */
export async function startService(): Promise<Service> {
	const child = fork(path.join(__dirname, 'event-loop-service.cjs'), { execArgv: [] });
	const port = await new Promise<unknown>((resolve) => child.once('message', resolve));
	const url = `http://127.0.0.1:${String(port)}`;
	return { url, stop: () => void child.disconnect() };
}

/** Much work for a node. */
export interface Load {
	title: string;
	node: 'ChunkText' | 'PushDocuments' | 'DeleteDocument' | 'MigrateBlobs';
	parameters: INodeParameters;
	items: () => IDataObject[] | INodeExecutionData[];
	/** How many items come out, of both outputs. */
	returns: number;
	/** What the service answers; 200 unless given. */
	status?: number;
}

const ITEMS = 50_000;
/** n8n's errors carry a stack each, which takes most of the time of items that fail. */
const FAILING_ITEMS = 10_000;
/** The service cuts a text that begins with a number into as many chunks. */
const CHUNKS = 40_000;

const itemsOf = (count: number, item: (index: number) => IDataObject) => () =>
	Array.from({ length: count }, (_, index) => item(index));
const document = (index: number): IDataObject => ({
	id: `handbook/${index}.md`,
	name: `Chapter ${index}`,
	description: 'Goods may be returned within thirty days.',
	url: `https://example.com/handbook/${index}`,
});

function pushing(title: string, more: Partial<Load> = {}): Load {
	return {
		title: `Push Documents, ${title}`,
		node: 'PushDocuments',
		parameters: {},
		items: itemsOf(ITEMS, document),
		returns: ITEMS,
		...more,
	};
}

function failing(title: string, more: Partial<Load>): Load {
	const load = pushing(title, { items: itemsOf(FAILING_ITEMS, document), ...more });
	return { ...load, returns: FAILING_ITEMS };
}

function deleting(title: string, returns: number, more: Partial<Load>): Load {
	const load = { node: 'DeleteDocument', parameters: {}, items: () => [], returns } as const;
	return { title: `Delete Document, ${title}`, ...load, ...more };
}

/** One item with a file, as n8n has it without a storage. */
const fileOf = (fileName: string, content: () => string) => (): INodeExecutionData[] => {
	const data = Buffer.from(content()).toString('base64');
	return [{ json: {}, binary: { data: { data, fileName, mimeType: 'text/plain' } } }];
};

const ROWS = 50_000;
const rows = (): string =>
	Array.from({ length: ROWS }, (_, index) => `${index},Name,"A text, as long as most"\n`).join(
		'',
	);

/** Many items in each node, a large file, a large request and a large response. */
export const LOADS: Load[] = [
	pushing('whole items'),
	failing('wrong key', { status: 401 }),
	pushing('a file', {
		parameters: { documentSource: 'file' },
		items: fileOf('d.csv', () => `id,name,text\n${rows()}`),
		returns: 1,
	}),
	deleting('shared IDs', ITEMS, {
		items: itemsOf(ITEMS, (index) => document(index % 250)),
	}),
	{
		title: 'Chunk Text',
		node: 'ChunkText',
		parameters: {
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
			options: { textsPerRequest: 500 },
		},
		items: itemsOf(ITEMS, (index) => ({ ...document(index), text: `Chapter ${index}.` })),
		returns: ITEMS,
	},
	{
		title: 'Chunk Text, a large response',
		node: 'ChunkText',
		parameters: { modelId: { __rl: true, mode: 'id', value: 'gte-small' } },
		items: () => [{ ...document(0), text: `${CHUNKS} chunks` }],
		returns: CHUNKS,
	},
];

let runs = 0;

/** Runs a node of this package, or another one in its place, on a load. */
export async function computingOf(
	{ node, parameters, items, status }: Load,
	service: Service,
	instance: INodeType = loadNode(node),
): Promise<Computing & { result: RunResult }> {
	const url = status === undefined ? service.url : `${service.url}/status/${status}`;
	let computing: Computing = { totalMs: NaN, longestMs: NaN };
	runs += 1;
	const result = await runNode({
		node: measured(instance, (measurement) => {
			computing = measurement;
		}),
		items: items(),
		parameters,
		onError: 'continueErrorOutput',
		store: new CredentialStore({
			lucidworksAiOAuth2Api: {
				aiUrl: url,
				authUrl: service.url,
				authorizationServerId: 'default',
				// A client of its own for each run, so that no run has the token of another.
				clientId: `event-loop-${runs}`,
				clientSecret: 'secret',
				scope: 'machinelearning.predict',
			},
			lucidworksPushApi: { pushUrl: url, endpoint: 'docs', apiKey: 'key' },
			lucidworksBlobApi: { baseUrl: url, authentication: 'none' },
		}),
	});
	return { ...computing, result };
}
