/**
 * Tests that no node does all of its work in one step. If a node did, n8n's other executions could not continue in the
 * meantime. The length of a step is measured as CPU time of this process. This time does not increase while other
 * processes use the processor.
 */
import type { IDataObject, IExecuteFunctions, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { runNode, type RunOptions, type RunResult } from '../../support/engine';
import { indexes } from '../../support/sandbox';
import { startService, type Service } from '../../support/service';

/**
 * A step this short does not noticeably delay other executions. This applies even if the node does all of its work in
 * one such step.
 */
const SHORT_MS = 100;
/** Maximum share of the total work that one step may take. A share does not depend on the machine's speed. */
const MAX_SHARE = 1 / 3;
/**
 * Maximum number of attempts. Garbage collection can make a step too long, but not on every attempt. A node that does
 * its work in a single step fails on every attempt.
 */
const RUNS = 10;

/** The service runs in its own process, so that its work is not measured. */
let service: Service;
beforeAll(async () => {
	service = await startService('sandbox');
});
afterAll(() => service.close());

function cpuMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

/** A node's total CPU time, and the node's longest step between two turns of the event loop. */
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
		// setImmediate would keep the processor busy while the node waits.
		setTimeout(turn, 1);
	};
	turn();
	await work();
	turn();
	isOver = true;
	return { totalMs: cpuMs() - startedAt, longestMs };
}

type Output = Awaited<ReturnType<NonNullable<INodeType['execute']>>>;

async function computingOf(
	node: INodeType,
	items: IDataObject[],
	parameters: INodeParameters,
	onError: RunOptions['onError'] = 'continueErrorOutput',
): Promise<{ computing: Computing; result: RunResult }> {
	let computing: Computing = { totalMs: NaN, longestMs: NaN };
	const measured: INodeType = {
		description: node.description,
		async execute(this: IExecuteFunctions) {
			const execution = { output: [[]] as Output, error: undefined as unknown };
			computing = await measure(async () => {
				try {
					execution.output = (await node.execute?.call(this)) ?? [[]];
				} catch (error) {
					execution.error = error;
				}
			});
			if (execution.error !== undefined) throw execution.error as Error;
			return execution.output;
		},
	};
	const result = await runNode({
		node: measured,
		items,
		parameters,
		onError,
		credentials: service.credentials,
	});
	return { computing, result };
}

const isInSteps = ({ longestMs, totalMs }: Computing, maxShare = MAX_SHARE) =>
	longestMs < Math.max(SHORT_MS, maxShare * totalMs);

const CHUNKS = 40_000;
const documents = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_, index) => ({
		id: `handbook/${index}.md`,
		name: `Chapter ${index}`,
		text: `Chapter ${index}.`,
	}));
const withOneId = (count: number): IDataObject[] =>
	documents(count).map((document) => ({ ...document, id: 'a', text: 'A text. '.repeat(400) }));
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
	// Each n8n error contains a stack trace, and creating these traces takes most of the time here.
	['5,000 that fail', () => new PushDocuments(), () => documents(5_000), {}, 5_000],
	// Earlier documents with the same ID are replaced, so no request is sent before the last one.
	['10,000 with one ID', () => new PushDocuments(), () => withOneId(10_000), {}, 10_000],
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

/** Reading has only a few stages. So the share of a stage that is done in one step is larger than this. */
const MAX_SHARE_OF_READING = 1 / 6;
const ids = (count: number): string[] => indexes(count).map((index) => `handbook/${index}.md`);
const entries = (count: number): IDataObject[] =>
	ids(count).map((id) => ({ id, name: id, text: id }));
const INVALID = { note: 'no ID' };

/** How the entries of items are read, by the value of the parameter that names their source. */
type Readings = Record<string, readonly [() => IDataObject[], INodeParameters?]>;
const inItems = (): IDataObject[] => [...entries(300_000), INVALID];
/** Reading a text takes longer than reading a document. */
const fewerInItems = (): IDataObject[] => [...entries(100_000), INVALID];

const READINGS: Array<[INodeType, string, Readings]> = [
	[
		new PushDocuments(),
		'documentSource',
		{
			wholeItem: [inItems],
			fields: [inItems],
			json: [
				() => [{ documents: [...entries(300_000), INVALID] }],
				{ documentJson: '={{ $json.documents }}' },
			],
		},
	],
	[
		new DeleteDocument(),
		'idSource',
		{ item: [inItems], list: [() => [{ ids: [...ids(300_000), ''] }]] },
	],
	[new ChunkText(), 'textSource', { item: [fewerInItems, chunking(8)] }],
];
/** Files are read in pieces, and each piece is awaited. */
const FROM_FILES = ['file', 'textFile'];

describe('reading goes step by step', () => {
	it.each(READINGS)('has a row for each source (%#)', ({ description }, parameter, readings) => {
		const sources = description.properties
			.filter(({ name }) => name === parameter)
			.flatMap(({ options = [] }) =>
				options.map((option) => 'value' in option && option.value),
			)
			.filter((value) => !FROM_FILES.includes(String(value)));
		expect(new Set(sources)).toEqual(new Set(Object.keys(readings)));
	});

	// The last entry is invalid and the workflow stops, so nothing is sent and reading is all that is measured.
	it.each(
		READINGS.flatMap(([node, parameter, readings]) =>
			Object.entries(readings).map(
				([source, [items, more = {}]]) =>
					[
						`${node.description.displayName}: ${source}`,
						node,
						items,
						{ [parameter]: source, ...more },
					] as const,
			),
		),
	)(
		'%s',
		async (_title, node, items, parameters) => {
			await service.reset();
			const runs: Computing[] = [];
			const isRead = (one: Computing) => isInSteps(one, MAX_SHARE_OF_READING);
			while (runs.length < RUNS && !runs.some(isRead)) {
				const { result, computing } = await computingOf(
					node,
					items(),
					parameters,
					'stopWorkflow',
				);
				expect(result.error?.description).toMatch(/Nothing was sent/);
				runs.push(computing);
			}
			expect(runs.filter(isRead)).toHaveLength(1);
		},
		120_000,
	);
});

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
