/** How long an execution of 50,000 items keeps n8n from everything else. */
import type { IDataObject, IExecuteFunctions, INodeParameters, INodeType } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { reply } from '../../support/http-server';
import type { RunResult } from '../../support/engine';
import { indexes, nodeRunner, useServers } from '../../support/sandbox';

const serve = useServers();
const MAX_BLOCK_MS = 100;
const ITEMS = 50_000;

/** CPU time of this process: unlike the clock, it stands still while others have the processor. */
function cpuMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}

let longestMs = Infinity;

/** Measures the longest time between two turns of the event loop. */
async function measured<T>(work: () => Promise<T>): Promise<T> {
	let isOver = false;
	let last = cpuMs();
	longestMs = 0;
	const tick = () => {
		if (isOver) return;
		const now = cpuMs();
		longestMs = Math.max(longestMs, now - last);
		last = now;
		setImmediate(tick);
	};
	tick();
	try {
		return await work();
	} finally {
		tick();
		isOver = true;
	}
}

/** The node, measured without what n8n does before and after it. */
function measuring(node: INodeType): INodeType {
	return Object.assign(Object.create(node) as INodeType, {
		async execute(this: IExecuteFunctions) {
			return await measured(async () => (await node.execute?.call(this)) ?? null);
		},
	});
}

let url = '';
const credentials = () => ({
	pushEndpointApi: { pushUrl: url, endpoint: 'docs', apiKey: 'key' },
	blobServiceApi: { baseUrl: url, authentication: 'none' },
});
const push = nodeRunner(measuring(new PushDocuments()), credentials);
const remove = nodeRunner(measuring(new DeleteDocument()), credentials);
const migrate = nodeRunner(measuring(new MigrateBlobs()), credentials);
const documents = (count: number, more: IDataObject = {}): IDataObject[] =>
	indexes(count).map((at) => ({ id: `d${at}`, name: `Document ${at}`, ...more }));
const answerWith = async (status: number) => {
	({ url } = await serve((_request, response) => reply(response, status, {})));
};
const outputs = ({ output, errorOutput }: RunResult) => output.length + errorOutput.length;
const CONTINUE = { onError: 'continueErrorOutput' } as const;

describe('no block is longer than 100 ms', () => {
	it.each<[string, INodeParameters, IDataObject, boolean?]>([
		['item by item', {}, {}],
		['mapped', { documentSource: 'fields' }, {}],
		['in a single request', { options: { documentsPerRequest: ITEMS } }, {}],
		['dry', { options: { dryRun: true } }, {}],
		['with a summary', { options: { output: 'summary' } }, {}, true],
		['of the same ID', {}, { id: 'same' }],
	])('while documents are pushed: %s', async (_case, parameters, more, isSummary = false) => {
		await answerWith(200);
		const result = await push(documents(ITEMS, more), parameters, CONTINUE);
		expect(outputs(result)).toBe(isSummary ? 1 : ITEMS);
		expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
	});

	it('while bodies of 5 MB are pushed', async () => {
		await answerWith(200);
		expect(outputs(await push(documents(3000, { text: 'x'.repeat(10_000) })))).toBe(3000);
		expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
	});

	it('while documents of one list are pushed', async () => {
		await answerWith(200);
		const parameters = { documentSource: 'json', documentJson: '={{ $json.docs }}' };
		expect(outputs(await push([{ docs: documents(10_000) }], parameters))).toBe(10_000);
		expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
	});

	it.each([401, 404])('while all fail with %i', async (status) => {
		await answerWith(status);
		expect(outputs(await push(documents(10_000), {}, CONTINUE))).toBe(10_000);
		expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
	});

	it('while documents that cannot be pushed fail', async () => {
		await answerWith(200);
		expect(outputs(await push(documents(10_000, { name: 7 }), {}, CONTINUE))).toBe(10_000);
		expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
	});

	it('while items fail for an unusable credential', async () => {
		url = 'nowhere';
		expect(outputs(await push(documents(10_000), {}, CONTINUE))).toBe(10_000);
		expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
	});

	it.each<[string, INodeParameters, IDataObject[]]>([
		['item by item', {}, documents(1000)],
		['of one list', { idSource: 'listField' }, [{ ids: indexes(1000) }]],
		['of the same ID', {}, documents(ITEMS, { id: 'same' })],
		['that are none', {}, documents(10_000, { id: '' })],
	])('while documents are deleted: %s', async (_case, parameters, items) => {
		await answerWith(200);
		const result = await remove(items, parameters, CONTINUE);
		expect(outputs(result)).toBeGreaterThanOrEqual(1000);
		expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
	});

	it('while a migration fails for all items', async () => {
		await answerWith(500);
		expect(outputs(await migrate(documents(10_000), { confirm: true }, CONTINUE))).toBe(10_000);
		expect(longestMs).toBeLessThan(MAX_BLOCK_MS);
	});
});
