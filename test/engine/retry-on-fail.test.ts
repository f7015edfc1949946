/** Retry On Fail of n8n where a second try would cost or lose something: deletes and migrations. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import type { FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { indexes, jsonOf, pairedIndexes, useNodes } from '../../support/sandbox';
import { push as pushToSandbox } from '../../support/sandbox-client';

const { sandbox, runnerOf } = useNodes({ settings: { unknownDeleteStatus: 404 } });
const files = useFiles();
const remove = runnerOf(new DeleteDocument());
const migrate = runnerOf(new MigrateBlobs());
const push = runnerOf(new PushDocuments());

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const CONTINUE = { ...RETRY, onError: 'continueRegularOutput' } as const;
const sent = (route: FaultRule['route']) =>
	sandbox().requests.filter((request) => request.route === route);
const index = async (...ids: string[]) => {
	await pushToSandbox(
		sandbox(),
		ids.map((id) => ({ id, name: id })),
	);
	sandbox().requests.length = 0;
};
/** An item without the file that the node asks for, then one with it. */
const withFile = async (content: string, name: string) =>
	[{ json: {} }, await files.item(content, name)] as unknown as IDataObject[];

const binaryOf = (item: IDataObject) => (item as unknown as INodeExecutionData).binary?.data;
const empty = async () => await files.store('', 'empty.jsonl', 'application/octet-stream');

describe('Delete Document', () => {
	/** A document is gone as soon as its delete was answered. */
	const NOW = { commit: 'everyDelete' };

	it('reports what an earlier try has deleted as deleted, not as unknown', async () => {
		await index('a', 'b');
		const result = await remove([{ id: '' }, { id: 'a' }, { id: 'b' }], NOW, CONTINUE);
		expect(jsonOf(result.output)).toEqual([
			expect.objectContaining({ error: expect.any(String) }),
			{ id: 'a', deleted: true },
			{ id: 'b', deleted: true },
		]);
		expect(pairedIndexes(result)).toEqual(indexes(3));
	});

	it('the same if the node stops, and if the answer got lost', async () => {
		await index('a', 'b');
		sandbox().faults.add({ route: 'delete', reset: 'afterWork', skip: 1, times: 1 });
		const options = { concurrency: 1, maxAttempts: 1 };
		const { output } = await remove([{ id: 'a' }, { id: 'b' }], { ...NOW, options }, RETRY);
		expect(jsonOf(output)).toEqual([
			{ id: 'a', deleted: true },
			{ id: 'b', deleted: true },
		]);
	});

	it('still calls an ID unknown that no try has deleted', async () => {
		const { output } = await remove([{ id: 'a' }], NOW, CONTINUE);
		expect(jsonOf(output)).toMatchObject([{ id: 'a', httpStatus: 404 }]);
	});
});

describe('a file that was processed is not sent again', () => {
	it('Delete Document', async () => {
		await index('a', 'b');
		const items = await withFile('a\nb\n', 'ids.txt');
		const { output } = await remove(items, { idSource: 'file', fileFormat: 'lines' }, CONTINUE);
		expect(jsonOf(output)).toMatchObject([{}, { deleted: 2, failed: 0 }]);
		expect(sent('delete')).toHaveLength(2);
	});

	it('Push Documents', async () => {
		const items = await withFile('{"id":"a","name":"A"}\n{"id":"b"}\n', 'documents.jsonl');
		const { output } = await push(items, { documentSource: 'file' }, CONTINUE);
		expect(jsonOf(output)).toMatchObject([{}, { pushed: 1, failed: 1 }]);
		expect(Object.keys(output[1].binary ?? {})).toEqual(['failed']);
		expect(sent('push')).toHaveLength(1);
	});

	it('with several files per item, once all of them were processed', async () => {
		const document = (id: string) => `{"id":"${id}","name":"A"}\n`;
		const [, first] = await withFile(document('a'), 'a.jsonl');
		const [, second] = await withFile(document('b'), 'b.jsonl');
		const both = { ...first, binary: { a: binaryOf(first), b: binaryOf(second) } };
		const broken = { ...first, binary: { a: binaryOf(first), b: await empty() } };
		const parameters = { documentSource: 'file', binaryPropertyName: 'a, b' };
		const items = [{ json: {} }, both, broken] as unknown as IDataObject[];
		const { output } = await push(items, parameters, CONTINUE);
		expect(jsonOf(output).map(({ file, error }) => file ?? typeof error)).toEqual([
			'string',
			'a.jsonl',
			'b.jsonl',
			'a.jsonl',
			'string',
		]);
		// The two of the first item once, that of the broken one with each of three tries.
		expect(sent('push')).toHaveLength(2 + 3);
	});
});

describe('Migrate Blobs', () => {
	const CONFIRMED = { confirm: true };

	it.each([[RETRY], [CONTINUE]])(
		'does not start a migration that may still be running once more: %j',
		async (settings) => {
			sandbox().faults.add({ route: 'convert', status: 504 });
			const { error, output } = await migrate([{}, {}], CONFIRMED, settings);
			const message = error?.message ?? output[0].json.error;
			expect(message).toMatch(/status 504.*so it is unknown whether the blob manifests were/);
			expect(sent('convert')).toHaveLength(1);
		},
	);

	it('migrates each item once', async () => {
		const { output } = await migrate(
			[{ confirm: false }, { confirm: true }, { confirm: true }],
			{ confirm: '={{ $json.confirm }}', options: { oncePerItem: true } },
			CONTINUE,
		);
		expect(jsonOf(output).map(({ migrated }) => migrated)).toEqual([undefined, true, true]);
		expect(sent('convert')).toHaveLength(2);
	});

	it('starts one again that the service has refused', async () => {
		sandbox().faults.add({ route: 'convert', status: 500, times: 1 });
		const { output } = await migrate([{}], CONFIRMED, RETRY);
		expect(jsonOf(output)).toMatchObject([{ migrated: true }]);
		expect(sent('convert')).toHaveLength(2);
	});
});
