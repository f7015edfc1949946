/** Tests IDs that spreadsheets, people and file systems have changed. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import { CONTINUE, hintsOf, jsonOf, nodeRunner } from '../../support/sandbox';

const files = useFiles();
const { sandbox, chunk } = useChunkText();
const push = nodeRunner(new PushDocuments(), () => sandboxCredentials(sandbox()));
const remove = nodeRunner(new DeleteDocument(), () => sandboxCredentials(sandbox()));
const indexed = () => sandbox().documents(DEMO.endpoint);
const pushedIds = () => indexed().map(({ id }) => id);
const deletedIds = () =>
	sandbox()
		.requests.filter(({ route }) => route === 'delete')
		.map(({ path }) => decodeURIComponent(path.split('/').at(-1) ?? ''));

const CSV = { documentSource: 'file' };
const csv = async (cells: string[], delimiter = ',') =>
	await files.item(
		['id,name,text', ...cells.map((cell) => `${cell},A,B`)]
			.join('\r\n')
			.replaceAll(',', delimiter),
		'a.csv',
	);
const warningsOf = ({ output }: { output: INodeExecutionData[] }) => jsonOf(output)[0]?.warnings;

describe('an ID that a spreadsheet protects', () => {
	it.each([
		['="00123"', '00123'],
		['"=""00123"""', '00123'],
		['"=""12"""""""', '12"'],
		['="a b"', 'a b'],
	])('%s in CSV is read as %s', async (cell, id) => {
		const item = await csv([cell], ';');
		await push([item], CSV);
		expect(pushedIds()).toEqual([id]);
		await remove([item], { idSource: 'file' });
		expect(deletedIds()).toEqual([id]);
		const { output } = await chunk([item], { textSource: 'file', output: 'documents' });
		expect(jsonOf(output)).toMatchObject([{ parentId: id }]);
	});

	it('is read in items, lists, JSON and lines as well', async () => {
		const protectedId = '="00123"';
		await push([{ id: protectedId, name: 'A' }]);
		await push([{}], {
			documentSource: 'json',
			documentJson: JSON.stringify({ id: protectedId, name: 'A' }),
		});
		expect(pushedIds()).toEqual(['00123']);
		await remove([{ id: protectedId }]);
		await remove([{ ids: [protectedId] }], { idSource: 'list' });
		const lines = await files.item(`${protectedId}\n"=""00124"""\n`, 'a.txt');
		await remove([lines], { idSource: 'file' });
		expect(deletedIds()).toEqual(['00123', '00123', '00123', '00124']);
		const text = { id: protectedId, name: 'A', text: 'B' };
		const { output } = await chunk([text], { output: 'documents' });
		expect(jsonOf(output)).toMatchObject([{ parentId: '00123' }]);
	});

	it('is missing if nothing is in it', async () => {
		const { output } = await push([await csv(['=""', '"="""""', 'a'])], CSV, CONTINUE);
		expect(jsonOf(output)).toMatchObject([{ pushed: 1, failed: 2 }]);
		expect(JSON.stringify(jsonOf(output))).toContain("The field 'id' is missing or empty");
	});
});

describe.each([
	"'00123",
	'#N/A',
	'#n/a',
	'#REF!',
	'#VALUE!',
	'#NAME?',
	'#DIV/0!',
	'#NUM!',
	'#NULL!',
	'#NV',
	'#BEZUG!',
	'#¡REF!',
	'=A1&"x"',
	'########',
])('%s as an ID', (id) => {
	it('is a warning in a file and a hint at items', async () => {
		const item = await csv([`"${id.replaceAll('"', '""')}"`, 'a']);
		for (const result of [
			await push([item], CSV),
			await remove([item], { idSource: 'file' }),
			await chunk([item], {
				textSource: 'file',
				output: 'documents',
				options: { outputTo: 'files' },
			}),
		]) {
			const { warnings } = jsonOf(result.output).find((json) => 'file' in json) ?? {};
			expect(warnings).toEqual([expect.stringContaining(`1 ID of 'a.csv' is not an ID`)]);
			expect(hintsOf(result).join()).toContain(id);
		}
		for (const result of [await push([{ id, name: 'A' }]), await remove([{ id }])])
			expect(hintsOf(result).join()).toMatch(
				/1 ID is not an ID, but what a spreadsheet shows/,
			);
	});
});

it.each(['#1', '#ABC', 'a#0', "'quoted'", '=', '=1', 'N/A'])(
	'%s is an ID like any other',
	async (id) => {
		const result = await push([await csv([`"${id}"`])], CSV);
		expect(warningsOf(result)).toBeUndefined();
		expect(pushedIds()).toEqual([id]);
	},
);

describe('an ID in two Unicode forms', () => {
	const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301'];

	it('is a hint, in items, files and names of text files', async () => {
		// Another ID lies between the two, so the first one must be remembered.
		const both = [composed, 'r\u00f4le', decomposed];
		const textFiles = await Promise.all(
			both.map(async (name) => await files.item('A', `${name}.txt`)),
		);
		for (const result of [
			await push(both.map((id): IDataObject => ({ id, name: 'A' }))),
			await push([await csv(both)], CSV),
			await push(textFiles, { documentSource: 'textFile' }),
			await chunk(textFiles, { textSource: 'textFile', output: 'documents' }),
			await remove(both.map((id) => ({ id }))),
		])
			expect(hintsOf(result).join()).toMatch(
				/1 ID .*differs from an earlier ID only in its Unicode form/,
			);
		expect(warningsOf(await push([await csv(both)], CSV))).toHaveLength(1);
	});

	it('is no hint if there is only one form', async () => {
		const result = await push([await csv([decomposed, 'caf\u00e8', decomposed])], CSV);
		expect(hintsOf(result).join()).not.toContain('Unicode');
	});
});

describe('Delete Document', () => {
	it.each(['00003,00004', 'P-1; P-2', 'a|b', '["a","b"]', 'a\nb', '00003 00004'])(
		'%s looks like a list of IDs, which is a hint',
		async (id) => {
			const LOOKS = /1 ID .*looks like a list of IDs/;
			expect(hintsOf(await remove([{ id }])).join()).toMatch(LOOKS);
			expect(hintsOf(await remove([{ ids: [id] }], { idSource: 'list' })).join()).toMatch(
				LOOKS,
			);
			const item = await files.item(JSON.stringify([id]), 'a.json');
			const inFile = await remove([item], { idSource: 'file' });
			expect(hintsOf(inFile).join()).toMatch(LOOKS);
			expect(warningsOf(inFile)).toBeUndefined();
			expect(deletedIds()).toEqual([id, id, id]);
		},
	);

	it.each(['Smith, John', 'a b', 'handbook/returns.md#1'])('%s is one ID', async (id) => {
		expect(hintsOf(await remove([{ id }])).join()).not.toContain('list of IDs');
	});

	it('says that Chunk Count 0 deletes the document alone', async () => {
		const chunkCount = '={{ $json.chunks }}';
		const items = [
			{ id: 'a', chunks: 0 },
			{ id: 'b', chunks: 2 },
		];
		const result = await remove(items, { options: { chunkCount } });
		expect(deletedIds().sort()).toEqual(['a', 'b#0', 'b#1']);
		expect(hintsOf(result).join()).toContain(
			"'Chunk Count' is 0 for 1 item, so the node deletes only the document with this ID, and no chunks",
		);
		expect(hintsOf(await remove([{ id: 'a' }])).join()).not.toContain("'Chunk Count' is 0");
	});

	it('claims no more than that the service accepted the deletes', async () => {
		const one = await remove([{ id: 'never existed' }]);
		expect(jsonOf(one.output)).toEqual([{ id: 'never existed', deleted: true }]);
		expect(hintsOf(one)[0]).toMatch(
			/^1 delete accepted\. .*The service does not say whether the document existed\.$/,
		);
		for (const commit of ['everyDelete', 'lastDeleteOnly']) {
			const two = await remove([{ id: 'a' }, { id: 'b' }], { commit });
			expect(hintsOf(two)[0]).toMatch(
				/^2 deletes accepted\. .*The service does not say whether the documents existed\.$/,
			);
		}
	});
});

describe('a JSON file that is a map of IDs', () => {
	const record = { name: 'A', text: 'B' };
	it.each<[string, unknown]>([
		['a map', { a1: record, a2: record }],
		['a map with one record', { a1: record }],
		['a map in an object', { documents: { a1: record, a2: record } }],
	])('gets advice: %s', async (_case, content) => {
		const item = await files.item(JSON.stringify(content, undefined, 1), 'a.json');
		const sources: Array<[typeof push, INodeParameters]> = [
			[push, CSV],
			[remove, { idSource: 'file' }],
			[chunk, { textSource: 'file', output: 'documents' }],
		];
		for (const [run, parameters] of sources) {
			const { error } = await run([item], parameters);
			expect(error?.message).toMatch(
				/is one object without .*'id'.*The members.* are objects themselves: 'a1'/,
			);
			expect(error?.description).toMatch(/^The file looks like a map from IDs to records\./);
		}
	});

	it.each<[string, IDataObject]>([
		['a record', { id: 'a', name: 'A', meta: { more: {} } }],
		['a record without a name', { id: 'a', meta: { more: {} } }],
	])('is not %s', async (_case, content) => {
		const item = await files.item(JSON.stringify(content), 'a.json');
		const { output } = await push([item], CSV, CONTINUE);
		expect(JSON.stringify(jsonOf(output))).not.toContain('looks like a map');
	});
});
