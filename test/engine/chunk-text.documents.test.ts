/**
 * Tests the 'Documents Ready to Push' output. With this output, Chunk Text creates documents for Push Documents, and
 * reports which chunks no longer exist.
 */
import { type IDataObject, type INodeExecutionData, type INodeParameters } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { chunkNode, texts, useChunkText } from '../../support/chunking';
import { type NodeOptions, runPipeline } from '../../support/engine';
import { hintsOf, jsonOf } from '../../support/sandbox';
import { naming } from '../../support/wording';

const { sandbox, chunk, getResults, credentials, jobsEnded } = useChunkText({
	deleteCommitIntervalMs: 3_600_000,
});

const DOCUMENTS: INodeParameters = { output: 'documents' };
const article = { id: 'a/1', name: 'Returns', text: 'Thirty days\nNo receipt' };
const other = { id: 'b', name: 'Refunds', text: 'Five days' };
const pushed = () => sandbox().documents(DEMO.endpoint);
const pushedIds = () =>
	pushed()
		.map(({ id }) => id)
		.sort();
const removed = (items: IDataObject[]) =>
	items.filter((item) => item.removed === true).map(({ id }) => id);
const ids = (items: IDataObject[]) => items.map(({ id }) => id);
const pipeline = async (nodes: NodeOptions[], items: IDataObject[] | INodeExecutionData[]) =>
	await runPipeline(nodes, items, { credentials: credentials() });
const push: NodeOptions = { node: new PushDocuments() };

describe('Documents Ready to Push', () => {
	it('end with the longest field, which is the vector packed as 32-bit numbers', async () => {
		const { output } = await chunk([{ ...article, lang: 'en' }], {
			...DOCUMENTS,
			vectors: 'compact',
			options: { keepSourceFields: 'all' },
		});
		for (const { json } of output) {
			const fields = 'id name parentId chunkIndex text lang vector';
			expect(Object.keys(json).join(' ')).toBe(fields);
			expect(json.vector).toMatch(/^f32:/);
		}
		expect(output.length).toBeGreaterThan(0);
	});

	it('have IDs made of the source ID and the chunk number', async () => {
		const { output } = await chunk(
			[{ ...article, summary: 'Short', link: 'https://a.example/1', lang: 'en' }, other],
			{
				...DOCUMENTS,
				options: {
					documentDescription: '={{ $json.summary }}',
					documentUrl: '={{ $json.link }}',
					keepSourceFields: 'listed',
					sourceFieldsToKeep: 'lang',
				},
			},
		);
		const common = {
			name: 'Returns',
			description: 'Short',
			url: 'https://a.example/1',
			lang: 'en',
			parentId: 'a/1',
			vector: [expect.any(Number), expect.any(Number)],
		};
		expect(output).toEqual([
			{
				json: {
					...common,
					id: 'a/1#0',
					text: 'Thirty days',
					chunkIndex: 0,
				},
				pairedItem: { item: 0 },
			},
			{
				json: {
					...common,
					id: 'a/1#1',
					text: 'No receipt',
					chunkIndex: 1,
				},
				pairedItem: { item: 0 },
			},
			{
				json: expect.not.objectContaining({ description: expect.anything() }),
				pairedItem: { item: 1 },
			},
		]);
		expect(ids(jsonOf(output))[2]).toBe('b#0');
	});

	it.each<[string, IDataObject, RegExp]>([
		['no ID', { name: 'X' }, /^'Document ID' is empty$/],
		['no name', { id: 'x' }, /^'Document Name' is empty$/],
	])('are refused before any request: %s', async (_case, document, message) => {
		const items = [article, { ...document, text: 'secret of nobody' }];
		for (const operation of ['submitAndWait', 'getResults']) {
			const { error, status } = await chunk(
				items.map((item) => ({ ...item, chunkingId: 'c-1' })),
				{ ...DOCUMENTS, operation },
			);
			expect(status).toBe('error');
			expect(error).toMatchObject({ name: 'NodeOperationError' });
			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(
				/^1 of 2 items has no 'Document (ID|Name)' \(item 1\)/,
			);
		}
		expect(sandbox().requests).toEqual([]);
	});

	it.each<[string, INodeParameters, Array<string | null | undefined>, string[]]>([
		['1 of 3', { output: 'chunks' }, ['a', '', 'c'], ['1 of 3', "'Text'", 'item 1']],
		['2 of 3', {}, ['a', '', undefined], ['2 of 3', "'Text'", 'items 1, 2']],
		[
			'1 of 3, where one may be empty',
			{ output: 'perDocument' },
			['a', '', undefined],
			['1 of 3', "'Text'", 'item 2'],
		],
		['1 of 2, beside a blank row', {}, ['a', null, ''], ['1 of 2', "'Text'", 'item 2']],
		['all', { output: 'chunks' }, ['', ''], ['enter the text']],
	])('without a text: %s', async (_case, parameters, given, facts) => {
		const items = given.map((text, id) => (text === null ? {} : { id, name: 'n', text }));
		const { error } = await chunk(items, { ...DOCUMENTS, ...parameters });
		expect(error?.description).toEqual(naming(...facts));
		expect(sandbox().requests).toEqual([]);
	});

	it.each<[string, IDataObject, INodeParameters, string, string]>([
		[
			'all that is empty',
			{ ID: 'x', Title: 'X', Body: 'Pears' },
			{},
			"'Document ID', 'Document Name' and 'Text' are empty",
			"The fields of the item are: 'ID', 'Title', 'Body'.",
		],
		[
			'an item with nothing but its text',
			{ data: 'Pears\nApples' },
			{ text: '={{ $json.data }}' },
			"'Document ID' and 'Document Name' are empty",
			"'Documents Ready to Push' needs 'Document ID' and 'Document Name': drag a field from the item or from an earlier node into each",
		],
		[
			'an item with nothing but its text, with One Item per Document',
			{ data: 'Pears\nApples' },
			{ text: '={{ $json.data }}', output: 'perDocument' },
			"'Document ID' and 'Document Name' are empty",
			"'One Item per Document' needs 'Document ID' and 'Document Name': drag",
		],
		[
			'a text that is taken for its ID',
			{ data: 'Pears\nApples' },
			{
				text: '={{ $json.data }}',
				documentId: '={{ $json.data }}',
				documentName: '={{ $json.data }}',
			},
			"'Document ID' is the text itself",
			"The fields of the item are: 'data'.",
		],
	])('are refused with advice: %s', async (_case, item, parameters, message, advice) => {
		const { error } = await chunk([item], { ...DOCUMENTS, ...parameters });
		expect(error?.message).toBe(message);
		expect(error?.description).toContain(advice);
		expect(sandbox().requests).toEqual([]);
	});

	it('replace each other if several items have the same ID, and a hint says so', async () => {
		const counted = [article, article, other, other, { ...article, id: 'c' }].map((item) => ({
			...item,
			previous: 3,
		}));
		const result = await chunk(counted, {
			...DOCUMENTS,
			options: { previousChunkCount: '={{ $json.previous }}' },
		});
		expect(hintsOf(result)).toEqual([
			expect.stringContaining('2 documents have the same ID as an earlier document'),
		]);
		// The ID 'c' occurs only once, so the node knows which chunks of that document no longer exist.
		const removed = jsonOf(result.output).filter((json) => json.removed === true);
		expect(ids(removed)).toEqual(['c#2']);
	});

	it('replace each other if items have the same ID, also with Get Results', async () => {
		const item = { id: 'x', name: 'X', text: 'a' };
		const submitted = await chunk([item, item], { operation: 'submit' });
		await jobsEnded();
		const result = await getResults(jsonOf(submitted.output), DOCUMENTS);
		expect(hintsOf(result)).toEqual([
			expect.stringContaining(
				"1 document has the same ID as an earlier document ('x'). Documents with",
			),
		]);
	});

	it.each([
		['b', 'b'],
		['c\nd', 'Five days'],
	])('may have the ID %j where the text is %j', async (id, text) => {
		const { output } = await chunk([{ ...other, id, text }], DOCUMENTS);
		expect(ids(jsonOf(output))).toEqual([`${id}#0`]);
	});

	it('are missing for a text without chunks, and a hint says so', async () => {
		const result = await chunk([{ ...article, text: '\n' }, other], DOCUMENTS);
		expect(ids(jsonOf(result.output))).toEqual(['b#0']);
		expect(hintsOf(result)).toEqual([
			"The AI service returned no chunks for 1 text. Check the texts and the settings of the chunker, or lower 'Texts per Request'.",
		]);
	});
});

