/**
 * Tests Chunk Text with one item per document. Each item contains the document's chunks as separate documents, and the
 * IDs of chunks that no longer exist.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { chunkNode, useChunkText } from '../../support/chunking';
import { runPipeline } from '../../support/engine';
import { TO_ERROR_OUTPUT, jsonOf } from '../../support/sandbox';

const { sandbox, chunk, credentials, answers } = useChunkText({
	deleteCommitIntervalMs: 3_600_000,
});

const PER_DOCUMENT: INodeParameters = {
	output: 'perDocument',
	documentId: '={{ $json.documentId }}',
	options: {
		keepSourceFields: 'listed',
		sourceFieldsToKeep: 'documentId, hash, previousChunkCount',
		previousChunkCount: '={{ $json.previousChunkCount }}',
		textsPerRequest: 1,
	},
};
const options = (more: INodeParameters): INodeParameters => ({
	...PER_DOCUMENT,
	options: { ...(PER_DOCUMENT.options as INodeParameters), ...more },
});
const source = (documentId: string, text: string, previousChunkCount: number): IDataObject => ({
	documentId,
	name: documentId.toUpperCase(),
	url: `https://a.example/${documentId}`,
	text,
	hash: `hash of ${documentId}`,
	previousChunkCount,
});
const indexed = () => {
	sandbox().commit();
	return sandbox()
		.documents(DEMO.endpoint)
		.map(({ id }) => id)
		.sort();
};

it('returns one item per document, with its chunks, its removed chunks and source fields', async () => {
	const { output } = await chunk(
		[source('a', 'Thirty days\nNo receipt', 4), source('b', 'Five days', 0)],
		PER_DOCUMENT,
	);
	const common = {
		name: 'A',
		url: 'https://a.example/a',
		parentId: 'a',
		vector: [expect.any(Number), expect.any(Number)] as number[],
	};
	expect(output).toEqual([
		{
			json: {
				documentId: 'a',
				hash: 'hash of a',
				previousChunkCount: 4,
				chunkCount: 2,
				missingCharacters: 0,
				removalsKnown: true,
				documents: [
					{ ...common, id: 'a#0', text: 'Thirty days', chunkIndex: 0 },
					{ ...common, id: 'a#1', text: 'No receipt', chunkIndex: 1 },
				],
				removedIds: ['a#2', 'a#3'],
			},
			pairedItem: { item: 0 },
		},
		{
			json: {
				documentId: 'b',
				hash: 'hash of b',
				previousChunkCount: 0,
				chunkCount: 1,
				missingCharacters: 0,
				removalsKnown: true,
				documents: [expect.objectContaining({ id: 'b#0', text: 'Five days' })],
				removedIds: [],
			},
			pairedItem: { item: 1 },
		},
	]);
});

it('keeps source fields only if Keep Source Fields is set', async () => {
	const item = { ...source('a', 'x', 0), chunkCount: 17, documents: 'mine' };
	const none = await chunk([item], { ...PER_DOCUMENT, options: {} });
	expect(Object.keys(jsonOf(none.output)[0]).sort()).toEqual([
		'chunkCount',
		'documents',
		'missingCharacters',
		'removalsKnown',
		'removedIds',
	]);
	const all = await chunk([item], { ...PER_DOCUMENT, options: { keepSourceFields: 'all' } });
	expect(jsonOf(all.output)[0]).toMatchObject({
		...item,
		chunkCount: 1,
		documents: [{ id: 'a#0' }],
	});
});

it('gives each chunk the Document Fields of its item', async () => {
	const { output } = await chunk(
		[
			{ ...source('a', 'x\ny', 0), price: 79 },
			{ ...source('b', 'z', 0), price: 5 },
		],
		options({ documentFields: '={{ { price: $json.price, tags: ["new"] } }}' }),
	);
	expect(jsonOf(output).map(({ documents }) => documents)).toMatchObject([
		[
			{ id: 'a#0', name: 'A', price: 79, tags: ['new'] },
			{ id: 'a#1', name: 'A', price: 79, tags: ['new'] },
		],
		[{ id: 'b#0', name: 'B', price: 5, tags: ['new'] }],
	]);
	expect(jsonOf(output)[0]).not.toHaveProperty('price');
});

describe('an empty text', () => {
	it('is a document without chunks, so all of its old chunks are removed and nothing is sent', async () => {
		const gone = { documentId: 'gone', text: '', hash: '', previousChunkCount: 2 };
		const { output } = await chunk([gone, source('new', '', 0)], PER_DOCUMENT);
		expect(output).toEqual([
			{
				json: {
					documentId: 'gone',
					hash: '',
					previousChunkCount: 2,
					chunkCount: 0,
					missingCharacters: 0,
					removalsKnown: true,
					documents: [],
					removedIds: ['gone#0', 'gone#1'],
				},
				pairedItem: { item: 0 },
			},
			{
				json: expect.objectContaining({ documents: [], removedIds: [], chunkCount: 0 }),
				pairedItem: { item: 1 },
			},
		]);
		expect(sandbox().requests).toEqual([]);
	});

	it.each([[undefined], [null], [{}]])('is not %p, from a wrong expression', async (text) => {
		const item = { ...source('a', '', 3), text: text as never };
		const result = await chunk([item], PER_DOCUMENT, TO_ERROR_OUTPUT);
		expect(result.output).toEqual([]);
		expect(jsonOf(result.errorOutput)).toEqual([
			expect.objectContaining({
				error: expect.stringMatching(/^'Text' /),
			}),
		]);
	});

	it('needs an ID but no name, and any other text needs both', async () => {
		const result = await chunk(
			[
				{ text: '', previousChunkCount: 1 },
				{ documentId: 'a', text: 'x', previousChunkCount: 0 },
			],
			PER_DOCUMENT,
			TO_ERROR_OUTPUT,
		);
		expect(result.output).toEqual([]);
		expect(jsonOf(result.errorOutput)).toEqual([
			expect.objectContaining({ error: expect.stringMatching(/^'Document ID' is empty/) }),
			expect.objectContaining({ error: expect.stringMatching(/^'Document Name' is empty/) }),
		]);
		expect(sandbox().requests).toEqual([]);
	});
});

describe('removed chunks', () => {
	it('are not known if the response has no spans', async () => {
		answers({
			status: 'READY',
			chunkedData: [{ chunks: ['x'], vectors: [{ vector: [1, 2] }] }],
		});
		const { output } = await chunk([source('a', 'x\ny', 5)], PER_DOCUMENT);
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({
				chunkCount: 1,
				removalsKnown: false,
				documents: [expect.objectContaining({ id: 'a#0' })],
				removedIds: [],
			}),
		]);
	});

	it('are not known if the service cut the text, and the missing characters are counted', async () => {
		sandbox().settings.maxChunks = 2;
		const { output } = await chunk(
			[source('a', 'x\ny\nThis is the third line.', 5)],
			PER_DOCUMENT,
		);
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({
				chunkCount: 2,
				missingCharacters: 24,
				removalsKnown: false,
				removedIds: [],
			}),
		]);
	});

	it('are not known if two items have the same document ID', async () => {
		const { output } = await chunk([source('a', 'x', 3), source('a', '', 3)], PER_DOCUMENT);
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({ chunkCount: 1, removalsKnown: false, removedIds: [] }),
			expect.objectContaining({ chunkCount: 0, removalsKnown: false, removedIds: [] }),
		]);
	});
});

it('fails a document that is not finished in time, regardless of the options', async () => {
	sandbox().settings.chunkDelayMs = 60_000;
	const result = await chunk(
		[source('a', 'x', 0)],
		options({ maxWaitSeconds: 1, whenTimeRunsOut: 'output' }),
		TO_ERROR_OUTPUT,
	);
	expect(result.output).toEqual([]);
	expect(jsonOf(result.errorOutput)).toEqual([
		expect.objectContaining({ documentId: 'a', chunkingId: expect.any(String) }),
	]);
});

it('feeds Push Documents and Delete Document', async () => {
	const nodes = [
		chunkNode({ ...PER_DOCUMENT, vectors: 'compact' }),
		{
			node: new PushDocuments(),
			parameters: {
				documentSource: 'json',
				documentJson: '={{ $json.documents }}',
				options: { output: 'perInputItem' },
			},
		},
		{
			node: new DeleteDocument(),
			parameters: {
				idSource: 'list',
				listField: "={{ $('1 Chunk Text').item.json.removedIds }}",
				options: { output: 'perInputItem', ignoreNotFound: true },
			},
		},
	];
	const sync = async (items: IDataObject[]) =>
		await runPipeline(nodes, items, { credentials: credentials() });
	await sync([source('a', '1\n2\n3', 0), source('b', '1', 0), source('c', '1\n2', 0)]);
	expect(indexed()).toEqual(['a#0', 'a#1', 'a#2', 'b#0', 'c#0', 'c#1']);
	const results = await sync([
		source('a', '1', 3),
		source('b', '1\n2', 1),
		{ documentId: 'c', text: '', previousChunkCount: 2 },
	]);
	expect(jsonOf(results[2].output)).toMatchObject([
		{ deleted: 2 },
		{ deleted: 0 },
		{ deleted: 2 },
	]);
	expect(indexed()).toEqual(['a#0', 'b#0', 'b#1']);
	const vectors = sandbox()
		.documents(DEMO.endpoint)
		.map(({ vector }) => vector);
	expect(vectors).toEqual(vectors.map(() => [expect.any(Number), expect.any(Number)]));
});
