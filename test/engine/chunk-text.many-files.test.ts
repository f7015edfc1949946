/** Chunk Text with many files: one window over all of them. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { useFiles } from '../../support/binary-data';
import { sandboxCredentials } from '../../support/credentials';
import { runNode, type RunOptions } from '../../support/engine';
import { indexes, useSandbox } from '../../support/sandbox';

const sandbox = useSandbox();
const files = useFiles();

const CONTINUE = { onError: 'continueRegularOutput' } as const;
const FILES = 12;
/** So long that a loaded machine makes no difference. */
const JOB_MS = 1000;

const fileOf = async (name: string, records: number): Promise<INodeExecutionData> =>
	await files.item(
		indexes(records)
			.map(
				(at) =>
					`${JSON.stringify({ id: `${name}-${at}`, name: 'N', text: `Text ${at}` })}\n`,
			)
			.join(''),
		`${name}.jsonl`,
	);
const chunk = async (
	items: INodeExecutionData[],
	options: IDataObject = {},
	more: Partial<RunOptions> = {},
) =>
	await runNode({
		node: new ChunkText(),
		items,
		parameters: {
			textSource: 'file',
			outputTo: 'files',
			chunker: 'sentence',
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
			options: { ...options },
		} as INodeParameters,
		credentials: sandboxCredentials(sandbox()),
		...more,
	});

it('waits for the jobs of all files together', async () => {
	sandbox().settings.chunkDelayMs = JOB_MS;
	const items = await Promise.all(indexes(FILES).map(async (at) => await fileOf(`f${at}`, 1)));
	const startedAt = performance.now();
	const { output, error } = await chunk(items);
	const ms = performance.now() - startedAt;
	expect(error).toBeUndefined();
	// One after the other, their jobs alone take as long as all of them.
	expect(ms).toBeLessThan((FILES * JOB_MS) / 2);
	const summaries = output.map(({ json }) => json).filter(({ file }) => file !== undefined);
	expect(
		summaries.map(({ file, chunked, stats }) => [
			file,
			chunked,
			(stats as IDataObject).requests,
		]),
	).toEqual(indexes(FILES).map((at) => [`f${at}.jsonl`, 1, 1]));
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
		indexes(FILES).flatMap((at) => [[{ item: at }], { item: at }]),
	);
});

it('a file that cannot be used fails alone', async () => {
	const items = [await fileOf('a', 2), { json: {} }, await fileOf('b', 2)];
	const { output } = await chunk(items, {}, CONTINUE);
	expect(output.map(({ json }) => json.file ?? json.error ?? json.part)).toEqual([
		1,
		'a.jsonl',
		"The item has no file in the field 'data' (item 1)",
		1,
		'b.jsonl',
	]);
});
