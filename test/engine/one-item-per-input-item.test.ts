/**
 * Tests Push Documents and Delete Document with one result per input item. Each result contains either the item's
 * counts or one failure.
 */
import type { IDataObject } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO, type FaultRule } from '../../sandbox';
import { push as index } from '../../support/sandbox-client';
import {
	CONTINUE,
	TO_ERROR_OUTPUT,
	indexes,
	jsonOf,
	pairedIndexes,
	useNodes,
} from '../../support/sandbox';
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

	const KEPT = { keepSourceFields: 'listed', sourceFieldsToKeep: 'key, meta.sku, none' };

	it.each([
		['Continue', CONTINUE],
		['Continue (using error output)', TO_ERROR_OUTPUT],
	])('keeps the listed fields of items that succeed or fail: %s', async (_name, onError) => {
		fault({ route: 'push', status: 400, whenBodyContains: '"x"' });
		const items = [
			{ key: 0, meta: { sku: 's0' }, other: 1, documents: documents('a') },
			{ key: 1, meta: { sku: 's1' }, other: 1, documents: documents('b', 'x') },
			{ key: 2, meta: { sku: 's2' }, other: 1, documents: [] },
			{ key: 3, meta: { sku: 's3' }, other: 1, documents: '[' },
			{ key: 4, meta: { sku: 's4' }, other: 1, documents: { id: 'c' } },
		];
		const { output, errorOutput } = await push(items, KEPT, onError);
		const all = jsonOf([...output, ...errorOutput]);
		const found = Object.fromEntries(all.map((json) => [String(json.key), json]));
		expect(Object.keys(found)).toEqual(['0', '1', '2', '3', '4']);
		expect(found[0]).toEqual({ key: 0, 'meta.sku': 's0', pushed: 1, failed: 0 });
		expect(found[2]).toEqual({ key: 2, 'meta.sku': 's2', pushed: 0, failed: 0 });
		expect(found[1]).toMatchObject({
			'meta.sku': 's1',
			pushed: 1,
			failed: 1,
			failedIds: ['x'],
		});
		expect(found[3]).toMatchObject({ 'meta.sku': 's3', pushed: 0, failed: 1, failedIds: [] });
		expect(found[4]).toMatchObject({
			'meta.sku': 's4',
			pushed: 0,
			failed: 1,
			failedIds: ['c'],
		});
		// n8n adds all fields of the input to items in the error output.
		if (onError === CONTINUE) expect(all.filter((json) => 'other' in json)).toEqual([]);
	});

	it('lists no blank ID', async () => {
		const { output } = await push([{ documents: [document('a'), { id: ' ', name: 'A' }] }], {}, CONTINUE);
		expect(output[0].json).toMatchObject({ pushed: 1, failed: 1, failedIds: [] });
	});

	it('keeps no fields without the option, with None or with another output', async () => {
		const mixed = [{ key: 7, documents: [document('a'), { id: 'b' }] }];
		for (const options of [
			{ sourceFieldsToKeep: 'key' },
			{ keepSourceFields: 'none', sourceFieldsToKeep: 'key' },
			// If the output is an expression, n8n cannot remove the options that do not apply.
			{ ...KEPT, output: '={{ "perDocument" }}' },
			{ ...KEPT, output: '={{ "summary" }}' },
		]) {
			const all = jsonOf((await push(mixed, options, CONTINUE)).output);
			expect(all.filter(({ error }) => error)).toHaveLength(1);
			expect(all.filter((json) => 'key' in json)).toEqual([]);
		}
		const items = [{ key: 7, documents: document('a') }];
		const { output } = await push(items, KEPT, {});
		expect(jsonOf(output)).toEqual([{ key: 7, pushed: 1, failed: 0 }]);
	});

	it("never keeps a field that could be mistaken for the node's own", async () => {
		const own = {
			...{ pushed: 9, skipped: 9, checked: 9, dryRun: true, failed: 9, failures: [9] },
			...{ failedIds: ['a'], error: 'No', advice: 'None', httpStatus: 9, progress: 'None' },
		};
		const options = { ...KEPT, sourceFieldsToKeep: ['deleted', ...Object.keys(own)].join() };
		const items = ['a', 'b'].map((id) => ({ ...own, deleted: 3, documents: document(id) }));
		fault({ route: 'push', status: 400, whenBodyContains: '"b"' });
		const { output } = await push(items, options, CONTINUE);
		const [done, failed] = jsonOf(output);
		expect(done).toEqual({ deleted: 3, pushed: 1, failed: 0 });
		expect(failed).toMatchObject({ deleted: 3, pushed: 0, failed: 1, httpStatus: 400 });
		expect(failed.error).toEqual(naming('b'));
		expect(failed).not.toHaveProperty('skipped');
	});

	it('keeps fields if the run ends before any document is read', async () => {
		const { output } = await pushNode(
			[{ key: 7, documents: document('a') }],
			{
				documentSource: 'json',
				documentJson: '={{ $json.documents }}',
				options: { output: 'perInputItem', ...KEPT } as never,
			},
			{ ...CONTINUE, credentials: {} },
		);
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({ key: 7, error: expect.any(String) as string }),
		]);
	});

	it('lists the IDs of all failed documents, of which only 100 are described', async () => {
		const rejected = indexes(100).map((at) => `r${at}`);
		fault({
			route: 'push',
			status: 200,
			body: JSON.stringify({ errors: rejected.map((id) => ({ id, error: 'No' })) }),
		});
		const list = indexes(100).flatMap((at) => [
			document(`r${at}`),
			{ id: `n${at}` },
			...documents(`a${at}`, `b${at}`, `c${at}`),
		]);
		const { output } = await push([{ key: 1, documents: list }], KEPT, CONTINUE);
		const [json] = jsonOf(output);
		expect(json).toMatchObject({ key: 1, pushed: 300, failed: 200 });
		expect(json.failures).toHaveLength(100);
		const withoutName = indexes(100).map((at) => `n${at}`);
		expect(json.failedIds).toEqual([...withoutName, ...rejected]);
	});

	it('checks, keeps fields and lists failed IDs in a dry run', async () => {
		const items = [{ key: 1, documents: [document('a'), { id: 'b' }] }];
		const { output } = await push(items, { ...KEPT, dryRun: true }, CONTINUE);
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({
				key: 1,
				dryRun: true,
				checked: 1,
				failed: 1,
				failedIds: ['b'],
			}),
		]);
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

	const KEPT = { keepSourceFields: 'listed', sourceFieldsToKeep: 'key, pushed, notFound, error' };

	it.each([
		['Continue', CONTINUE],
		['Continue (using error output)', TO_ERROR_OUTPUT],
	])('keeps the listed fields, except its own: %s', async (_name, onError) => {
		const source = { pushed: 5, notFound: 5, error: 'Earlier' };
		const items = [
			{ ...source, key: 0, removedIds: ['a', 'b'] },
			{ ...source, key: 1, removedIds: ['c', 'x', '..'] },
			{ ...source, key: 2, removedIds: [] },
			{ ...source, key: 3, removedIds: 'none' },
		];
		const { output, errorOutput } = await remove(items, KEPT, onError);
		const all = jsonOf([...output, ...errorOutput]);
		const found = Object.fromEntries(all.map((json) => [String(json.key), json]));
		expect(Object.keys(found)).toEqual(['0', '1', '2', '3']);
		expect(found[0]).toEqual({ key: 0, pushed: 5, deleted: 2, failed: 0 });
		expect(found[2]).toEqual({ key: 2, pushed: 5, deleted: 0, failed: 0 });
		expect(found[1]).toMatchObject({
			pushed: 5,
			deleted: 1,
			failed: 2,
			failedIds: ['..', 'x'],
		});
		expect(found[3]).toMatchObject({ pushed: 5, deleted: 0, failed: 1, failedIds: [] });
		for (const { error } of jsonOf(errorOutput)) expect(error).not.toBe('Earlier');
	});

	it('lists all failed IDs of a long list', async () => {
		const good = indexes(300).map((at) => `g${at}`);
		await index(sandbox(), good.map(document));
		const unknown = indexes(200).map((at) => `u${at}`);
		const removedIds = good.flatMap((id, at) => [id, ...(at < 200 ? [`u${at}`] : [])]);
		const { output } = await remove([{ key: 1, removedIds }], KEPT, CONTINUE);
		const [json] = jsonOf(output);
		expect(json).toMatchObject({ key: 1, deleted: 300, failed: 200 });
		expect(json.failures).toHaveLength(100);
		expect([...(json.failedIds as string[])].sort()).toEqual([...unknown].sort());
		expect(indexed()).toEqual(['a', 'b', 'c', 'd']);
	});

	it('checks, keeps fields and lists failed IDs in a dry run', async () => {
		const items = [{ key: 1, removedIds: ['a', '.', ''] }];
		const { output } = await remove(items, { ...KEPT, dryRun: true }, CONTINUE);
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({
				key: 1,
				dryRun: true,
				checked: 1,
				failed: 2,
				failedIds: ['.'],
			}),
		]);
		expect(indexed()).toEqual(['a', 'b', 'c', 'd']);
	});
});
