/**
 * Runs tests with files that were written by real programs (test/files). Each file is pushed twice: once as it is and
 * once compressed with gzip.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { sandboxCredentials } from '../../support/credentials';
import { runNode } from '../../support/engine';
import { useSandbox } from '../../support/sandbox';

const FOLDER = path.join(__dirname, '../files');
const sandbox = useSandbox();
const files = useFiles();

interface Expected {
	documents?: IDataObject[];
	failures?: RegExp[];
	hints?: RegExp[];
}

const TABLE: Array<[file: string, parameters: INodeParameters, Expected]> = [
	[
		'excel-german.csv',
		{ idField: 'Artikel-Nr', nameField: 'Bezeichnung', descriptionField: 'Beschreibung' },
		{
			documents: [
				{
					id: '0815',
					name: 'Äpfel „Elstar“',
					description: 'rot; süß-\r\nsäuerlich',
					'Artikel-Nr': '0815',
					Bezeichnung: 'Äpfel „Elstar“',
					Preis: '2,50 €',
					Beschreibung: 'rot; süß-\r\nsäuerlich',
				},
				{ id: '4712', name: 'Birnen', Preis: '10,00 €' },
			],
			hints: [/^3 lines of .* read as Windows-1252 \(the first on line 2: 'Äpfel'\)/],
		},
	],
	[
		'excel-english.csv',
		{ idField: 'ID', nameField: 'Name' },
		{
			documents: [
				{ id: '0815', name: 'Apples, red', Price: '2.50', Updated: '1/31/2025' },
				{ id: '4713', name: 'Café ☕', Price: '1,250.00' },
			],
			failures: [/4\.00638E\+12.*spreadsheet/],
			hints: [/^1 record of/],
		},
	],
	[
		'excel-separator.csv',
		{},
		{ documents: [{ id: '1', name: 'One', 'formula, as text': 'a,b,c' }] },
	],
	['excel-unicode.csv', {}, { documents: [{ id: '1', name: 'Žluťoučký' }] }],
	[
		'jira.csv',
		{ idField: 'Issue key', nameField: 'Summary' },
		{
			documents: [
				{ id: 'WEB-1', name: 'Login fails', Labels: 'login', Sprint: 'Sprint 7' },
				{ id: 'WEB-2', name: 'Slow search', Labels: 'search', Sprint: '', Comment: '' },
			],
			hints: [/several columns with the same name: 'Labels', 'Sprint', 'Comment'/],
		},
	],
	[
		'mongoexport.json',
		{ idField: '_id.$oid', nameField: 'title' },
		{
			documents: [
				{
					_id: { $oid: '65a1b2c3d4e5f60718293a4b' },
					id: '65a1b2c3d4e5f60718293a4b',
					name: 'Guide',
					views: { $numberLong: '12' },
				},
			],
			failures: [/'title'.*'65a1b2c3d4e5f60718293a4c'/],
			hints: [/^1 record of/],
		},
	],
	[
		'elasticdump.json',
		{ idField: '_id', nameField: '_source.title' },
		{
			documents: [
				{ id: 'p-1', name: 'Home', _source: { title: 'Home', tags: ['a', 'b'] } },
				{ id: 'p-2', name: 'Imprint' },
			],
		},
	],
	[
		'bigquery.json',
		{ idField: 'product_id', nameField: 'product' },
		{
			documents: [
				{ id: '9007199254740993', name: 'Big', created: '2025-01-31 09:12:00 UTC' },
				{ id: '2', name: 'Two', created: null },
			],
		},
	],
	[
		'jq-list.json',
		{},
		{
			documents: [
				{ id: '1', name: 'Number é', tags: ['x'] },
				{ id: 'b', name: 'Two', nested: { empty: [] } },
			],
		},
	],
	['jq-objects.json', {}, { failures: [/several objects that span several lines/] }],
	['unauthorized.csv', {}, { failures: [/'id'.*'name'/] }],
	['login.csv', {}, { failures: [/is an HTML page, such as a login or an error page/] }],
];

it('each file has its row', () => {
	expect(TABLE.map(([file]) => file).sort()).toEqual(readdirSync(FOLDER).sort());
});

describe.each(['', '.gz'])('%s', (extension) => {
	it.each(TABLE)('%s', async (file, own, { documents = [], failures = [], hints = [] }) => {
		const content = readFileSync(path.join(FOLDER, file));
		const bytes = extension === '' ? content : gzipSync(content);
		const result = await runNode({
			node: new PushDocuments(),
			items: [await files.item(bytes, `${file}${extension}`)],
			parameters: { documentSource: 'file', ...own },
			credentials: sandboxCredentials(sandbox()),
			onError: 'continueRegularOutput',
		});
		const { json } = result.output[0];
		const messages = (json.failures as IDataObject[] | undefined) ?? (json.error ? [json] : []);
		expect(sandbox().documents(DEMO.endpoint)).toMatchObject(documents);
		const matching = (all: RegExp[]): unknown => all.map((one) => expect.stringMatching(one));
		expect(messages.map(({ error }) => error)).toEqual(matching(failures));
		const shown = result.hints.filter(({ type }) => type === 'warning');
		expect(shown.map(({ message }) => message)).toEqual(matching(hints));
	});
});
