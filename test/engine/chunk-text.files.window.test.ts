/** Chunk Text and files: how much of a file is held, and that nothing waits for good. */
import type { IDataObject, INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkFiles } from '../../nodes/ChunkText/chunk-files';
import { runNode as runShared } from '../../nodes/shared/n8n/run';
import { useFiles } from '../../support/binary-data';
import { OFTEN, useChunkText } from '../../support/chunking';
import { runNode, type RunOptions, type RunResult } from '../../support/engine';
import { indexes, useSandbox, useShortBackoff } from '../../support/sandbox';

useShortBackoff();
const sandbox = useSandbox({ settings: { vectorSize: 3 } });
const files = useFiles();
const { chunk, fault } = useChunkText(sandbox);

const article = (number: number, text = `Text ${number}.`): IDataObject => ({
	id: `a${number}`,
	name: `Article ${number}`,
	text,
});
const jsonLines = (records: unknown[]): string =>
	records.map((record) => `${JSON.stringify(record)}\n`).join('');

const chunkFile = async (
	records: unknown[],
	options: IDataObject,
	parameters: INodeParameters = {},
	settings: Partial<RunOptions> = {},
): Promise<RunResult> =>
	await chunk(
		[(await files.item(jsonLines(records), 'articles.jsonl')) as unknown as IDataObject],
		{
			output: 'documents',
			outputTo: 'files',
			textSource: 'file',
			...parameters,
			options: { ...OFTEN, ...options } as INodeParameters,
		},
		{ onError: 'continueRegularOutput', ...settings },
	);
const summaryOf = ({ output }: RunResult): IDataObject => output.at(-1)?.json ?? {};
const linesOf = async (item: INodeExecutionData): Promise<IDataObject[]> =>
	(await files.text(item.binary?.data))
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line) as IDataObject);
const idsOf = (records: IDataObject[]) => records.map(({ id }) => id);
const answerOf = (status: string, chunkingId = 'c-1') => ({
	status: 200,
	body: JSON.stringify({ chunkingId, status, message: 'no' }),
});
it('the records of a text stay together if its turn comes while they are taken', async () => {
	const many = 100_000;
	const node = {
		description: {
			displayName: 'Sink',
			name: 'sink',
			group: ['transform'],
			version: 1,
			description: 'Writes two texts',
			defaults: { name: 'Sink' },
			inputs: ['main'],
			outputs: ['main'],
			properties: [],
		},
		async execute() {
			return await runShared(this, async (run) => {
				const options = { bytesPerFile: 1_000_000_000, keepOrder: true, name: 'chunks' };
				const sink = new ChunkFiles(run, options);
				const [first, second] = [0, 1].map((place) => ({ itemIndex: 0, place }));
				const taking = sink.take(
					[second],
					indexes(many).map((id) => ({ id })),
				);
				// It breathes while it takes that many.
				await new Promise((resolve) => setTimeout(resolve));
				await sink.done([first]);
				await taking;
				await sink.done([second]);
				await sink.end();
			});
		},
	} as INodeType;
	const { output } = await runNode({ node });
	const ids = idsOf(await linesOf(output[0]));
	expect(ids).toHaveLength(many);
	// Of a list of this length, a difference would be unreadable.
	expect(ids.findIndex((id, at) => id !== at)).toBe(-1);
});

it('Submit takes a chunking ID that the service returns twice as it does for items', async () => {
	fault('submit', answerOf('SUBMITTED', 'c-twice'));
	const result = await chunkFile(
		[article(0, 'same'), article(1, 'same')],
		{ textsPerRequest: 1, concurrency: 1 },
		{ operation: 'submit' },
	);
	const items = await chunk([article(0, 'same'), article(1, 'same')], {
		operation: 'submit',
		options: { textsPerRequest: 1, concurrency: 1 },
	});
	expect(items.output.map(({ json }) => json.chunkingId)).toEqual(['c-twice', 'c-twice']);
	expect(summaryOf(result)).toMatchObject({ submitted: 2, failed: 0 });
	expect(result.output.slice(0, 2).map(({ json }) => json.chunkingId)).toEqual([
		'c-twice',
		'c-twice',
	]);
});
