/**
 * Tests Push Documents and Delete Document with one result per input item. Each result contains either the item's
 * counts or one failure.
 */
import type { IDataObject } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO, type FaultRule } from '../../sandbox';
import { push as index } from '../../support/sandbox-client';
import { TO_ERROR_OUTPUT, jsonOf, pairedIndexes, useNodes } from '../../support/sandbox';
import { naming } from '../../support/wording';

const { sandbox, runnerOf } = useNodes();
const pushNode = runnerOf(new PushDocuments());
const deleteNode = runnerOf(new DeleteDocument());

const document = (id: string): IDataObject => ({ id, name: id });
const documents = (...ids: string[]) => ids.map(document);
const indexed = () => {
	sandbox().commit();
	return sandbox()
		.documents(DEMO.endpoint)
		.map(({ id }) => id);
};
const fault = (rule: FaultRule) => sandbox().faults.add(rule);

describe('Push Documents', () => {
	const push = async (
		items: IDataObject[],
		options: IDataObject = {},
		settings: Parameters<typeof pushNode>[2] = TO_ERROR_OUTPUT,
	) =>
		await pushNode(
			items,
			{
				documentSource: 'json',
				documentJson: '={{ $json.documents }}',
				options: { output: 'perInputItem', ...options } as never,
			},
			settings,
		);

	it('counts what was pushed, and an empty list succeeds without a request', async () => {
		const result = await push([
			{ documents: documents('a', 'b') },
			{ documents: [] },
			{ documents: document('c') },
		]);
		expect(result.output).toEqual([
			{ json: { pushed: 2, failed: 0 }, pairedItem: { item: 0 } },
			{ json: { pushed: 0, failed: 0 }, pairedItem: { item: 1 } },
			{ json: { pushed: 1, failed: 0 }, pairedItem: { item: 2 } },
		]);
		expect(sandbox().requests).toHaveLength(1);
		expect(indexed()).toEqual(['a', 'b', 'c']);
	});

	it('fails an item once if a document cannot be sent, and pushes the others', async () => {
		const result = await push([
			{ documents: [document('a'), { id: 'b' }, 7, document('c')] },
			{ documents: documents('d') },
		]);
		expect(jsonOf(result.output)).toEqual([{ pushed: 1, failed: 0 }]);
		expect(pairedIndexes(result)).toEqual([1, 0]);
		const [failed] = jsonOf(result.errorOutput);
		expect(result.errorOutput).toHaveLength(1);
		expect(failed).toMatchObject({
			documents: [document('a'), { id: 'b' }, 7, document('c')],
			pushed: 2,
			failed: 2,
			failures: [{ id: 'b' }, { error: naming('Entry 2') }],
		});
		expect(failed.error).toMatch(
			/^Entry 1 \(zero-based\) of the list: .* \(2 of 4 documents failed\)$/,
		);
		expect(indexed()).toEqual(['a', 'c', 'd']);
	});

	it('fails every item whose document was in a failed request or was never sent', async () => {
		fault({ route: 'push', status: 401 });
		const result = await push(
			[{ documents: documents('a', 'b') }, { documents: documents('c') }, { documents: [] }],
			{ documentsPerRequest: 1, concurrency: 1 },
		);
		expect(jsonOf(result.output)).toEqual([{ pushed: 0, failed: 0 }]);
		expect(jsonOf(result.errorOutput)).toEqual([
			expect.objectContaining({ pushed: 0, failed: 2, httpStatus: 401 }),
			expect.objectContaining({ pushed: 0, failed: 1, httpStatus: 401 }),
		]);
		expect(sandbox().requests).toHaveLength(1);
	});

	it('fails an item whose document was replaced by a later document that fails', async () => {
		fault({ route: 'push', status: 400, whenBodyContains: '"b"' });
		const result = await push(
			[{ documents: documents('a', 'b') }, { documents: documents('b') }],
			{ documentsPerRequest: 1 },
		);
		expect(result.output).toEqual([]);
		expect(jsonOf(result.errorOutput)).toEqual([
			expect.objectContaining({ pushed: 1, failed: 1 }),
			expect.objectContaining({ pushed: 0, failed: 1 }),
		]);
	});

	it('reports after a dry run that documents were checked', async () => {
		const { output } = await push([{ documents: documents('a', 'b') }], { dryRun: true });
		expect(jsonOf(output)).toEqual([{ dryRun: true, checked: 2, failed: 0 }]);
		expect(sandbox().requests).toEqual([]);
	});
});

describe('Delete Document', () => {
	const remove = async (
		items: IDataObject[],
		options: IDataObject = {},
		settings: Parameters<typeof deleteNode>[2] = TO_ERROR_OUTPUT,
	) =>
		await deleteNode(
			items,
			{
				idSource: 'list',
				listField: '={{ $json.removedIds }}',
				options: { output: 'perInputItem', ...options } as never,
			},
			settings,
		);

	beforeEach(async () => {
		sandbox().settings.unknownDeleteStatus = 404;
		await index(sandbox(), documents('a', 'b', 'c', 'd'));
		sandbox().requests.length = 0;
	});

	it('fails an item once if any of its IDs fails, and deletes the others', async () => {
		const result = await remove([{ removedIds: ['a', '', 'x'] }, { removedIds: ['b'] }]);
		expect(jsonOf(result.output)).toEqual([{ deleted: 1, failed: 0 }]);
		expect(pairedIndexes(result)).toEqual([1, 0]);
		expect(result.errorOutput).toHaveLength(1);
		expect(jsonOf(result.errorOutput)[0]).toMatchObject({
			removedIds: ['a', '', 'x'],
			deleted: 1,
			failed: 2,
			error: expect.stringMatching(/^Entry 1 .* \(2 of 3 documents failed\)$/),
			failures: [{ error: expect.any(String) }, { id: 'x', httpStatus: 404 }],
		});
		expect(indexed()).toEqual(['c', 'd']);
	});
});
