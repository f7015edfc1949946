/** Tests the nodes as tools for AI agents. Covers what n8n offers to an agent and what a model reads. */
import {
	type IDataObject,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeType,
	NodeHelpers,
} from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import type { RunResult } from '../../support/engine';
import { CONTINUE, jsonOf, nodeRunner } from '../../support/sandbox';

const { sandbox, credentials, answers } = useChunkText({ vectorSize: 384 });

const TEXT = 'Thirty days\nNo receipt';
const chunk = nodeRunner(toolVariant(new ChunkText()), credentials);
const push = nodeRunner(toolVariant(new PushDocuments()), () => sandboxCredentials(sandbox()));
const remove = nodeRunner(toolVariant(new DeleteDocument()), () => sandboxCredentials(sandbox()));

const chunkTool = async (parameters: INodeParameters = {}, item: IDataObject = {}) =>
	await chunk(
		[{ chatInput: 'Split this', ...item }],
		{
			text: TEXT,
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
			chunker: 'dynamic-newline',
			chunkerSettings: { maxChunkSize: 1 },
			output: 'chunks',
			...parameters,
		},
		CONTINUE,
	);

const requestOf = (wanted: string) =>
	sandbox().requests.find(({ method }) => method === wanted)?.path;

/**
 * Returns the length of the longest list of numbers that a model would read. Also returns whether the output contains a
 * packed vector, which is a string.
 */
function numbersIn({ output }: RunResult): { longest: number; isPacked: boolean } {
	const text = JSON.stringify(jsonOf(output));
	const lists = text.match(/\[-?\d[^[\]{}"]*\]/g) ?? [];
	const lengths = lists.map((list) => list.split(',').length);
	return { longest: Math.max(0, ...lengths), isPacked: /"(i8|u8|f32|f64):/.test(text) };
}

const NO_NUMBERS = { longest: 0, isPacked: false };

function shownBy({ description }: INodeType, name: string): INodeProperties | undefined {
	const values = { operation: 'submitAndWait', output: 'documents' };
	const isShown = (declared: object) =>
		NodeHelpers.displayParameter(values, declared as never, null, description);
	const shown = description.properties.filter((one) => one.name === name && isShown(one));
	expect(shown.length).toBeLessThanOrEqual(1);
	const [property] = shown;
	return property && { ...property, options: property.options?.filter(isShown) };
}

const offered = (node: INodeType, name: string) => shownBy(toolVariant(node), name);

const valuesOf = (property: INodeProperties | undefined) =>
	(property?.options as INodePropertyOptions[]).map(({ value }) => value);

describe('what an agent is offered', () => {
	it('does not include the migration, which cannot be undone', () => {
		expect(new MigrateBlobs().description.usableAsTool).toBeUndefined();
	});

	it('does not include files, because agents pass only JSON', () => {
		expect(valuesOf(offered(new ChunkText(), 'textSource'))).toEqual(['item']);
		expect(valuesOf(offered(new PushDocuments(), 'documentSource'))).toEqual([
			'fields',
			'json',
		]);
		expect(valuesOf(offered(new DeleteDocument(), 'idSource'))).toEqual(['item', 'list']);
	});

	it('says to send whole documents, because an update may lose omitted fields', () => {
		const { usableAsTool } = new PushDocuments().description;
		const replacements = typeof usableAsTool === 'object' ? usableAsTool.replacements : {};
		expect(replacements?.description).toBe(
			'Add a document to a search index, or update the one with the same ID. Always send all fields: omitted ones may be lost.',
		);
	});

	it('says that it receives chunks without vectors', () => {
		const { usableAsTool } = new ChunkText().description;
		const replacements = typeof usableAsTool === 'object' ? usableAsTool.replacements : {};
		expect(replacements?.description).toBe(
			'Split a text into chunks. Returns the text and the position of each chunk, without vectors.',
		);
	});

	it.each(['vectors', 'outputTo'])('does not include the option %s', (option) => {
		const namesOf = (property: INodeProperties | undefined) =>
			(property?.options as INodeProperties[]).map(({ name }) => name);
		expect(namesOf(shownBy(new ChunkText(), 'options'))).toContain(option);
		expect(namesOf(offered(new ChunkText(), 'options'))).not.toContain(option);
	});
});

describe('what a model fills in by default', () => {
	it('includes the fields of a document', async () => {
		const { output } = await push([
			{
				chatInput: 'Add this',
				id: 'no',
				Document_ID: 'agent/returns',
				Document_Name: 'Returns',
				Document_URL: 'https://example.com/returns',
				Document_Text: TEXT,
			},
		]);
		expect(jsonOf(output)).toMatchObject([{ id: 'agent/returns', pushed: true }]);
		expect(sandbox().documents(DEMO.endpoint)).toEqual([
			{
				id: 'agent/returns',
				name: 'Returns',
				url: 'https://example.com/returns',
				text: TEXT,
			},
		]);
	});

	it('includes the ID to delete', async () => {
		await push([{ Document_ID: 'a', Document_Name: 'A' }]);
		const { output } = await remove([{ Document_ID: 'a', id: 'no' }]);
		expect(jsonOf(output)).toMatchObject([{ id: 'a', deleted: true }]);
		expect(requestOf('DELETE')).toMatch(/\/a$/);
	});

	it('includes the text to split', async () => {
		const { output } = await chunk([{ Text: TEXT, text: 'no' }], {
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
		});
		expect(jsonOf(output).map(({ text }) => text)).toEqual([TEXT]);
	});
});

describe('what a model reads', () => {
	it.each([
		['chunks', { output: 'chunks' }],
		['documents', { output: 'documents', documentId: 'a', documentName: 'A' }],
		['vectors set before the node became a tool', { options: { vectors: 'list' } }],
		['files set before the node became a tool', { options: { outputTo: 'files' } }],
	])('has no vectors: %s', async (_case, parameters) => {
		const result = await chunkTool(parameters);
		expect(JSON.stringify(jsonOf(result.output))).toContain('No receipt');
		expect(numbersIn(result)).toEqual(NO_NUMBERS);
	});

	it('leaves out a response that cannot be used', async () => {
		const vector = Array.from({ length: 384 }, (_, at) => at / 384);
		answers({ status: 'READY', chunkedData: 'no list', embedding: [vector] });
		const result = await chunkTool();
		expect(jsonOf(result.output)).toEqual([
			expect.not.objectContaining({ response: expect.anything() as object }),
		]);
		expect(jsonOf(result.output)[0].error).toContain('chunking ID');
		expect(numbersIn(result)).toEqual(NO_NUMBERS);
	});
});

test('a tool retries for as long as Retry For says, if that is shorter than its own limit', async () => {
	sandbox().faults.add({ route: 'push', status: 503 });
	const retrying = async (retryForSeconds: number) => {
		sandbox().requests.length = 0;
		const item = { Document_ID: 'a', Document_Name: 'A' };
		const { output } = await push([item], { options: { retryForSeconds } }, CONTINUE);
		expect(jsonOf(output)).toEqual([expect.objectContaining({ httpStatus: 503 })]);
		return sandbox().requests.length;
	};
	expect(await retrying(0)).toBe(2);
	expect(await retrying(10)).toBeGreaterThan(2);
});

/** Creates a node's tool variant for AI agents, as n8n does. The variant is the same node with a different type. */
function toolVariant(node: INodeType): INodeType {
	return Object.assign(node, {
		description: { ...node.description, name: `${node.description.name}Tool` },
	});
}
