/**
 * Tests what a long run writes to n8n's log. The clock in these tests runs a hundred times faster than real time.
 */
import type { INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { Run } from '../../nodes/shared/run/run';
import type { FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { sandboxCredentials } from '../../support/credentials';
import { runNode, type RunOptions } from '../../support/engine';
import { eventually } from '../../support/eventually';
import { useNodeLog } from '../../support/node-log';
import { HANGS, indexes, useSandbox } from '../../support/sandbox';

const captured = useNodeLog();

const sandbox = useSandbox();
const files = useFiles();
const MODEL = { modelId: { __rl: true, mode: 'id', value: 'm' } };

const sleep = Reflect.get(Run.prototype, 'sleep');
beforeAll(() => {
	jest.spyOn(Run.prototype, 'sleep').mockImplementation(async function (
		this: Run,
		ms: number,
		wake?: AbortSignal,
	) {
		await sleep.call(this, ms / 100, wake);
	});
});
afterAll(() => jest.restoreAllMocks());

/** Runs a node while one of its requests gets no response. Returns the first log line that matches `words`. */
async function untilLogged(
	words: RegExp,
	fault: FaultRule,
	options: Pick<RunOptions, 'node' | 'items' | 'parameters'>,
): Promise<string> {
	const line = () => captured.find((text) => words.test(text));
	captured.length = 0;
	sandbox().faults.add({ ...fault, ...HANGS });
	const cancelWhen = eventually(
		() => line() !== undefined,
		() => captured,
	);
	await runNode({ ...options, credentials: sandboxCredentials(sandbox()), cancelWhen });
	return line() ?? '';
}

it.each<[string, INodeType, INodeParameters, FaultRule, RegExp]>([
	[
		'Push Documents',
		new PushDocuments(),
		{ options: { documentsPerRequest: 2, concurrency: 1 } },
		{ route: 'push', skip: 2 },
		/Push Documents: The service confirmed 4 of 6 documents. Pushing all of them again is safe\. \(\d+ per second, 0 retries\)/,
	],
	[
		'Chunk Text',
		new ChunkText(),
		{ ...MODEL, text: '={{ $json.text }}', options: { textsPerRequest: 2 } },
		{ route: 'results', skip: 1 },
		/Chunk Text: Unfinished chunking IDs/,
	],
])('%s writes a line every 10 seconds', async (_name, node, parameters, fault, words) => {
	const items = indexes(6).map((at) => ({ id: `d${at}`, name: 'N', text: `Text ${at}` }));
	const line = await untilLogged(words, fault, { node, items, parameters });
	// The figures are separate fields of the log entry, so that logs can be filtered by them.
	expect(line).toMatch(/"?retries"?: ?0/);
	// While the run continues, the chunks of finished jobs may still be returned.
	expect(line).not.toContain('not returned');
});

it('for a file, it says where to continue', async () => {
	const lines = indexes(6).map((at) => `{"id":"d${at}","name":"N"}\n`);
	const line = await untilLogged(
		/Push Documents: 4 records of the file 'corpus\.jsonl' had been pushed\. All records up to 4 have a result\. To continue, set 'Skip Records' to 4 \(6 records read, \d+ per second, 0 retries\)/,
		{ route: 'push', skip: 2 },
		{
			node: new PushDocuments(),
			items: [await files.item(lines.join(''), 'corpus.jsonl')],
			parameters: {
				documentSource: 'file',
				options: { documentsPerRequest: 2, concurrency: 1 },
			},
		},
	);
	expect(line).toContain("'Skip Records' to 4");
});

it('at its end it writes all figures', async () => {
	captured.length = 0;
	sandbox().faults.add({ route: 'push', status: 503, times: 1 });
	await runNode({
		node: new PushDocuments(),
		items: indexes(6).map((at) => ({ id: `d${at}`, name: 'N' })),
		parameters: { options: { documentsPerRequest: 2, concurrency: 1 } },
		credentials: sandboxCredentials(sandbox()),
	});
	const written = captured.filter((text) => text.includes('Push Documents: '));
	expect(written.at(-1)).toMatch(
		/: 6 succeeded, 0 failed, 3 requests, \d+ bytes, [\d.]+ s, \d+ per second, 1 retry, responses by status 200: 3, 503: 1/,
	);
});
