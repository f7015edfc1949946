/** Tests items that failed in an earlier node of this package, which returned them because of On Error: Continue. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { chunkNode, useChunkText } from '../../support/chunking';
import { runPipeline, type NodeOptions } from '../../support/engine';
import { sandboxCredentials } from '../../support/credentials';
import { CONTINUE, TO_ERROR_OUTPUT, hintsOf, jsonOf, nodeRunner } from '../../support/sandbox';

const files = useFiles();
const { sandbox, credentials, fault, chunk } = useChunkText();
const push = nodeRunner(new PushDocuments(), () => sandboxCredentials(sandbox()));
const indexed = () => sandbox().documents(DEMO.endpoint);

const ITEMS = ['good1', 'bad1', 'good2'].map((id) => ({ id, name: id, text: `Text of ${id}` }));
const FAILED = {
	id: 'bad1',
	error: 'The text is empty',
	advice: 'Enter a text.',
	chunkingId: 'c1',
};
const GOOD = { id: 'a', name: 'A' };

describe.each<[string, Partial<NodeOptions>]>([
	['Continue', CONTINUE],
	['Continue (using error output)', TO_ERROR_OUTPUT],
])('Push Documents with %s', (_name, onError) => {
	it.each<[string, INodeParameters]>([
		['Whole Item', {}],
		['JSON', { documentSource: 'json', documentJson: '={{ $json }}' }],
		['Mapped Fields', { documentSource: 'fields' }],
		['Mapped Fields and others', { documentSource: 'fields', includeOtherFields: true }],
	])(
		'pushes the chunks, and the failed text keeps its own error: %s',
		async (_source, parameters) => {
			fault('submit', {
				status: 400,
				whenBodyContains: 'Text of bad1',
				body: '{"message":"No text"}',
			});
			const [chunked, pushed] = await runPipeline(
				[
					chunkNode({ output: 'documents' }, CONTINUE),
					{ node: new PushDocuments(), parameters, ...onError },
				],
				ITEMS,
				{ credentials: credentials() },
			);
			const failed = jsonOf(chunked?.output ?? []).filter(({ error }) => error);
			expect(failed).toMatchObject([
				{ id: 'bad1', httpStatus: 400, advice: expect.any(String) as string },
			]);
			const all = jsonOf([...(pushed?.output ?? []), ...(pushed?.errorOutput ?? [])]);
			expect(all.filter(({ error }) => error)).toEqual([expect.objectContaining(failed[0])]);
			expect(all.filter((json) => json.pushed === true)).toHaveLength(2);
			expect(indexed().map(({ id }) => id)).toEqual(['good1#0', 'good2#0']);
			expect(pushed && hintsOf(pushed).join()).toMatch(/1 of 3 documents failed/);
		},
	);
});

it('With Stop Workflow, the node fails with the error of the item', async () => {
	const { error } = await push([GOOD, FAILED]);
	expect(error?.message).toBe(FAILED.error);
	expect(error?.description).toBe(`${FAILED.advice} Nothing was sent.`);
	expect(indexed()).toEqual([]);
});

it('an entry of a list in JSON and a record of a file keep their errors as well', async () => {
	const list = { documentSource: 'json', documentJson: '={{ $json.list }}' };
	const { output } = await push([{ list: [GOOD, FAILED] }], list, CONTINUE);
	expect(jsonOf(output)).toMatchObject([FAILED, { id: 'a', pushed: true }]);
	const lines = [GOOD, FAILED].map((json) => JSON.stringify(json)).join('\n');
	const parameters = { documentSource: 'file' };
	const inFile = await push([await files.item(lines, 'a.jsonl')], parameters, CONTINUE);
	const { failures } = jsonOf(inFile.output)[0] ?? {};
	const { id, error, advice } = FAILED;
	expect(failures).toEqual([{ record: 2, line: 2, id, error, advice }]);
});

it('counts them with One Item per Input Item and in a summary', async () => {
	const perItem = await push([GOOD, FAILED], { options: { output: 'perInputItem' } }, CONTINUE);
	expect(jsonOf(perItem.output)).toMatchObject([
		{ pushed: 1, failed: 0 },
		{ pushed: 0, failed: 1, error: FAILED.error },
	]);
	const summary = await push([GOOD, FAILED], { options: { output: 'summary' } }, CONTINUE);
	expect(jsonOf(summary.output)).toContainEqual(
		expect.objectContaining({ documents: 1, failures: 1 }),
	);
});

it('Chunk Text passes them on as well', async () => {
	const { output } = await chunk([ITEMS[0] as IDataObject, FAILED], {}, CONTINUE);
	expect(jsonOf(output)).toMatchObject([{ text: 'Text of good1' }, FAILED]);
});

it.each([
	['a document with a field error', { id: 'a', name: 'A', error: 'E' }, true],
	['a document with error and advice', { id: 'a', name: 'A', error: 'E', advice: 'B' }, true],
	['an item with error and no advice', { id: 'a', error: 'E' }, false],
	['an item with an empty error', { id: 'a', error: '', advice: 'B' }, false],
	['an item whose error is an object', { id: 'a', error: { m: 1 }, advice: 'B' }, false],
])('%s is no failed item', async (_case, item, isPushed) => {
	const { output } = await push([item as IDataObject], {}, CONTINUE);
	const [json] = jsonOf(output);
	if (isPushed) expect(indexed()).toEqual([item]);
	else expect(json?.error).toMatch(/^The field 'name' of document 'a' is missing or empty/);
});
