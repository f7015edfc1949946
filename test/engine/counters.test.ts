/**
 * Tests each counter with a fault on each route, for items and for files. The sandbox's own record of the requests is
 * the truth.
 */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import type { FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import type { RunResult } from '../../support/engine';
import { useNodeLog } from '../../support/node-log';
import { hintsOf, indexes, nodeRunner } from '../../support/sandbox';
import { push as pushDirectly } from '../../support/sandbox-client';

const captured = useNodeLog();

const { sandbox, chunk, fault, requests } = useChunkText();
const files = useFiles();
const credentials = () => sandboxCredentials(sandbox());
const push = nodeRunner(new PushDocuments(), credentials);
const remove = nodeRunner(new DeleteDocument(), credentials);
beforeEach(() => (captured.length = 0));

const DOCUMENTS: IDataObject[] = indexes(6).map((at) => ({
	id: `d${at}`,
	name: 'N',
	text: `Text ${at}`,
}));
const SOURCES = ['items', 'file'] as const;
type Source = (typeof SOURCES)[number];
type Items = IDataObject[] | INodeExecutionData[];

const itemsOf = async (source: Source): Promise<Items> =>
	source === 'items'
		? DOCUMENTS
		: [
				await files.item(
					DOCUMENTS.map((document) => JSON.stringify(document)).join('\n'),
					'd.jsonl',
				),
			];

const ONE_AT_A_TIME = { concurrency: 1 };
const NODES = {
	push: async (items: Items, source: Source) =>
		await push(items, {
			...(source === 'file' && { documentSource: 'file' }),
			options: { ...ONE_AT_A_TIME, documentsPerRequest: 2 },
		}),
	delete: async (items: Items, source: Source) => {
		await pushDirectly(sandbox(), DOCUMENTS);
		sandbox().requests.length = 0;
		return await remove(items, {
			...(source === 'file' && { idSource: 'file' }),
			options: ONE_AT_A_TIME,
		});
	},
	chunk: async (items: Items, source: Source) =>
		await chunk(items, {
			...(source === 'file' ? { textSource: 'file' } : { text: '={{ $json.text }}' }),
			options: {
				...ONE_AT_A_TIME,
				textsPerRequest: 2,
				// With files as output, the node returns the summary of a file without any failure.
				...(source === 'file' && { outputTo: 'files' }),
			},
		} as INodeParameters),
};

type Road = [route: FaultRule['route'], node: keyof typeof NODES, main: FaultRule['route']];
const ROADS: Road[] = [
	['push', 'push', 'push'],
	['delete', 'delete', 'delete'],
	['submit', 'chunk', 'submit'],
	['results', 'chunk', 'submit'],
	['token', 'chunk', 'submit'],
];
interface Fault {
	name: string;
	rule: Omit<FaultRule, 'route'>;
	isThrottling?: boolean;
}
const FAULTS: Fault[] = [
	{ name: '503', rule: { status: 503 }, isThrottling: true },
	{ name: '429', rule: { status: 429, retryAfter: '0' }, isThrottling: true },
	{ name: '500', rule: { status: 500 } },
	{ name: 'a reset', rule: { reset: 'beforeResponse' } },
];
const ROWS = ROADS.flatMap(([route, node, main]) =>
	FAULTS.flatMap((each) => SOURCES.map((source) => ({ route, node, main, source, ...each }))),
);

const TIMES = { seconds: expect.any(Number), recordsPerSecond: expect.any(Number) };
const summaryIn = ({ output }: RunResult) => output.find(({ json }) => 'file' in json)?.json;

/** Checks that the log, the execution data and a file's summary contain these figures. */
function expectFigures(result: RunResult, source: Source, figures: IDataObject): void {
	expect(result.taskData?.metadata?.tracing).toEqual({ ...figures, ...TIMES, records: 6 });
	if (source === 'file') expect(summaryIn(result)?.stats).toEqual({ ...figures, ...TIMES });
	const line = captured.filter((text) => / succeeded, /.test(text)).at(-1) ?? '';
	const said = /(\d+) requests?, ([\d,]+) bytes.* (\d+) (?:retry|retries)/.exec(line) ?? [];
	expect(said.slice(1).map((number) => Number(number.replace(',', '')))).toEqual([
		...[figures.requests, figures.bytes, figures.retries],
	]);
	expect(line).toContain(statusText());
}

/** Returns the statuses of all responses except those of the token server, as the log shows them. */
function statusText(): string {
	const counts: Record<number, number> = {};
	for (const { route, status } of sandbox().requests)
		if (route !== 'token' && status > 0) counts[status] = (counts[status] ?? 0) + 1;
	const parts = Object.entries(counts).map(([status, times]) => `${status}: ${times}`);
	return `responses by status ${parts.join(', ')}`;
}

const bytesSent = (node: keyof typeof NODES): number =>
	node === 'delete'
		? 0
		: node === 'chunk'
			? DOCUMENTS.reduce((sum, { text }) => sum + Buffer.byteLength(String(text)), 0)
			: requests('push')
					.filter(({ status }) => status === 200)
					.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);

it.each(ROWS)(
	'$name on the route $route counts as one retry: $source',
	async ({ route, node, main, source, rule, isThrottling = false }) => {
		fault(route, { ...rule, times: 1 });
		const result = await NODES[node](await itemsOf(source), source);
		expect(result.error).toBeUndefined();
		const isOnMain = route === main;
		expectFigures(result, source, {
			requests: requests(main).length - (isOnMain ? 1 : 0),
			retries: 1,
			splits: 0,
			// The token server is another server, so its refusals say nothing about the service.
			throttled: isThrottling && route !== 'token' ? 1 : 0,
			bytes: bytesSent(node),
		});
		expect(requests(main).length).toBe((node === 'delete' ? 6 : 3) + (isOnMain ? 1 : 0));
		expect(hintsOf(result)).toContainEqual(
			expect.stringMatching(/a request was repeated after a temporary error/i),
		);
	},
);

describe.each(SOURCES)('a rejected batch counts as one split: %s', (source) => {
	it.each(['push', 'chunk'] as const)('%s', async (node) => {
		const main = node === 'push' ? 'push' : 'submit';
		fault(main, { status: 400, times: 1 });
		const result = await NODES[node](await itemsOf(source), source);
		expectFigures(result, source, {
			// The batch and its two parts are requests.
			requests: requests(main).length,
			retries: 0,
			splits: 1,
			throttled: 0,
			bytes: bytesSent(node),
		});
		expect(requests(main)).toHaveLength(5);
		expect(hintsOf(result)).toContainEqual(expect.stringMatching(/1 batch was split/));
	});
});