describe('Chunk Text -> Push Documents', () => {
	it('makes each chunk a document in the index that can be found', async () => {
		const [chunked, result] = await pipeline([chunkNode(DOCUMENTS), push], [article, other]);
		expect(result.status).toBe('success');
		expect(pushed()).toEqual(jsonOf(chunked.output));
		expect(pushedIds()).toEqual(['a/1#0', 'a/1#1', 'b#0']);
		expect(
			sandbox()
				.search(DEMO.endpoint, 'receipt')
				.map(({ id }) => id),
		).toEqual(['a/1#1']);
		expect(jsonOf(result.output).map(({ pushed: done }) => done)).toEqual([true, true, true]);
	});

	it('works if only the model is set', async () => {
		const modelId = { __rl: true, mode: 'list', value: 'gte-small' };
		const nodes = [{ node: new ChunkText(), parameters: { modelId } }, push];
		const text = 'One\nTwo';
		const [chunked] = await pipeline(nodes, [
			{ id: 'a', name: 'A', url: 'https://a.example', text },
		]);
		expect(jsonOf(chunked.output)[0]?.vector).toMatch(/^(f32|f64):/);
		expect(pushed()[0]).toMatchObject({
			id: 'a#0',
			url: 'https://a.example',
			vector: [expect.any(Number), expect.any(Number)],
		});
	});
});

describe('a document that became shorter', () => {
	const shrunk = [
		{ ...article, text: 'Thirty days', chunks: 4 },
		{ ...other, chunks: 1 },
		{ id: 'new', name: 'New', text: 'x' },
	];
	const parameters = {
		...DOCUMENTS,
		options: { previousChunkCount: '={{ $json.chunks }}' },
	};

	it('is returned with the IDs of the chunks that no longer exist', async () => {
		const { output } = await chunk(shrunk, parameters);
		expect(output.map(({ json, pairedItem }) => [json.id, json.removed, pairedItem])).toEqual([
			['a/1#0', undefined, { item: 0 }],
			['a/1#1', true, { item: 0 }],
			['a/1#2', true, { item: 0 }],
			['a/1#3', true, { item: 0 }],
			['b#0', undefined, { item: 1 }],
			['new#0', undefined, { item: 2 }],
		]);
		expect(jsonOf(output)[1]).toEqual({ id: 'a/1#1', parentId: 'a/1', removed: true });
	});
});

it('is returned without removed chunks by Get Results, which does not know the texts', async () => {
	const { output } = await chunk(texts(1), { operation: 'submit' });
	await jobsEnded();
	const items = [{ ...texts(1)[0], ...jsonOf(output)[0] }];
	const result = await getResults(items, { ...DOCUMENTS, options: { previousChunkCount: 3 } });
	expect(jsonOf(result.output)).toHaveLength(1);
	expect(removed(jsonOf(result.output))).toEqual([]);
});
