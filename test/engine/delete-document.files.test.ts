import { gzipSync } from 'node:zlib';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { DEMO } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { CONTINUE, indexes, useNodes } from '../../support/sandbox';
import { push } from '../../support/sandbox-client';

const { sandbox, runnerOf } = useNodes();
const files = useFiles();

const remove = runnerOf(new DeleteDocument(), { idSource: 'file' });
const ids = (count: number) => indexes(count).map((at) => `d${at}`);
const index = async (list: string[]) => {
	await push(
		sandbox(),
		list.map((id) => ({ id, name: id })),
	);
	sandbox().requests.length = 0;
};
const left = () => {
	sandbox().commit();
	return sandbox()
		.documents(DEMO.endpoint)
		.map(({ id }) => id);
};
const lines = (list: unknown[]) => list.map((value) => `${String(value)}\n`).join('');
const committing = () => sandbox().requests.filter(({ query }) => query.commit === 'true');

describe('formats', () => {
	it.each<[string, string, string, INodeParameters]>([
		['lines of text', 'd0\r\nd1\n', 'ids.txt', {}],
		['lines of text without a known name', 'd0\nd1', 'ids', {}],
		['JSON Lines of strings', '"d0"\n"d1"\n', 'ids.jsonl', {}],
		[
			'JSON Lines of objects',
			'{"key":{"id":"d0"}}\n{"key":{"id":"d1"}}\n',
			'ids.jsonl',
			{ idField: 'key.id' },
		],
		['a JSON list', '["d0", {"id": "d1"}]', 'ids.json', {}],
		['a list within JSON', '{"gone": ["d0", "d1"]}', 'ids.json', { listPath: 'gone' }],
		['CSV', 'name,sku\nx,d0\ny,d1\n', 'ids.csv', { idField: 'sku' }],
		['a format that was chosen', 'd0\nd1\n', 'ids.csv', { fileFormat: 'lines' }],
	])('reads %s', async (_what, content, fileName, parameters) => {
		await index(ids(3));
		const result = await remove([await files.item(content, fileName)], parameters);
		expect(result.error).toBeUndefined();
		expect(left()).toEqual(['d2']);
		expect(result.output[0]).toMatchObject({
			json: {
				file: fileName,
				records: 2,
				deleted: 2,
				failed: 0,
				skipped: 0,
				stats: { requests: 2 },
			},
			pairedItem: { item: 0 },
		});
	});
});

describe('a file that could be JSON or lines of text', () => {
	const NAMES = ['2024', '1', '2', 'other', 'left'];
	const BRACKETS = ['[2024] report', '[1, 2] matrix', '{"id":"other"}', '["left"]', '[]'];

	it.each(['ids.txt', 'IDS.TXT.gz'])('is lines of text if it is called %s', async (name) => {
		for (const first of BRACKETS) {
			await index([...NAMES, first, 'd0']);
			const content = gzipSync(`\n ${first}\n${first}\r\nd0\n`);
			const file = await files.item(content, name, 'text/plain');
			const result = await remove([file], { options: { ignoreNotFound: true } });
			expect(result.output[0].json).toMatchObject({ records: 3, failed: 0 });
			expect(left()).toEqual(NAMES);
		}
	});

	it.each([
		['ids', 'text/plain'],
		['ids.log', 'text/plain; charset=utf-8'],
		['ids', 'application/octet-stream'],
	])('needs a format if it is called %s and of type %s', async (name, mimeType) => {
		await index(NAMES);
		for (const first of BRACKETS) {
			const content = `\ufeff \n${first}\nd0\n`;
			const { error } = await remove([await files.item(content, name, mimeType)]);
			expect(error?.message).toBe(
				`The format of the file '${name}' (${mimeType}) cannot be detected, because it begins with ${first.slice(0, 1)} and may be JSON or text lines`,
			);
			expect(error?.description).toMatch(/^Choose the format in 'File Format', or /);
		}
		expect(sandbox().requests).toEqual([]);
		const chosen = await files.item('[1, 2] matrix\n', name, mimeType);
		await remove([chosen], { fileFormat: 'lines' });
		expect(left()).toEqual(NAMES);
	});
});

