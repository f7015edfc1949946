/** Tests the 'Text File' choice in Chunk Text and Push Documents. Each file contains a single text. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import type { RunOptions } from '../../support/engine';
import { CONTINUE, jsonOf, nodeRunner } from '../../support/sandbox';
import { naming } from '../../support/wording';

const files = useFiles();
const { sandbox, chunk, credentials, submits } = useChunkText({ vectorSize: 3 });

const push = nodeRunner(new PushDocuments(), credentials, { documentSource: 'textFile' });
const chunkFiles = async (
	items: INodeExecutionData[],
	parameters: INodeParameters = {},
	settings: Partial<RunOptions> = {},
) =>
	await chunk(
		items,
		{ textSource: 'textFile', output: 'documents', vectors: 'none', ...parameters },
		settings,
	);
const nodes = [
	['Push Documents', push],
	['Chunk Text', chunkFiles],
] as const;
const indexed = () => sandbox().documents(DEMO.endpoint);
const item = async (content: string | Buffer, fileName = 'pears.md', json: IDataObject = {}) => ({
	...(await files.item(content, fileName, 'text/plain')),
	json,
});

describe('a document', () => {
	it('is the whole file, with the file name as ID, and without the extension as name', async () => {
		const others = { additionalFields: { field: [{ name: 'kind', value: 'fruit' }] } };
		await push([await item('Pears.\n\nPlums.\n', 'food/pears.v1.md')], others);
		expect(indexed()).toEqual([
			{ id: 'pears.v1.md', name: 'pears.v1', text: 'Pears.\n\nPlums.\n', kind: 'fruit' },
		]);
	});

	it('is the same for a chunk', async () => {
		const { output } = await chunkFiles([await item('Pears.', 'food/pears.v1.md')]);
		expect(jsonOf(output)).toMatchObject([
			{ id: 'pears.v1.md#0', name: 'pears.v1', parentId: 'pears.v1.md', text: 'Pears.' },
		]);
	});

	it.each(nodes)('has the ID and the name that expressions give: %s', async (_node, run) => {
		const { output } = await run([await item('Pears.', 'a.txt', { directory: '/food' })], {
			fileDocumentId: '={{ $json.directory }}/{{ $json.missing ?? "a" }}',
			fileDocumentName: '={{ $json.directory }}',
		});
		expect(String(output[0].json.id).replace('#0', '')).toBe('/food/a');
		const names = [...indexed(), ...jsonOf(output)].flatMap(({ name }) => name ?? []);
		expect(new Set(names)).toEqual(new Set(['/food']));
	});

	it.each(['documents', 'perDocument'])('fails if the file is empty (%s)', async (output) => {
		const options = { previousChunkCount: 3 };
		const { error } = await chunkFiles([await item('')], { output, options });
		expect(error?.message).toBe("The file 'pears.md' is empty");
	});
});

describe.each(nodes)('%s', (node, run) => {
	it.each<[string, string | Buffer, string, string]>([
		['a page', ' <!DOCTYPE html><title>Login</title>', 'HTML', "n8n's HTML node"],
		[
			'too large',
			'Pears. '.repeat(1000),
			"1,000 that 'Bytes per Request'",
			"'Bytes per Request'",
		],
		[
			'too large only because its letters are not ASCII',
			'é'.repeat(600),
			"1,000 that 'Bytes per Request'",
			"'Bytes per Request'",
		],
		['empty', '', 'empty', 'Check the node that outputs the file.'],
		['a PDF', '%PDF-1.7', 'PDF', "'Extract From PDF'"],
		[
			'damaged',
			Buffer.concat([Buffer.from('für '), Buffer.from([0xfc]), Buffer.from(' x')]),
			'0xfc',
			'convert the file to UTF-8',
		],
	])('refuses a file that is %s', async (_case, content, message, advice) => {
		const { error } = await run([await item(content)], { options: { bytesPerRequest: 1000 } });
		expect(error?.message).toEqual(naming("'pears.md'", message));
		expect(error?.description).toContain(advice);
		expect(sandbox().requests).toEqual([]);
	});

	it('fails for two files with the same name before anything is sent', async () => {
		const items = [
			await item('A', 'a.txt'),
			await item('B', 'food/readme.md'),
			await item('C', 'drinks/readme.md'),
		];
		const stopped = await run(items);
		expect(stopped.error?.message).toBe("Several files have the name 'readme.md'");
		expect(stopped.error?.description).toContain(
			"Enter a 'Document ID' that tells them apart, such as {{ $binary.data.directory }}/{{ $binary.data.fileName }}.",
		);
		expect(sandbox().requests).toEqual([]);

		const { output } = await run(items, {}, CONTINUE);
		const error = "Several files have the name 'readme.md'";
		expect(jsonOf(output)).toMatchObject([
			{ id: node === 'Chunk Text' ? 'a.txt#0' : 'a.txt' },
			{ id: 'readme.md', error },
			{ id: 'readme.md', error },
		]);
	});

	it('distinguishes files with the same name by their folders', async () => {
		const items = await Promise.all(
			['/food', '/drinks'].map(async (directory) => {
				const { json, binary } = await item('Pears.', 'readme.md');
				return { json, binary: { data: { ...binary?.data, directory } } };
			}),
		);
		const fileDocumentId = '={{ $binary.data.directory }}/{{ $binary.data.fileName }}';
		const { output } = await run(items as INodeExecutionData[], { fileDocumentId });
		const ids = jsonOf(output).map(({ id }) => String(id).replace('#0', ''));
		expect(ids).toEqual(['/food/readme.md', '/drinks/readme.md']);
	});

	it('needs an ID for a file without a name', async () => {
		const { error } = await run([await item('Pears.', '')]);
		expect(error?.message).toBe("The item's file has no name");
		const named = { fileDocumentId: 'a', fileDocumentName: 'A' };
		const { output } = await run([await item('Pears.', '')], named);
		expect(String(output[0].json.id)).toMatch(/^a(#0)?$/);
	});

	it('needs a file', async () => {
		const { error } = await run([{ json: { text: 'Pears.' } }]);
		expect(error?.message).toContain("'data'");
	});
});

it('Submit accepts text files', async () => {
	const { output } = await chunkFiles([await item('Pears.')], { operation: 'submit' });
	expect(output[0].json.chunkingId).toEqual(expect.any(String));
	expect(submits()).toHaveLength(1);
});
