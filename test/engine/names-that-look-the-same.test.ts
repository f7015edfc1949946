/** Tests names of columns and fields that differ from what the user entered only in characters that cannot be seen. */
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { jsonOf, nodeRunner } from '../../support/sandbox';

const files = useFiles();
const { sandbox, chunk, credentials } = useChunkText();
const push = nodeRunner(new PushDocuments(), credentials, { idField: 'Product ID' });
const remove = nodeRunner(new DeleteDocument(), credentials, { idSource: 'file' });
const indexed = () => sandbox().documents(DEMO.endpoint);

const csv = (...rows: string[]) => files.item(`${rows.join('\n')}\n`, 'a.csv');
const ODD = ['Product\u00a0ID', 'Product\u202fID', '\u200bProduct ID\u2060', '"Product\nID"'];

test.each(ODD)('Push Documents finds the column %j', async (header) => {
	const item = await csv(`name,${header}`, 'A,a');
	const { error } = await push([item], { documentSource: 'file' });
	expect(error).toBeUndefined();
	expect(indexed()).toEqual([expect.objectContaining({ id: 'a', name: 'A' })]);
});

test('rows before the header row are titles, and the delimiter is found', async () => {
	const item = await csv('Prices, of May', 'name;Product\u00a0ID', 'A,B;a');
	const { error } = await push([item], { documentSource: 'file' });
	expect(error).toBeUndefined();
	expect(indexed()).toEqual([expect.objectContaining({ id: 'a', name: 'A,B' })]);
});

test('optional fields, JSON Columns and fields to exclude are found', async () => {
	const item = await csv('name,Product ID,Re\u0301sume\u0301,Unit\u00a0Price', 'A,a,Pears,7');
	const { error } = await push([item], {
		documentSource: 'file',
		descriptionField: 'Résumé',
		options: { jsonColumns: 'Unit Price', excludeFields: 'Résumé' },
	});
	expect(error).toBeUndefined();
	expect(indexed()).toEqual([
		{ id: 'a', name: 'A', 'Product ID': 'a', description: 'Pears', 'Unit\u00a0Price': 7 },
	]);
});

test.each([
	['JSON Lines', 'a.jsonl', '{"Product\u00a0ID":"a","name":"A"}'],
	['JSON', 'a.json', '[{"Product\u00a0ID":"a","name":"A"}]'],
])('%s', async (_format, name, text) => {
	const { error } = await push([await files.item(text, name)], { documentSource: 'file' });
	expect(error).toBeUndefined();
	expect(indexed()).toEqual([expect.objectContaining({ id: 'a' })]);
});

test('items', async () => {
	const { error } = await push([{ 'Product\u00a0ID': 'a', name: 'A' }]);
	expect(error).toBeUndefined();
	expect(indexed()).toEqual([expect.objectContaining({ id: 'a' })]);
});

test('Delete Document and Chunk Text', async () => {
	const item = await csv('Product\u00a0ID,Full\u202fText', 'a,Pears.');
	const deleted = await remove([item], { idField: 'Product ID' });
	expect(deleted.output[0].json).toMatchObject({ deleted: 1, failed: 0 });
	const chunked = await chunk([item], { textSource: 'file', textField: 'Full Text' });
	expect(jsonOf(chunked.output)).toMatchObject([{ text: 'Pears.' }]);
});

test('a message shows what differs', async () => {
	const other = await csv('name,SKU\u00a0ID', 'A,a');
	const { error } = await push([other], { documentSource: 'file' });
	expect(error?.message).toBe("The file 'a.csv' has no column 'Product ID'");
	expect(error?.description).toContain("Its columns are: 'name', 'SKU\\u00a0ID'");

	const both = await csv('name,Product\u00a0ID,Product\u200b ID', 'A,a,b');
	const result = await push([both], { documentSource: 'file' });
	expect(result.error?.message).toBe(
		"The file 'a.csv' has several columns whose names look like 'Product ID': 'Product\\u00a0ID', 'Product\\u200b ID'",
	);

	const inExpression = await push([{ 'Product\u00a0ID': 'a', name: 'A' }], {
		documentSource: 'fields',
		documentId: '={{ $json["Product ID"] }}',
	});
	expect(inExpression.error?.message).toBe(
		"There is no field 'Product ID', but there is 'Product\\u00a0ID', which looks the same",
	);
	expect(sandbox().requests).toEqual([]);
});

test.each(ODD)('a column %j that occurs twice is refused', async (header) => {
	const item = await csv(`name,${header},${header}`, 'A,a,b');
	const { error } = await push([item], { documentSource: 'file' });
	expect(error?.message).toContain("The file 'a.csv' has several columns");
	expect(sandbox().requests).toEqual([]);
});

test.each(["['Product ID']", '["Product ID"]', '$json["Product ID"]', 'Product ID'])(
	'a column that occurs twice is refused if it is entered as %s',
	async (idField) => {
		const item = await csv('name,Product ID,Product ID', 'A,a,b');
		const { error } = await push([item], { documentSource: 'file', idField });
		expect(error?.message).toMatch(/several columns|no column/);
		expect(sandbox().requests).toEqual([]);
	},
);

test('the column with exactly the entered name is read', async () => {
	const item = await csv('name,Product\u00a0ID,Product ID', 'A,wrong,right');
	await push([item], { documentSource: 'file' });
	expect(indexed()).toEqual([expect.objectContaining({ id: 'right' })]);
});
