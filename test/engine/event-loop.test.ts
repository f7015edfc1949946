/**
 * Tests that no node blocks the event loop for long, because n8n's other executions need it too. Each test measures
 * this process's CPU time, so other processes do not influence the result.
 */
import type { IDataObject, IExecuteFunctions, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { runNode, type RunResult } from '../../support/engine';
import { startService, type Service } from '../../support/service';

/** A node that blocks the event loop for less than this time passes, even if it does all of its work at once. */
const SHORT_MS = 100;
/** Maximum share of a node's work that it may do without a break. A share is the same on fast and slow machines. */
const MAX_SHARE = 1 / 3;
/**
 * Number of times that a test is tried. Garbage collection can make one try fail, but a node that never pauses fails
 * every time.
 */
const RUNS = 10;

/** The service runs in a separate process, so that its CPU time is not counted. */
let service: Service;
beforeAll(async () => {
	service = await startService('sandbox');
});
afterAll(() => service.close());

function cpuMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

/** CPU time of a node: in total, and the longest time without a break. */
interface Computing {
	totalMs: number;
	longestMs: number;
}

async function measure(work: () => Promise<unknown>): Promise<Computing> {
	const startedAt = cpuMs();
	let isOver = false;
	let last = startedAt;
	let longestMs = 0;
	const turn = () => {
		if (isOver) return;
		const now = cpuMs();
		longestMs = Math.max(longestMs, now - last);
		last = now;
		// With setImmediate, this loop would use CPU time even while the node waits.
		setTimeout(turn, 1);
	};
	turn();
	await work();
	turn();
	isOver = true;
	return { totalMs: cpuMs() - startedAt, longestMs };
}

async function computingOf(
	node: INodeType,
	items: IDataObject[],
	parameters: INodeParameters,
): Promise<{ computing: Computing; result: RunResult }> {
	let computing: Computing = { totalMs: NaN, longestMs: NaN };
	const measured: INodeType = {
		description: node.description,
		async execute(this: IExecuteFunctions) {
			let output: Awaited<ReturnType<NonNullable<INodeType['execute']>>> = [[]];
			computing = await measure(async () => {
				output = (await node.execute?.call(this)) ?? [[]];
			});
			return output;
		},
	};
	const result = await runNode({
		node: measured,
		items,
		parameters,
		onError: 'continueErrorOutput',
		credentials: service.credentials,
	});
	return { computing, result };
}

const isInSteps = ({ longestMs, totalMs }: Computing) =>
	longestMs < Math.max(SHORT_MS, MAX_SHARE * totalMs);

const CHUNKS = 40_000;
const documents = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({
		id: `handbook/${index}.md`,
		name: `Chapter ${index}`,
		text: `Chapter ${index}.`,
	}));
const fileOf = (rows: number): IDataObject[] => {
	const content = documents(rows).map(
		({ id, name }) => `${String(id)},${String(name)},"A text"\n`,
	);
	const data = Buffer.from(`id,name,text\n${content.join('')}`).toString('base64');
	const file = { data, fileName: 'd.csv', mimeType: 'text/plain' };
	return [{ json: {}, binary: { data: file } }];
};
const chunking = (dimReductionSize: number) => ({
	modelId: { __rl: true, mode: 'id', value: 'gte-small' },
	chunker: 'regex-splitter',
	regex: '\\n',
	options: { textsPerRequest: 500, dimReductionSize, vectorQuantizationMethod: 'max-scale' },
});

test.each<[string, () => INodeType, () => IDataObject[], INodeParameters, number]>([
	['20,000 documents', () => new PushDocuments(), () => documents(20_000), {}, 20_000],
	// Here n8n's errors take most of the time, because each error contains a stack trace.
	['5,000 that fail', () => new PushDocuments(), () => documents(5_000), {}, 5_000],
	['a file', () => new PushDocuments(), () => fileOf(50_000), { documentSource: 'file' }, 1],
	['20,000 texts', () => new ChunkText(), () => documents(20_000), chunking(8), 20_000],
	[
		'a large response',
		() => new ChunkText(),
		() => [{ id: 'a', name: 'A', text: 'A chunk.\n'.repeat(CHUNKS) }],
		chunking(32),
		CHUNKS,
	],
])(
	'goes step by step: %s',
	async (title, node, items, parameters, returns) => {
		await service.reset();
		if (title.endsWith('fail')) await service.fault({ route: 'push', status: 401 });
		const runs: Computing[] = [];
		while (runs.length < RUNS && !runs.some(isInSteps)) {
			const { result, computing } = await computingOf(node(), items(), parameters);
			expect(result.error).toBeUndefined();
			expect(result.output.length + result.errorOutput.length).toBe(returns);
			runs.push(computing);
		}
		expect(runs.filter(isInSteps)).toHaveLength(1);
	},
	120_000,
);

test('a node that does everything in one step is noticed', async () => {
	const busy = {
		description: { properties: [], version: 1, inputs: ['main'], outputs: ['main'] },
		async execute() {
			const endsAt = cpuMs() + 3 * SHORT_MS;
			while (cpuMs() < endsAt);
			return [[]];
		},
	} as unknown as INodeType;
	expect(isInSteps((await computingOf(busy, [{}], {})).computing)).toBe(false);
});
