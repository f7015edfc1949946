/**
 * Tests what a node reports about optional fields that do not exist in the input. Also tests which fields of a record
 * the node keeps.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { sandboxCredentials } from '../../support/credentials';
import { hintsOf, jsonOf, nodeRunner } from '../../support/sandbox';

const files = useFiles();
const { sandbox, chunk } = useChunkText({ vectorSize: 3 });
const push = nodeRunner(new PushDocuments(), () => sandboxCredentials(sandbox()));
const indexed = () => sandbox().documents(DEMO.endpoint);

const CSV = 'id,name,Description,body\r\na,A,About a,one\r\nb,B,About b,two\r\n';
const SIMILAR =
	"There is no field 'description', but there is a field 'Description'. Enter this name as 'Description Field'.";
const MISSING =
	"No document has the field 'about', which 'Description Field' names. Correct the name, or leave 'Description Field' empty.";

describe('an optional field that is named', () => {
	it.each<[string, INodeParameters, string[]]>([
		['differs only in case', {}, [SIMILAR]],
		['does not exist', { descriptionField: 'about' }, [MISSING]],
		['exists', { descriptionField: 'Description' }, []],
		['is empty', { descriptionField: '' }, []],
	])('in a file %s', async (_case, parameters, hints) => {
		const { descriptionField } = parameters;
		const item = await files.item(CSV, 'a.csv');
		const pushed = await push([item], { documentSource: 'file', ...parameters });
		expect(pushed.error).toBeUndefined();
		expect(hintsOf(pushed)).toEqual(hints);
		const chunked = await chunk([item], {
			textSource: 'file',
			textField: 'body',
			output: 'documents',
			options: { ...(descriptionField !== undefined && { descriptionField }) },
		});
		expect(hintsOf(chunked).filter((hint) => hint.includes('Description Field'))).toEqual(
			hints,
		);
	});

	it('is read from items, and a hint says if no item has it', async () => {
		const items = [
			{ id: 'a', name: 'A' },
			{ id: 'b', name: 'B', about: 'About b' },
		];
		const parameters = { descriptionField: 'about', urlField: 'link' };
		const result = await push(items, parameters);
		expect(indexed()).toEqual([items[0], { ...items[1], description: 'About b' }]);
		expect(hintsOf(result)).toEqual([
			"No document has the field 'link', which 'URL Field' names. Correct the name, or leave 'URL Field' empty.",
		]);
	});
});

/** The record that has each of two optional fields, or none. */
const WHERE = [0, 1, 2, undefined];
it.each(WHERE.flatMap((about) => WHERE.map((link) => [about, link] as const)))(
	'a named field is reported only if no record has it: Description Field in %j, URL Field in %j',
	async (about, link) => {
		const records = [0, 1, 2].map((at) => ({
			id: `d${at}`,
			name: 'N',
			text: 'T',
			...(at === about && { about: 'About' }),
			...(at === link && { link: 'https://example.com' }),
		}));
		const expected = [
			...(about === undefined ? ["No document has the field 'about'"] : []),
			...(link === undefined ? ["No document has the field 'link'"] : []),
		];
		const reported = (result: Parameters<typeof hintsOf>[0]) =>
			hintsOf(result).flatMap((hint) => /^No document has [^,]*/.exec(hint) ?? []);
		const fields = { descriptionField: 'about', urlField: 'link' };
		const jsonl = records.map((record) => `${JSON.stringify(record)}\n`).join('');
		const item = await files.item(jsonl, 'd.jsonl');
		expect(reported(await push(records, fields))).toEqual(expected);
		const file = { documentSource: 'file', ...fields };
		expect(reported(await push([item], file))).toEqual(expected);
		const chunking = { output: 'documents', textSource: 'file', options: fields };
		expect(reported(await chunk([item], chunking))).toEqual(expected);
	},
);

describe('Keep Source Fields', () => {
	it.each<[string, string, IDataObject, IDataObject]>([
		['body', 'all', { id: 'a', name: 'A', body: 'one\ntwo', n: 1 }, { n: 1 }],
		['m.body', 'all', { id: 'a', name: 'A', m: { body: 'one', n: 1 } }, { m: { n: 1 } }],
		['body', 'listed', { id: 'a', name: 'A', body: 'one', n: 1 }, { body: 'one' }],
	])(
		'of a file has no text that each chunk would repeat: %s, %s',
		async (textField, keepSourceFields, record, kept) => {
			const item = await files.item(`${JSON.stringify(record)}\n`, 'a.jsonl');
			const { output } = await chunk([item], {
				textSource: 'file',
				textField,
				output: 'documents',
				vectors: 'none',
				options: { keepSourceFields, sourceFieldsToKeep: 'body' },
			});
			const [{ id, name, parentId, chunkIndex, text, ...others }] = jsonOf(output);
			expect([id, name, parentId, chunkIndex]).toEqual(['a#0', 'A', 'a', 0]);
			expect(text).toContain('one');
			expect(others).toEqual(kept);
		},
	);
});
