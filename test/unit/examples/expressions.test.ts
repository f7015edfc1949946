/** Tests what the nodes of the examples compute, with the expressions and the code of the built workflows. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { ROOT } from '../../../support/manifest';
import { evaluate, examplesWith, parametersOf, runCodeNode } from './support/expressions';

const EXAMPLES = readdirSync(path.join(ROOT, 'examples')).filter((file) => file.endsWith('.json'));

describe.each(examplesWith('Compute Versions', EXAMPLES))(
	'%s: the version of a document',
	(file) => {
		const document = {
			id: 'a',
			name: 'A',
			url: 'u',
			text: 'T',
			version: '1',
			problem: 'too large',
		};
		const versionOf = (one: IDataObject) => {
			const [{ json }] = runCodeNode(file, 'Compute Versions', {
				outputs: { Settings: [{ ignoredFields: 'views, updatedAt' }] },
				// The documents are the items of a node, or in the body of a request.
				others: [{ ...one, body: { documents: [one] } }],
			}) as [{ json: { versions: string[] } }];
			expect(json.versions).toHaveLength(1);
			return json.versions[0];
		};

		it.each(Object.keys(document).filter((name) => name !== 'id'))('depends on %s', (name) => {
			expect(versionOf({ ...document, [name]: 'another' })).not.toBe(versionOf(document));
			expect(versionOf({ ...document, [name]: '' })).not.toBe(versionOf(document));
		});
	},
);

test.each(['sync-of-a-database.json', 'sync-chunks-of-a-database.json'])(
	'%s: each document has the ID of its row, whatever its own fields are',
	(file) => {
		const fields = fc.dictionary(
			fc.constantFrom('id', 'name', 'text', 'parentId', 'url'),
			fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
			{ noNullPrototype: true },
		);
		fc.assert(
			fc.property(fc.array(fields, { minLength: 1, maxLength: 4 }), (documents) => {
				const changed = documents.map((document, at) => ({
					...{ id: `row ${at}`, chunks: 0, oldText: '' },
					document: { name: 'N', text: 'T', ...document },
				}));
				const items = runCodeNode(file, 'Documents', {
					outputs: {
						'When Called by Itself': [
							{ run: 1, work: [], snapshot: [], mostDeletes: 9 },
						],
						Read: [{ gone: [], missed: [], changed }],
					},
				}) as Array<{ json: { id: string; documents: Array<{ id: string }> } }>;
				expect(items.map(({ json }) => json.id)).toEqual(changed.map(({ id }) => id));
				for (const { json } of items)
					for (const { id } of json.documents ?? []) expect(id).toBe(json.id);
			}),
		);
	},
);

test.each(['sync-of-a-folder.json', 'sync-from-google-drive.json'])(
	'%s: a file that is too large is read as soon as the limit allows it',
	(file) => {
		const versionAt = (mostMegabytes: number) => {
			const place = { folder: '/d', url: '', prefix: '', extensions: 'pdf' };
			const listed = { type: '-', path: '/d/a.pdf', modifyTime: '2026-03-01T11:00:00Z' };
			const ofDrive = { id: 'a', mimeType: 'application/pdf', md5Checksum: 'sum' };
			const chosen = runCodeNode(file, 'Choose Files', {
				outputs: { Settings: [{ ...place, mostMegabytes, minutesAtRest: 5 }] },
				others: [{ ...listed, ...ofDrive, name: 'a.pdf', size: 3_000_000 }],
			}) as Array<{ json: IDataObject }>;
			const [{ json }] = runCodeNode(file, 'Compute Versions', {
				others: chosen.map((item) => item.json),
			}) as [{ json: { versions: string[] } }];
			expect(json.versions).toHaveLength(1);
			return [Boolean(chosen[0].json.problem), json.versions[0]];
		};
		const [small, enough] = [2, 4].map(versionAt);
		expect([small[0], enough[0]]).toEqual([true, false]);
		expect(enough[1]).not.toBe(small[1]);
		expect(enough).toEqual(versionAt(5));
	},
);

test.each([
	'sync-chunks-by-source.json',
	'sync-from-an-api.json',
	'sync-of-a-folder.json',
	'sync-from-google-drive.json',
])('%s: each field beside the text counts, but not the ignored ones', (file) => {
	const versionOf = (fields: IDataObject, ignoredFields: string) => {
		const document = { id: 'a', name: 'A', text: 'T', version: '1', fields };
		const [{ json }] = runCodeNode(file, 'Compute Versions', {
			outputs: { Settings: [{ ignoredFields }] },
			others: [{ ...document, body: { documents: [document] } }],
		}) as [{ json: { versions: string[] } }];
		return json.versions[0];
	};
	const { assignments } = parametersOf(file, 'Settings').assignments as {
		assignments: Array<{ name: string; value: unknown }>;
	};
	expect(assignments).toContainEqual(
		expect.objectContaining({ name: 'ignoredFields', value: '' }),
	);
	const [before, after] = [1, 2].map((views) => ({ category: 'Ladders', views }));
	expect(versionOf(after, '')).not.toBe(versionOf(before, ''));
	expect(versionOf(after, 'views')).toBe(versionOf(before, 'views'));
	const other = { ...before, category: 'Tools' };
	expect(versionOf(other, 'views')).not.toBe(versionOf(before, 'views'));
});

test('Sync by Source: each field of a document counts, but not the ignored ones', () => {
	const versionOf = (one: IDataObject) => {
		const [{ json }] = runCodeNode('sync-by-source.json', 'Compute Versions', {
			outputs: { Settings: [{ ignoredFields: 'views, updatedAt' }] },
			others: [{ ...one, body: { documents: [one] } }],
		}) as [{ json: { versions: string[] } }];
		return json.versions[0];
	};
	const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
	const names = ['id', 'name', 'url', 'description', 'text', 'price', 'views', 'updatedAt'];
	const document = fc.dictionary(fc.constantFrom(...names), value, { noNullPrototype: true });
	fc.assert(
		fc.property(document, fc.constantFrom(...names), value, (one, name, other) => {
			fc.pre(one[name] !== other);
			const isIgnored = ['views', 'updatedAt'].includes(name);
			expect(versionOf({ ...one, [name]: other }) === versionOf(one)).toBe(isIgnored);
		}),
	);
});

test('Fan Out over Workers calls each range with its own records, also if it is called again', () => {
	const { jsonBody } = parametersOf('fan-out-over-workers.json', 'Call Fan Out One Range');
	const ranges = [0, 1, 2, 3].map((range) => ({ range, skip: 100 * range, max: 100 }));
	for (const again of [[0, 1, 2, 3], [2], [3, 1]])
		for (const [$itemIndex, range] of again.entries()) {
			const body = evaluate(jsonBody, {
				...{ $json: { range }, $itemIndex, input: again.map((one) => ({ range: one })) },
				outputs: { Ranges: [{ ranges }], Settings: [{ run: 5, fileUrl: 'f' }] },
			});
			expect(body).toEqual({ run: 5, fileUrl: 'f', ...ranges[range] });
		}
});

test('Push a Large File with Progress stores the failed records of each round under another name', () => {
	const url = String(
		parametersOf('push-a-large-file-with-progress.json', 'Store Failed Records').url,
	);
	// What comes after the expression of the round is the name of the file, which is the same in each round.
	const nameOf = (skipped: number) =>
		url.replace(/\{\{(.*?)\}\}/, (_all, code) =>
			String(evaluate(`={{${code}}}`, { $json: { skipped } })),
		);
	expect(nameOf(0)).not.toBe(nameOf(100));
});

test.each([
	...examplesWith('Read State Table', EXAMPLES).map((file) => [file, 'Read State Table']),
	['fan-out-over-workers.json', 'Rows of This Run'],
])('%s: %s reads all rows', (file, name) => {
	expect(parametersOf(file, name)).toMatchObject({ operation: 'get', returnAll: true });
});
