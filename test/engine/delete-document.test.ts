import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { deleteAction } from '../../nodes/shared/service/outcome-messages';
import { PATHS } from '../../nodes/shared/service/url';
import { DEMO, type FaultRule } from '../../sandbox';
import { push } from '../../support/sandbox-client';
import type { RunResult } from '../../support/engine';
import {
	TO_ERROR_OUTPUT,
	CONTINUE,
	hintsOf,
	indexes,
	jsonOf,
	pairedIndexes,
	HANGS,
	stopped,
	useNodes,
} from '../../support/sandbox';
import { maybeDone, naming, notDone } from '../../support/wording';

const { sandbox, runnerOf } = useNodes();
const remove = runnerOf(new DeleteDocument());

const fault = (rule: Omit<FaultRule, 'route'>) =>
	sandbox().faults.add({ route: 'delete', ...rule });
const items = (...ids: unknown[]) => ids.map((id) => ({ id })) as IDataObject[];
const ids = (count: number) => indexes(count).map((at) => `d${at}`);
const index = async (list: string[]) => {
	await push(
		sandbox(),
		list.map((id) => ({ id, name: id })),
	);
	sandbox().requests.length = 0;
};
const indexed = () =>
	sandbox()
		.documents(DEMO.endpoint)
		.map(({ id }) => id);
const PATH = `/site-search${PATHS.push}/docs/`;
const requests = () =>
	sandbox().requests.map(({ path, query }) => [
		decodeURIComponent(path.slice(PATH.length)),
		query.commit,
	]);
const sentIds = () => requests().map(([id]) => id);
const committed = () =>
	requests()
		.filter(([, commit]) => commit === 'true')
		.map(([id]) => id);
const CHUNKS_STAY = expect.stringMatching(/^No deleted ID has the form of a chunk ID/) as string;