describe('a table that is called .txt', () => {
	it.each(['id\tname\r\n1\tA\r\n', 'name,"id"\nA,1\n', 'x; id ;y\n'])(
		'is refused: %j',
		async (content) => {
			const { error } = await remove([await files.item(content, 'ids.txt', 'text/plain')]);
			expect(error?.message).toBe(
				"The file 'ids.txt' was read as one ID per line, but its first line is a header row with the column 'id'",
			);
			expect(error?.description).toMatch(/^Choose 'CSV' in 'File Format'\./);
			expect(sandbox().requests).toEqual([]);
		},
	);

	it.each(['id\nd0\n', 'a,b\nd0\n'])('is a list of IDs: %j', async (content) => {
		const { output } = await remove([await files.item(content, 'ids.txt', 'text/plain')]);
		expect(output[0]?.json).toMatchObject({ records: 2, deleted: 2 });
	});
});

describe('commit', () => {
	const two = async () => [
		await files.item(lines(['d0', 'd1']), 'a.txt'),
		await files.item(lines(['d2', 'd3']), 'b.txt'),
	];

	it('is sent with the last delete of the last file, after all other deletes', async () => {
		await index(ids(4));
		sandbox().faults.add({ route: 'delete', latencyMs: 50, times: 3 });
		const { output } = await remove(await two(), { commit: 'lastDeleteOnly' });
		expect(committing()).toEqual([sandbox().requests.at(-1)]);
		expect(sandbox().requests.at(-1)?.path).toMatch(/d3$/);
		expect(sandbox().documents(DEMO.endpoint)).toEqual([]);
		expect(output.map(({ json }) => json.deleted)).toEqual([2, 2]);
		expect(output.map(({ json }) => json.committed)).toEqual([undefined, true]);
	});

	it('is sent even if the last item has no file, such as the summary of an earlier run', async () => {
		await index(ids(4));
		const summary = { json: { file: 'c.txt', records: 1, stats: {} } };
		await remove([...(await two()), summary], { commit: 'lastDeleteOnly' });
		expect(committing()).toEqual([sandbox().requests.at(-1)]);
	});
});

it('a last delete that commits loses no record of a file that is read in several pieces', async () => {
	await index(ids(12));
	const rows = ids(12).map((id) => `${id},${'x'.repeat(40_000)}\n`);
	const item = await files.item(`id,why\n${rows.join('')}`, 'ids.csv');
	const { output } = await remove([item], { commit: 'lastDeleteOnly' });
	expect(left()).toEqual([]);
	expect(output[0].json).toMatchObject({ records: 12, deleted: 12, failed: 0, skipped: 0 });
});

describe('failed records', () => {
	it('are returned as files and can be deleted again', async () => {
		await index(ids(4));
		sandbox().settings.unknownDeleteStatus = 404;
		const csv = 'id;why\nd0;x\nd9;"not\nthere"\n;empty\n..;dots\nd1;a;b\n';
		const { output } = await remove([await files.item(csv, 'ids.csv')], {}, CONTINUE);
		const [{ json, binary }] = output;
		expect(json).toMatchObject({ records: 5, deleted: 1, failed: 4, skipped: 0 });
		expect(json).not.toHaveProperty('error');
		const failures = json.failures as IDataObject[];
		expect(failures.find(({ record }) => record === 2)).toMatchObject({
			line: 3,
			id: 'd9',
			httpStatus: 404,
			error: expect.stringContaining("document 'd9' was not deleted"),
		});
		expect(failures.find(({ record }) => record === 4)).toMatchObject({ id: '..' });
		const failed = await files.text(binary?.failed);
		expect(failed.split('\n').sort()).toEqual(
			'id;why\nd9;"not\nthere"\n;empty\n..;dots\n'.split('\n').sort(),
		);
		expect(await files.text(binary?.unreadable)).toBe('id;why\nd1;a;b\n');
		await index(['d9']);
		const again = await remove(
			[{ json: {}, binary }],
			{ binaryPropertyName: 'failed' },
			CONTINUE,
		);
		expect(again.output[0].json).toMatchObject({ records: 3, deleted: 1 });
	});

	it('do not include unknown IDs that are ignored', async () => {
		await index(ids(1));
		sandbox().settings.unknownDeleteStatus = 404;
		const { output } = await remove([await files.item('d0\nd9\n', 'ids.txt')], {
			options: { ignoreNotFound: true },
		});
		expect(output[0].json).toMatchObject({ records: 2, deleted: 1, notFound: 1, failed: 0 });
	});
});
