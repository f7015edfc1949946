/** Tests chained nodes. Each node must accept the items that another node returned for a file. */
import type { INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { CONTINUE, hintsOf, indexes, useNodes } from '../../support/sandbox';
import { naming } from '../../support/wording';

const { sandbox, runnerOf } = useNodes();
const files = useFiles();

const run = async (node: INodeType, ...options: Parameters<ReturnType<typeof runnerOf>>) =>
	await runnerOf(node)(...options);
const push = async (items: INodeExecutionData[], parameters: INodeParameters = {}, more = {}) =>
	await run(new PushDocuments(), items, { documentSource: 'file', ...parameters }, more);
const idsInIndex = () =>
	sandbox()
		.documents(DEMO.endpoint)
		.map(({ id }) => id)
		.sort();
const lines = (prefix: string, count = 3): string =>
	indexes(count)
		.map((at) => `${JSON.stringify({ id: `${prefix}${at}`, name: 'N', text: 'T' })}\n`)
		.join('');
const CHUNK = {
	textSource: 'file',
	options: { outputTo: 'files' },
	modelId: { __rl: true, mode: 'id', value: 'gte-small' },
};

it('Push Documents accepts the chunks of Chunk Text, and passes on the summary', async () => {
	const bad = '{"id":"x"}\n';
	const chunked = await run(new ChunkText(), [await files.item(lines('a') + bad)], CHUNK, {
		onError: 'continueRegularOutput',
	});
	expect(chunked.output).toHaveLength(2);
	const { output, error } = await push(chunked.output);
	expect(error).toBeUndefined();
	expect(idsInIndex()).toEqual(['a0#0', 'a1#0', 'a2#0']);
	expect(output[0].json).toMatchObject({ pushed: 3, failed: 0 });
	expect(output[1].json).toEqual(chunked.output[1].json);
	expect(Object.keys(output[1].binary ?? {})).toEqual(['failed']);
	expect(await files.text(output[1].binary?.failed)).toBe(bad);
});

it.each<[string, INodeType, INodeParameters]>([
	['Push Documents', new PushDocuments(), { documentSource: 'wholeItem' }],
	['Push Documents', new PushDocuments(), { documentSource: 'file' }],
	['Delete Document', new DeleteDocument(), { idSource: 'item' }],
	['Delete Document', new DeleteDocument(), { idSource: 'file' }],
])('%s passes on the summary of a file (%#)', async (_name, node, parameters) => {
	const [summary] = (await push([await files.item(lines('a'))])).output;
	const before = sandbox().requests.length;
	const { output, error } = await run(node, [summary], parameters);
	expect(error).toBeUndefined();
	expect(output.map(({ json }) => json)).toEqual([summary.json]);
	expect(sandbox().requests).toHaveLength(before);
});

it('the files in several fields are read, and each file has its own summary', async () => {
	const { binary: a } = await files.item(lines('a'), 'a.jsonl');
	const { binary: b } = await files.item(lines('b', 2), 'b.jsonl');
	const item = { json: {}, binary: { one: a!.data, two: b!.data, other: b!.data } };
	const result = await push([item], { binaryPropertyName: 'one, two, three' });
	const { output } = result;
	expect(hintsOf(result)).toEqual([naming('Item 0', "'three'")]);
	expect(output.map(({ json }) => [json.file, json.pushed])).toEqual([
		['a.jsonl', 3],
		['b.jsonl', 2],
	]);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }]);
	const none = await push([item], { binaryPropertyName: 'x, y' });
	expect(none.error?.message).toContain("'x'");
});

it('the advice about a missing field does not name files of failed records', async () => {
	const { binary } = await files.item(lines('a'));
	const failedOnly = { json: {}, binary: { failed: binary!.data, unreadable2: binary!.data } };
	const { error } = await push([failedOnly]);
	expect(error?.description).not.toMatch(/failed|unreadable/);
	const both = { json: {}, binary: { ...failedOnly.binary, docs: binary!.data } };
	expect((await push([both])).error?.description).toContain("Its files are in: 'docs'.");
});

it('an item with a file but without a document fails with the advice to choose File', async () => {
	const item = { ...(await files.item(lines('a'))), json: { title: 'x' } };
	const { error } = await push([item], { documentSource: 'wholeItem' });
	expect(error?.message).toEqual(naming("'id'", "'name'"));
	// The error advises the user to read the documents from the file, so it must not ask for a field of the item.
	expect(error?.description).toEqual(
		naming("'data'", "'File' in 'Documents From'", "'Text File'"),
	);
	expect(error?.description).not.toContain("'ID Field'");
});

it("a file that cannot be opened does not prevent reading the item's other files", async () => {
	const { binary: bad } = await files.item('%PDF-1.7', 'bad.jsonl');
	const { binary: good } = await files.item(lines('g', 1), 'good.jsonl');
	const item = { json: {}, binary: { a: bad!.data, b: good!.data } };
	const { output } = await push([item], { binaryPropertyName: 'a,b' }, CONTINUE);
	expect(output.map(({ json }) => json.file ?? json.error)).toEqual([
		expect.stringContaining("'bad.jsonl'"),
		'good.jsonl',
	]);
	expect(idsInIndex()).toEqual(['g0']);
});

it('the error names a file that was not read because the run ended in another file of the item', async () => {
	const { binary: a } = await files.item(lines('a', 1), 'a.jsonl');
	const { binary: b } = await files.item(lines('b', 1), 'b.jsonl');
	const item = { json: {}, binary: { one: a!.data, two: b!.data } };
	sandbox().faults.add({ route: 'push', status: 401 });
	const { output } = await push([item], { binaryPropertyName: 'one, two' }, CONTINUE);
	expect(output.map(({ json, pairedItem }) => [json.file, json.error, pairedItem])).toEqual([
		['a.jsonl', expect.stringMatching(/status 401/), { item: 0 }],
		['b.jsonl', naming("'b.jsonl'", 401), { item: 0 }],
	]);
	expect(sandbox().requests).toHaveLength(1);
});

it('Get Results passes on the summary that Submit returns', async () => {
	const parameters = { ...CHUNK, operation: 'submit', chunker: 'sentence' };
	const submitted = await run(new ChunkText(), [await files.item(lines('a'))], parameters);
	const fetched = await run(new ChunkText(), submitted.output, {
		operation: 'getResults',
		wait: true,
	});
	expect(fetched.error).toBeUndefined();
	expect(fetched.output.filter(({ json }) => json.parentId !== undefined)).toHaveLength(3);
	expect(fetched.output.at(-1)?.json).toEqual(submitted.output.at(-1)?.json);
});