describe('ids', () => {
	it('come from an expression, one request each without a body', async () => {
		await index(ids(3));
		const result = await remove([{ key: 'd0' }, { key: 'd2' }], {
			documentId: '={{ $json.key }}',
		});
		expect(result.output).toEqual([
			{ json: { deleted: true, id: 'd0' }, pairedItem: { item: 0 } },
			{ json: { deleted: true, id: 'd2' }, pairedItem: { item: 1 } },
		]);
		expect(sandbox().requests).toHaveLength(2);
		for (const request of sandbox().requests) {
			expect(request).toMatchObject({
				method: 'DELETE',
				query: {},
				headers: { 'x-api-key': '***' },
				bodyBytes: 0,
			});
		}
		sandbox().commit();
		expect(indexed()).toEqual(['d1']);
	});

	it('are the IDs of chunks if Chunk Count is set, as in a list', async () => {
		await index(['a', 'a#0', 'a#1', 'a#2', 'b']);
		const chunks = [{ id: 'a', chunks: 2 }, { id: 'b' }, { id: 'a', chunks: '1' }];
		const options = { chunkCount: '={{ $json.chunks ?? 0 }}' };
		const perDocument = await remove(chunks, { options });
		expect(pairedIndexes(perDocument)).toEqual([0, 0, 1, 2]);
		sandbox().commit();
		expect(indexed()).toEqual(['a', 'a#2']);
		const perItem = await remove(chunks, { options: { ...options, output: 'perInputItem' } });
		expect(jsonOf(perItem.output)).toEqual([
			{ deleted: 2, failed: 0 },
			{ deleted: 1, failed: 0 },
			{ deleted: 1, failed: 0 },
		]);
	});

	it.each([
		[100_001, '100001'],
		['={{ "x" }}', '"x"'],
		['={{ $json.noSuchField }}', 'undefined'],
		['={{ null }}', 'null'],
		['={{ "" }}', '""'],
	])('are refused with Chunk Count %s', async (chunkCount, shown) => {
		const { error } = await remove(items('a'), { options: { chunkCount } });
		expect(error?.message).toEqual(naming("'Chunk Count'", shown));
		expect(requests()).toEqual([]);
	});

	it('come from a list field, dotted or not', async () => {
		await index(ids(5));
		const parameters = { idSource: 'list', listField: 'gone.ids' };
		const result = await remove(
			[{ gone: { ids: ['d0', 'd1'] } }, { 'gone.ids': ['d3'] }, { gone: { ids: [] } }],
			parameters,
		);
		expect(jsonOf(result.output)).toEqual([
			{ deleted: true, id: 'd0' },
			{ deleted: true, id: 'd1' },
			{ deleted: true, id: 'd3' },
			{ deleted: false, reason: 'The list of IDs is empty' },
		]);
		expect(pairedIndexes(result)).toEqual([0, 0, 1, 2]);
		sandbox().commit();
		expect(indexed()).toEqual(['d2', 'd4']);
	});

	it('must be a list in a list field', async () => {
		const parameters = { idSource: 'list' };
		const { error } = await remove([{ ids: ['a'] }, { ids: 'a,b' }], parameters);
		expect(error?.message).toBe("The field 'ids' is not a list");
		expect(sandbox().requests).toEqual([]);
	});

	const tricky = [
		' spaces around ',
		'%2e%2e',
		'a/../b',
		'...',
		'ünï-漢字-😀',
		'https://a.example/page?x=1&y=2#top',
		'a+b&commit=true',
		'\'"\\;:@$,!()*\t\n',
	];

	it('delete the document they name, whatever characters they contain', async () => {
		await index([...tricky, 'b', 'stays']);
		const result = await remove(items(...tricky));
		expect(jsonOf(result.output)).toEqual(tricky.map((id) => ({ deleted: true, id })));
		for (const { path, query } of sandbox().requests) {
			expect(path.slice(PATH.length)).toMatch(/^[^/?#]+$/);
			expect(query).toEqual({});
		}
		expect(sentIds().sort()).toEqual([...tricky].sort());
		sandbox().commit();
		expect(indexed()).toEqual(['b', 'stays']);
	});

	it.each<[unknown, string]>([
		['..', `'Document ID' must not be ".."`],
		['', "'Document ID' is empty"],
		['4.00638E+12', "'Document ID' is 4.00638E+12: a spreadsheet has shortened the number"],
	])('that name no document are refused before any request: %j', async (bad, message) => {
		const list = ['d0', bad, 'd1'].map((id) => ({ id: id as string, other: 'x' }));
		const stopped = await remove(list);
		expect(stopped.error).toMatchObject({
			name: 'NodeOperationError',
			message,
			context: { itemIndex: 1 },
		});
		expect(stopped.error?.description).toBeTruthy();
		expect(sandbox().requests).toEqual([]);

		const result = await remove(list, {}, TO_ERROR_OUTPUT);
		expect(sentIds().sort()).toEqual(['d0', 'd1']);
		expect(pairedIndexes(result)).toEqual([0, 2, 1]);
		expect(result.errorOutput[0].json.error).toBe(`${message} (item 1)`);
	});

	it('of blank rows are skipped, unless all rows are blank', async () => {
		const blank = { id: '', name: null, note: ' ' };
		for (const parameters of [{}, { idSource: 'list', listField: 'id' }]) {
			const row = { id: parameters.idSource ? (['d0'] as unknown as string) : 'd0' };
			const result = await remove([{}, row, blank], parameters);
			expect(jsonOf(result.output)).toEqual([{ id: 'd0', deleted: true }]);
			expect(hintsOf(result)).toContain('2 blank rows skipped');
			expect((await remove([{}, blank], parameters)).error).toBeDefined();
		}
	});

	it.each<[unknown]>([[['b']], ['']])(
		'of a list that name no document are reported with their position: %j',
		async (bad) => {
			const list = [{ ids: ['a', 'a', bad, 'c'] as IDataObject[string] }];
			const result = await remove(list, { idSource: 'list' }, CONTINUE);
			expect(sentIds().sort()).toEqual(['a', 'c']);
			expect(jsonOf(result.output)).toContainEqual(
				expect.objectContaining({
					error: naming('Entry 2', 'item 0'),
					advice: expect.stringMatching(/^Each entry must be the ID of one document/),
				}),
			);
			const { error } = await remove(list, { idSource: 'list' });
			expect(error?.description).toMatch(/^Each entry must be the ID of one document/);
		},
	);

	it('are deleted once even if they occur twice, and every item is returned', async () => {
		await index(ids(3));
		const list = [{ ids: ['d0', 'd1', 'd0'] }, { ids: ['d1', 'd2'] }, { ids: ['d0'] }];
		const result = await remove(list, { idSource: 'list' });
		expect(sentIds().sort()).toEqual(['d0', 'd1', 'd2']);
		const answered = result.output.map(({ json, pairedItem }) => [
			(pairedItem as { item: number }).item,
			json.id,
		]);
		expect(answered.map(String).sort()).toEqual(['0,d0', '0,d1', '1,d1', '1,d2', '2,d0']);
		expect(jsonOf(result.input)).toEqual(list);
	});
});

describe('commit', () => {
	const deleteWith = async (
		commit: string,
		list: string[],
		settings: Parameters<typeof remove>[2] = {},
		options: IDataObject = {},
	) => await remove(items(...list), { commit, options: options as never }, settings);
	const NOT_COMMITTED =
		/^The deletes may not be committed yet\. The documents stay searchable until/;

	it('is part of the last delete, which is sent after all others have been answered', async () => {
		await index(ids(10));
		fault({ latencyMs: 30 });
		const result = await deleteWith('lastDeleteOnly', ids(9));
		expect(committed()).toEqual(['d8']);
		const { requests: sent } = sandbox();
		const last = sent[8];
		expect(last.query).toEqual({ commit: 'true' });
		for (const { endedAt } of sent.slice(0, 8)) {
			expect(endedAt).toBeLessThanOrEqual(last.startedAt);
		}
		expect(indexed()).toEqual(['d9']);
		expect(pairedIndexes(result)).toEqual(indexes(9));
	});

	it('is sent for the deleted documents even if other deletes failed', async () => {
		await index(ids(5));
		sandbox().settings.unknownDeleteStatus = 404;
		const result = await deleteWith(
			'lastDeleteOnly',
			['d0', 'unknown', 'd1', 'd2'],
			TO_ERROR_OUTPUT,
		);
		expect(requests().at(-1)).toEqual(['d2', 'true']);
		expect(indexed()).toEqual(['d3', 'd4']);
		expect(pairedIndexes(result)).toEqual([0, 2, 3, 1]);
	});

	it.each([
		['fails', {}],
		['is not found', { ignoreNotFound: true }],
	])('is left to the service, with a hint, if the last one %s', async (_case, options) => {
		await index(ids(2));
		sandbox().settings.unknownDeleteStatus = 404;
		const list = ['d0', 'd1', 'unknown'];
		const result = await deleteWith('lastDeleteOnly', list, TO_ERROR_OUTPUT, options);
		expect(committed()).toEqual(['unknown']);
		expect(requests()).toHaveLength(3);
		expect(pairedIndexes(result)).toEqual([0, 1, 2]);
		expect(hintsOf(result)).toContainEqual(expect.stringMatching(NOT_COMMITTED));
	});

	it('is not sent if nothing was deleted', async () => {
		fault({ status: 400 });
		await deleteWith('lastDeleteOnly', ids(3), {}, { concurrency: 1 });
		expect(committed()).toEqual([]);
		expect(requests()).toHaveLength(1);
	});
});

describe('what is known of the commit', () => {
	const committedOf = (result: RunResult) =>
		jsonOf(result.output).map(({ committed }) => committed);

	it.each<[commit: string, sent: string[], committed: unknown[], hint: RegExp]>([
		[
			'everyDelete',
			['d0', 'd1', 'd2'],
			[true, true, true],
			/^3 deletes accepted\. The service accepted the commit/,
		],
		[
			'lastDeleteOnly',
			['d2'],
			[true, true, true],
			/^3 deletes accepted\. The service accepted the commit/,
		],
		[
			'serviceDefault',
			[],
			[undefined, undefined, undefined],
			/^3 deletes accepted\. The documents stay searchable until the service commits, about once a minute\. The service does not say whether the documents existed\.$/,
		],
	])('is in the output and in a hint: %s', async (commit, sent, answers, hint) => {
		await index(ids(3));
		const result = await remove(items(...ids(3)), { commit });
		expect(committed().sort()).toEqual(sent);
		expect(indexed()).toEqual(commit === 'serviceDefault' ? ids(3) : []);
		expect(committedOf(result)).toEqual(answers);
		expect(hintsOf(result)).toEqual([expect.stringMatching(hint), CHUNKS_STAY]);
	});
});

describe('a failure that would affect all requests', () => {
	const parameters = { commit: 'lastDeleteOnly', options: { concurrency: 1 } };
	const HINT = /^The deletes may not be committed yet\. The documents? stays? searchable until/;

	it.each([401, 307])('prevents the last delete: %i', async (status) => {
		await index(ids(4));
		fault({ status, skip: 1, times: 1 });
		const result = await remove(items(...ids(4)), parameters, TO_ERROR_OUTPUT);
		expect(sentIds()).toEqual(['d0', 'd1']);
		expect(pairedIndexes(result)).toEqual(indexes(4));
		expect(jsonOf(result.errorOutput)).toEqual(
			['d1', 'd2', 'd3'].map((id) =>
				expect.objectContaining({
					id,
					httpStatus: status,
					error: naming(status, notDone(deleteAction(id))),
				}),
			),
		);
		expect(hintsOf(result)).toEqual([
			"3 of 4 documents failed. See the field 'error' in the Error output.",
			expect.stringMatching(HINT),
			CHUNKS_STAY,
		]);
	});
});

describe('a document the service does not know', () => {
	beforeEach(() => {
		sandbox().settings.unknownDeleteStatus = 404;
	});

	it('fails its item', async () => {
		await index(['d0']);
		const result = await remove(items('unknown', 'd0'), {}, TO_ERROR_OUTPUT);
		expect(jsonOf(result.output)).toEqual([{ deleted: true, id: 'd0' }]);
		expect(jsonOf(result.errorOutput)).toMatchObject([
			{
				id: 'unknown',
				httpStatus: 404,
				error: naming(
					404,
					`"There is no document 'unknown'"`,
					notDone(deleteAction('unknown')),
				),
				advice: naming("'Ignore Not Found'"),
			},
		]);
		expect(sandbox().requests).toHaveLength(2);
	});

	it('stops with advice on the option', async () => {
		const { error } = await remove(items('unknown'), {});
		expect(error?.description).toMatch(
			/^Check 'Push Service URL' in the credential and the ID\. If unknown IDs are fine, turn on/,
		);
	});

	it('counts as done with Ignore Not Found', async () => {
		await index(['d0']);
		const { output, status } = await remove(items('unknown', 'd0'), {
			options: { ignoreNotFound: true },
		});
		expect(status).toBe('success');
		expect(jsonOf(output)).toEqual([
			{ deleted: false, notFound: true, id: 'unknown' },
			{ deleted: true, id: 'd0' },
		]);
	});

	it.each(['x/y', 'd0 x/y a/b unknown'])('has no hint at a proxy: %s', async (sent) => {
		await index(['d0', 'a/b']);
		const options = { ignoreNotFound: true };
		const result = await remove(items(...sent.split(' ')), { options });
		expect(hintsOf(result).join()).not.toContain('proxy');
	});

	it.each(
		[false, true].flatMap((ignoreNotFound) =>
			(['afterWork', 'midBody'] as const).map((reset) => [reset, ignoreNotFound] as const),
		),
	)(
		'was deleted by an earlier attempt of the node: %s, Ignore Not Found %j',
		async (reset, ignoreNotFound) => {
			await index(['d0', 'd1']);
			fault({ reset, times: 1 });
			const parameters = { commit: 'everyDelete', options: { ignoreNotFound } };
			const result = await remove(items('d0'), parameters);
			expect(sandbox().requests.map(({ status }) => status)).toEqual([0, 404]);
			expect(jsonOf(result.output)).toEqual([{ deleted: true, id: 'd0' }]);
			expect(hintsOf(result)).toContain('A request was repeated after a temporary error');
			expect(indexed()).toEqual(['d1']);
		},
	);

	it('was deleted by an earlier attempt, which says nothing about other IDs', async () => {
		await index(['d0']);
		fault({ reset: 'afterWork', times: 1 });
		const ids = items('d0', 'unknown', 'd0-other');
		const result = await remove(ids, { options: { concurrency: 1 } }, CONTINUE);
		expect(jsonOf(result.output)).toEqual([
			{ deleted: true, id: 'd0' },
			expect.objectContaining({ id: 'unknown', httpStatus: 404 }),
			expect.objectContaining({ id: 'd0-other', httpStatus: 404 }),
		]);
	});

	it.each([408, 500, 502, 503])(
		'may have been deleted by an attempt with status %d, so it does not count as not found',
		async (status) => {
			fault({ status, times: 1 });
			const result = await remove(items('d0'), { options: { ignoreNotFound: true } });
			expect(sandbox().requests.map((each) => each.status)).toEqual([status, 404]);
			expect(jsonOf(result.output)).toEqual([{ deleted: true, id: 'd0' }]);
		},
	);

	it('counts as not found if no earlier attempt can have deleted it', async () => {
		fault({ status: 429, times: 1 });
		const result = await remove(items('unknown'), {}, CONTINUE);
		expect(sandbox().requests.map(({ status }) => status)).toEqual([429, 404]);
		expect(jsonOf(result.output)).toEqual([
			expect.objectContaining({ id: 'unknown', httpStatus: 404 }),
		]);
	});
});

describe('faults', () => {
	it('end with Stop in the editor, and the error says how many were deleted', async () => {
		fault({ ...HANGS, skip: 3 });
		const parameters = { commit: 'lastDeleteOnly', options: { concurrency: 2 } };
		const { error, output } = await stopped(
			sandbox(),
			[5],
			async (stop) => await remove(items(...ids(8)), parameters, stop),
		);
		expect(output).toEqual([]);
		expect(error?.message).toMatch(/canceled.* 3 of 8 .*'Ignore Not Found'/);
		expect(requests()).toHaveLength(5);
		expect(committed()).toEqual([]);
	});
});

describe('a 2xx response that reports a failure', () => {
	it.each<[object, string]>([
		[{ id: 'd0', error: 'locked' }, '"locked"'],
		[{ id: 'd0', status: 423 }, '423'],
	])('does not count as a delete: %j', async (body, said) => {
		fault({ status: 200, body: JSON.stringify(body), times: 1 });
		const { output } = await remove(
			items('d0', 'd1'),
			{ options: { concurrency: 1 } },
			CONTINUE,
		);
		expect(jsonOf(output)[0]?.error).toContain(said);
		expect(jsonOf(output)[1]).toMatchObject({ id: 'd1', deleted: true });
	});
});

it.each([
	[[['a'], ['a', 'a']]],
	[[['a', 'a'], ['a']]],
	[[['a', 'b', 'a'], ['b']]],
	[[['a'], ['b'], ['b', 'a', 'a', 'b']]],
	[[['a'], ['a'], ['a', 'a']]],
])('an ID in several lists is deleted once and linked once to each item: %j', async (lists) => {
	const ids = [...new Set(lists.flat())];
	const inputs = lists.map((list) => ({ ids: list }));
	const result = await remove(inputs, { idSource: 'list', options: { ignoreNotFound: true } });
	expect(sandbox().requests).toHaveLength(ids.length);
	const linked = result.output.map(({ json, pairedItem }) => [
		(pairedItem as { item: number }).item,
		json.id,
	]);
	expect(linked.sort()).toEqual(
		lists.flatMap((list, item) => [...new Set(list)].sort().map((id) => [item, id])),
	);
	const options = { ignoreNotFound: true, output: 'perInputItem' };
	const { output } = await remove(inputs, { idSource: 'list', options });
	const totals = output.map(({ json }) => Number(json.deleted) + Number(json.notFound ?? 0));
	expect(totals).toEqual(lists.map((list) => new Set(list).size));
});

describe('a 404 that may not come from the service', () => {
	const IGNORING = { options: { ignoreNotFound: true, concurrency: 1 } };
	const page = { status: 404, body: 'default backend - 404', contentType: 'text/plain' };
	const found = ({ output }: Awaited<ReturnType<typeof remove>>) =>
		jsonOf(output).map(({ notFound, error }) => notFound ?? error ?? 'deleted');

	it('fails if it is text, until a delete has succeeded', async () => {
		await index(['d1']);
		fault({ ...page, times: 1 });
		fault({ ...page, skip: 1 });
		const result = await remove(items('d0', 'd1', 'd2'), IGNORING, CONTINUE);
		expect(found(result)).toEqual([expect.stringContaining('status 404'), 'deleted', true]);
	});

	it('is accepted as text once an ID with a slash was deleted', async () => {
		await index(['a/known']);
		fault({ ...page, skip: 1 });
		const result = await remove(items('a/known', 'd0'), IGNORING, CONTINUE);
		expect(found(result)).toEqual(['deleted', true]);
	});

	it('fails if it is text and the ID has a slash, with a hint', async () => {
		await index(['d1']);
		fault({ ...page, skip: 1 });
		const result = await remove(items('d1', 'a/b'), IGNORING, CONTINUE);
		expect(found(result)).toEqual(['deleted', expect.stringContaining('status 404')]);
		expect(hintsOf(result)).toContain(
			'The service answered with status 404 for all IDs with a slash, and for no others. Check whether a proxy rejects or decodes %2F in paths.',
		);
		fault(page);
		const { error } = await remove(items('a/b'), IGNORING);
		expect(error?.description).toMatch(/'Push Service URL'.*%2F/);
	});

	it('fails with JSON too if the ID has a slash, until another ID with a slash was deleted', async () => {
		await index(['d1', 'a/known']);
		const json = { status: 404, body: '{"message":"Not Found"}' };
		fault({ ...json, skip: 1, times: 1 });
		fault({ ...json, skip: 2 });
		const result = await remove(items('d1', 'a/x', 'a/known', 'a/y'), IGNORING, CONTINUE);
		expect(found(result)).toEqual([
			'deleted',
			expect.stringContaining('status 404'),
			'deleted',
			true,
		]);
		fault(json);
		const { error } = await remove(items('a/x'), IGNORING);
		expect(error?.message).toContain(maybeDone(deleteAction('a/x')));
		expect(error?.description).toMatch(
			/^It is unknown whether the document exists, because a proxy /,
		);
	});
});

describe('IDs of documents that were chunked', () => {
	const HINT = /^No deleted ID has the form of a chunk.*option 'Chunk Count'/;
	const list = { idSource: 'list', listField: '={{ $json.ids }}' };

	it.each<[string[], INodeParameters, boolean]>([
		[['a', 'b'], list, true],
		[['a', 'b#12'], list, false],
		[['a'], { documentId: '={{ $json.ids[0] }}' }, true],
		[['a'], { documentId: '={{ $json.ids[0] }}', options: { chunkCount: 2 } }, false],
		[['a'], { documentId: '={{ $json.ids[0] }}', options: { chunkCount: 0 } }, false],
	])('%j, %j: a hint says that chunks stay: %j', async (listed, parameters, expected) => {
		const result = await remove([{ ids: listed }], parameters);
		expect(hintsOf(result).some((hint) => HINT.test(hint))).toBe(expected);
	});
});

it.each(['everyDelete', 'lastDeleteOnly'])(
	'a dry run sends nothing, commit: %s',
	async (commit) => {
		await index(ids(2));
		const result = await remove(
			items('d0', 'd1', 'd0', ['x']),
			{ commit, options: { dryRun: true } },
			CONTINUE,
		);
		expect(jsonOf(result.output)).toMatchObject([
			{ id: 'd0', deleted: false, dryRun: true },
			{ id: 'd1', deleted: false, dryRun: true },
			{ id: 'd0', deleted: false, dryRun: true },
			{
				error: naming("'Document ID'"),
				advice: expect.stringMatching(/choose 'List in a Field'/),
			},
		]);
		expect(hintsOf(result)).toContain('Dry run: 2 IDs checked. Nothing was sent.');
		expect(sandbox().requests).toHaveLength(0);
		expect(indexed()).toEqual(ids(2));
	},
);

it.each<[string, Omit<FaultRule, 'route'>]>([
	['status 500', { status: 500 }],
	['a reset', { reset: 'beforeResponse' }],
	['a reset within the response', { reset: 'midBody' }],
])('a single delete that always receives %s is named as the cause', async (_failure, rule) => {
	await index(ids(12));
	fault({ ...rule, whenPathEndsWith: '/d3' });
	const parameters = {
		documentId: '={{ $json.id }}',
		options: { concurrency: 2, retryForSeconds: 1 },
	};
	const { errorOutput } = await remove(items(...ids(12)), parameters, TO_ERROR_OUTPUT);
	expect(jsonOf(errorOutput)).toEqual([
		expect.objectContaining({
			id: 'd3',
			advice: expect.stringMatching(
				/^Requests without this document succeed, .*leave it out/,
			),
		}),
	]);
	expect(new Set(sentIds())).toEqual(new Set(ids(12)));
});
