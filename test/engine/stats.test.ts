/** Tests which figures an operator can see after a run, both in summaries and in the execution data. */
import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useFiles } from '../../support/binary-data';
import { sandboxCredentials } from '../../support/credentials';
import { runNode, type RunOptions } from '../../support/engine';
import { indexes, jsonOf, useSandbox, useShortBackoff } from '../../support/sandbox';

const sandbox = useSandbox();
const files = useFiles();
useShortBackoff();

const run = async (node: INodeType, parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
	await runNode({ node, parameters, credentials: sandboxCredentials(sandbox()), ...more });

const documents = (count: number): IDataObject[] =>
	indexes(count).map((at) => ({ id: `d${at}`, name: 'N', text: `Text ${at}` }));
const file = async (count: number) =>
	await files.item(
		documents(count)
			.map((document) => `${JSON.stringify(document)}\n`)
			.join(''),
		'd.jsonl',
	);

const bodyBytes = () =>
	sandbox()
		.requests.filter(({ status }) => status === 200)
		.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);

const MODEL = { modelId: { __rl: true, mode: 'id', value: 'm' } };
const TIMES = { seconds: expect.any(Number), recordsPerSecond: expect.any(Number) };
const NOTHING = { retries: 0, splits: 0, throttled: 0, ...TIMES };

describe('a summary has the same figures for all nodes', () => {
	it('Push Documents, of a file', async () => {
		sandbox().faults.add({ route: 'push', status: 503, times: 1 });
		sandbox().faults.add({ route: 'push', status: 429, times: 1 });
		const { output } = await run(
			new PushDocuments(),
			{ documentSource: 'file', options: { documentsPerRequest: 2, concurrency: 1 } },
			{ items: [await file(5)] },
		);
		const stats = { ...TIMES, requests: 3, retries: 2, splits: 0, throttled: 2 };
		expect(output[0].json.stats).toEqual({ ...stats, bytes: bodyBytes() });
	});

	it('Delete Document', async () => {
		await run(new PushDocuments(), {}, { items: documents(3) });
		const items = [await file(3)];
		sandbox().faults.add({ route: 'delete', status: 503, times: 1 });
		const { output } = await run(new DeleteDocument(), { idSource: 'file' }, { items });
		const stats = { ...NOTHING, requests: 3, retries: 1, throttled: 1, bytes: 0 };
		expect(output[0].json.stats).toEqual(stats);
	});

	it('Chunk Text, each of several files', async () => {
		const parameters = { textSource: 'file', ...MODEL };
		const options = { textsPerRequest: 2, outputTo: 'files' };
		const items = [await file(3), await file(4)];
		const { output } = await run(new ChunkText(), { ...parameters, options }, { items });
		const summaries = jsonOf(output).filter((json) => 'file' in json);
		const bytesOf = (count: number) =>
			documents(count).reduce((sum, { text }) => sum + Buffer.byteLength(String(text)), 0);
		expect(summaries.map(({ stats }) => stats)).toEqual([
			expect.objectContaining({ ...NOTHING, requests: 2, bytes: bytesOf(3) }),
			expect.objectContaining({ ...NOTHING, requests: 2, bytes: bytesOf(4) }),
		]);
	});
});

describe('the execution data also contains the figures', () => {
	const tracingOf = ({ taskData }: Awaited<ReturnType<typeof run>>) =>
		taskData?.metadata?.tracing;

	it('of a file, as its summary', async () => {
		const items = [await file(5)];
		const result = await run(new PushDocuments(), { documentSource: 'file' }, { items });
		const { seconds, recordsPerSecond, ...stats } = result.output[0].json.stats as IDataObject;
		expect([seconds, recordsPerSecond]).toEqual([expect.any(Number), expect.any(Number)]);
		expect(tracingOf(result)).toEqual({ ...stats, ...TIMES, records: 5 });
	});

	it.each([
		['Push Documents', () => new PushDocuments(), {}, 3, 1, 118],
		['Delete Document', () => new DeleteDocument(), {}, 3, 3, 0],
		['Chunk Text', () => new ChunkText(), { ...MODEL, text: '={{ $json.text }}' }, 3, 1, 18],
		['Migrate Blobs', () => new MigrateBlobs(), { confirm: true }, 1, 1, 0],
	])('of items: %s', async (name, node, parameters, records, requests, bytes) => {
		if (name === 'Delete Document') await run(new PushDocuments(), {}, { items: documents(3) });
		const result = await run(node(), parameters, { items: documents(3) });
		expect(result.error).toBeUndefined();
		expect(tracingOf(result)).toEqual({
			...NOTHING,
			requests,
			bytes,
			records,
		});
	});
});
