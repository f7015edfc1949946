/** Tests dates where a node expects text: n8n's `$now` and `$today` are Luxon DateTimes, and databases return Dates. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import { CONTINUE, jsonOf, nodeRunner } from '../../support/sandbox';

const files = useFiles();
const { sandbox, chunk } = useChunkText();
const push = nodeRunner(new PushDocuments(), () => sandboxCredentials(sandbox()));
const remove = nodeRunner(new DeleteDocument(), () => sandboxCredentials(sandbox()));
const indexed = () => sandbox().documents(DEMO.endpoint);

/** As expressions, and as an item's field that an expression passes on. */
const DATES: Array<[string, string, string]> = [
	[
		'a DateTime',
		"DateTime.fromISO('2026-01-02T03:04:05Z').setZone('UTC')",
		'2026-01-02T03:04:05.000Z',
	],
	[
		'a DateTime with an offset',
		"DateTime.fromISO('2026-01-02T03:04:05+02:00', { setZone: true })",
		'2026-01-02T03:04:05.000+02:00',
	],
	['a Date', "new Date('2026-01-02T03:04:05Z')", '2026-01-02T03:04:05.000Z'],
];
const NOW = /^'?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)'?$/;

const item = { id: 'a', name: 'A', text: 'Some text' };

describe.each(DATES)('%s', (_kind, expression, iso) => {
	const date = `={{ ${expression} }}`;

	it('is an ID, a name and a URL of a pushed document', async () => {
		const fields = { documentSource: 'fields', documentId: date, documentName: date };
		const { error } = await push([item], {
			...fields,
			documentUrl: date,
			documentDescription: date,
		});
		expect(error).toBeUndefined();
		expect(indexed()).toEqual([
			expect.objectContaining({ id: iso, name: iso, url: iso, description: iso }),
		]);
	});

	it('is an ID and a name in JSON, alone and in a list', async () => {
		const one = `{ id: ${expression}, name: ${expression} }`;
		for (const json of [one, `[${one}]`]) {
			await push([item], { documentSource: 'json', documentJson: `={{ ${json} }}` });
			expect(indexed()).toEqual([{ id: iso, name: iso }]);
		}
	});

	it('names the document of a text file', async () => {
		const file = await files.item('Some text', 'a.txt');
		const names = { fileDocumentId: date, fileDocumentName: date };
		const { error } = await push([file], { documentSource: 'textFile', ...names });
		expect(error).toBeUndefined();
		expect(indexed()).toMatchObject([{ id: iso, name: iso }]);
		const chunks = await chunk([file], {
			textSource: 'textFile',
			output: 'documents',
			...names,
		});
		expect(jsonOf(chunks.output)).toMatchObject([{ parentId: iso, name: iso }]);
	});

	it.each([
		['one ID', { documentId: date }],
		['a list', { idSource: 'list', listField: `={{ [${expression}] }}` }],
	])('is the ID to delete: %s', async (_case, parameters) => {
		const { output } = await remove([{}], parameters);
		expect(jsonOf(output)).toEqual([{ id: iso, deleted: true }]);
		const path = sandbox().requests.at(-1)?.path ?? '';
		expect(decodeURIComponent(path)).toContain(`/${iso}`);
	});

	it.each(['documents', 'perDocument'])('describes the chunks of a text: %s', async (output) => {
		const parameters: INodeParameters = {
			output,
			documentId: date,
			documentName: date,
			text: date,
			options: { documentUrl: date, documentDescription: date },
		};
		const result = await chunk([item], parameters);
		const [first] = jsonOf(result.output);
		const document = output === 'documents' ? first : (first?.documents as IDataObject[])[0];
		const all = { name: iso, url: iso, description: iso, text: iso, parentId: iso };
		expect(document).toEqual(expect.objectContaining(all));
	});
});

it('$now and $today are dates', async () => {
	const parameters = {
		documentSource: 'fields',
		documentId: '={{ $now }}',
		documentName: '={{ $today }}',
	};
	const { output, error } = await push([item], parameters);
	expect(error).toBeUndefined();
	expect(jsonOf(output)).toEqual([
		expect.objectContaining({ id: expect.stringMatching(NOW) as string }),
	]);
	expect(indexed()).toEqual([
		expect.objectContaining({ name: expect.stringMatching(NOW) as string }),
	]);
});

it.each([
	['a DateTime', "={{ DateTime.fromISO('yesterday') }}"],
	['a Date', "={{ new Date('yesterday') }}"],
])('an invalid date fails, and the message says so: %s', async (_kind, date) => {
	const fields = { documentSource: 'fields', documentId: date, documentName: 'A' };
	const results = [
		await push([item], fields, CONTINUE),
		await push([item], { ...fields, documentId: 'a', documentName: date }, CONTINUE),
		await remove([item], { documentId: date }, CONTINUE),
		await chunk([item], { output: 'documents', documentName: date }, CONTINUE),
	];
	for (const { output } of results)
		expect(jsonOf(output)).toMatchObject([
			{ error: expect.stringContaining('an invalid date') as string },
		]);
	expect(sandbox().requests).toEqual([]);
});
