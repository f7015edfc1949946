/** Files of all nodes that go on for long without a record: they end with a cancel, and are refused. */
import { gzipSync } from 'node:zlib';

import type { INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useFiles } from '../../support/binary-data';
import { sandboxCredentials } from '../../support/credentials';
import { runNode, type RunOptions, type RunResult } from '../../support/engine';
import { useSandbox } from '../../support/sandbox';

const sandbox = useSandbox();
const files = useFiles();

const NODES: Array<[string, () => INodeType, INodeParameters]> = [
	['Push Documents', () => new PushDocuments(), { documentSource: 'file' }],
	['Delete Document', () => new DeleteDocument(), { idSource: 'file' }],
	[
		'Chunk Text',
		() => new ChunkText(),
		{ textSource: 'file', modelId: { __rl: true, mode: 'id', value: 'gte-small' } },
	],
];

const MEGABYTES_PER_MEMBER = 8;

/** Much of the same between a beginning and an end, in little gzip. */
function filled(before: string, filling: string, megabytes: number, after: string): Buffer {
	const member = gzipSync(Buffer.alloc(MEGABYTES_PER_MEMBER * 1024 * 1024, filling));
	const count = megabytes / MEGABYTES_PER_MEMBER;
	const members = Array.from({ length: count }, () => member);
	return Buffer.concat([gzipSync(before), ...members, gzipSync(after)]);
}

/** Fewer lines are faster to read than blank ones. */
const LINE_OF_SPACES = `${' '.repeat(1023)}\n`;
const RECORD = { id: 'a', name: 'A', text: 'Text' };
const OBJECT = JSON.stringify(RECORD);
const CSV = 'id,name,text\n';

const run = async (
	[, node, parameters]: (typeof NODES)[number],
	[name, content, more = {}]: [string, Buffer, INodeParameters?],
	settings: Partial<RunOptions> = {},
): Promise<RunResult> =>
	await runNode({
		node: node(),
		items: [await files.item(content, name)],
		parameters: { ...parameters, ...more },
		credentials: sandboxCredentials(sandbox()),
		...settings,
	});

describe.each(NODES)('%s', (...node) => {
	/** What is between two records may be long. */
	it.each<[string, string, Buffer, INodeParameters]>([
		['blank lines', 'd.jsonl.gz', filled('', '\n', 240, OBJECT), {}],
		['blank rows', 'd.csv.gz', filled(CSV, '\n', 240, 'a,A,T'), {}],
		[
			'other data before a list',
			'd.json.gz',
			filled('{"other":"', 'x', 240, `","docs":[${OBJECT}]}`),
			{ listPath: 'docs' },
		],
	])('a cancel ends the reading of %s', async (_what, name, content, more) => {
		let canceledAt = 0;
		const cancelWhen = new Promise<void>((resolve) =>
			setTimeout(() => {
				canceledAt = performance.now();
				resolve();
			}, 400),
		);
		const result = await run(node, [name, content, more], { cancelWhen });
		expect(result.status).toBe('canceled');
		expect(performance.now() - canceledAt).toBeLessThan(1000);
	});
});

it('a file of which 256 MB have no record is refused', async () => {
	const content = filled('\n', LINE_OF_SPACES, 264, OBJECT);
	const { error } = await run(NODES[0], ['d.jsonl.gz', content]);
	expect(error?.message).toMatch(
		/^'d.jsonl.gz': There is no record in 256 MB of text before line 262\d{3}$/,
	);
	expect(error?.description).toContain("Check the file, 'File Format' and 'Path to List'.");
	expect(sandbox().requests).toEqual([]);
});

it('white space at the beginning of a file does not tell its format, however long', async () => {
	const { error } = await run(NODES[0], ['d', Buffer.alloc(5_000_000, ' ')]);
	expect(error?.message).toMatch(/^The format of the file 'd' .* cannot be detected/);
});

it('what comes before 256 MB without a record is pushed, and the rest is a read error', async () => {
	const content = filled(`${CSV}a,A,T\n`, LINE_OF_SPACES, 264, 'b,B,T');
	const [push] = NODES;
	const result = await run(push, ['d.csv.gz', content], { onError: 'continueRegularOutput' });
	expect(result.output[0].json).toMatchObject({
		records: 2,
		pushed: 1,
		failed: 1,
		readError: expect.stringMatching(
			/^There is no record in 256 MB of text before line 262\d{3}$/,
		),
	});
});
