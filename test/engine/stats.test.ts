/** Tests figures that an operator can see after a run. The other figures are tested in counters.test.ts. */
import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
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

const MODEL = { modelId: { __rl: true, mode: 'id', value: 'm' } };
const TIMES = { seconds: expect.any(Number), recordsPerSecond: expect.any(Number) };
const NOTHING = { retries: 0, splits: 0, throttled: 0, ...TIMES };

it("each of several files has its own figures in Chunk Text's summaries", async () => {
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

it('the execution data of Migrate Blobs contains the figures', async () => {
	const { taskData, error } = await run(new MigrateBlobs(), { confirm: true }, { items: [{}] });
	expect(error).toBeUndefined();
	expect(taskData?.metadata?.tracing).toEqual({ ...NOTHING, requests: 1, bytes: 0, records: 1 });
});
