import changes from '../../../examples/src/code/changes';
import changesResult from '../../../examples/src/code/changes-result';
import type { Change, Chunked, Counted } from '../../../examples/src/parts/types';

const read = (body: unknown) => changes({ body }).map(({ json }) => json);

const document = { id: 'a', name: 'A', text: '# A' };

test('each document becomes one item, and copies are left out', () => {
	const call = {
		documents: [document, document, { id: 7, text: 'Seven', chunkCount: 2 }],
		deleted: [{ id: 'b', chunkCount: 3 }, 'c#1'],
	};
	expect(read(call)).toEqual([
		{ ...document, change: 'document' },
		{ id: 7, name: 7, text: 'Seven', previousChunkCount: 2, change: 'document' },
		{ id: 'b', previousChunkCount: 3, change: 'deleted' },
		{ id: 'c#1', previousChunkCount: 0, change: 'deleted' },
	]);
	expect(read({ deleted: ['a'] })).toHaveLength(1);
	expect(read({ documents: [document] })).toHaveLength(1);
});

test.each<[body: unknown, why: string]>([
	[undefined, 'the body has no list'],
	[[document], 'the body has no list'],
	[{ documents: [], deleted: [] }, 'the body has no list'],
	[{ documents: document }, 'the body has no list'],
	[{ documents: [document], deleted: 'b' }, 'the body has no list'],
	[{ documents: ['a'] }, `'documents' contains "a"`],
	[{ documents: [null] }, `'documents' contains null`],
	[{ documents: [{ id: ' ', text: 'A' }] }, 'a document has no ID'],
	[{ documents: [{ id: 1.5 }] }, 'a document has no ID'],
	[
		{ documents: [{ ...document, chunkCount: '2' }] },
		`the chunkCount of the document 'a' is "2"`,
	],
	[{ documents: [{ ...document, chunkCount: -1 }] }, `the chunkCount of the document 'a' is -1`],
	[{ deleted: [{ id: 'b' }] }, `the deleted document 'b' has no chunkCount`],
	[{ deleted: [''] }, `'deleted' contains ""`],
	[{ documents: [document, { ...document, text: 'B' }] }, `the ID 'a' occurs twice`],
	[{ documents: [document], deleted: ['a'] }, `the ID 'a' is both in documents and in deleted`],
	[
		{
			documents: [
				{ ...document, id: 1 },
				{ ...document, id: '1' },
			],
		},
		`the ID '1' occurs twice`,
	],
])('the call %j is not valid', (body, why) => {
	expect(read(body)).toEqual([
		{ change: 'invalid', problem: expect.stringContaining(why) as string },
	]);
});

const chunked = (count: number, more: Chunked = {}): Chunked => ({
	...{ chunkCount: count, removalsKnown: true, missingCharacters: 0 },
	documents: Array.from({ length: count }, () => ({})),
	removedIds: [],
	...more,
});

interface Run {
	change: Partial<Change>;
	text?: Chunked;
	push?: Counted;
	removal?: Counted;
}

const withIds = <Answer extends object>(answers: Answer[]) =>
	answers.map((answer, at) => ({ id: `d${at}`, ...answer }));

const result = (...runs: Run[]) =>
	changesResult({
		changes: runs.map(({ change }, at) => ({ id: `d${at}`, change: 'document', ...change })),
		texts: withIds(runs.map(({ text = {} }) => text)),
		pushes: withIds(runs.map(({ push = {} }) => push)),
		removals: withIds(runs.map(({ removal = {} }) => removal)),
		deletions: [],
	})[0].json;

test('a document that failed does not hide what succeeded', () => {
	const { status, pushed, failed, documents, error } = result(
		{ change: {}, text: { error: 'rejected' } },
		{
			change: { previousChunkCount: 3 },
			text: chunked(2, { removedIds: ['d1#2'] }),
			push: { pushed: 2 },
			removal: { deleted: 1 },
		},
		{
			change: { previousChunkCount: 5 },
			text: chunked(2),
			push: { error: { message: 'gone' } },
		},
	);
	expect({ status, pushed, failed }).toEqual({ status: 500, pushed: 1, failed: 2 });
	expect(error).toBe('2 of 3 documents failed. The first failure: rejected');
	expect(documents).toEqual([
		{ id: 'd0', status: 'failed', chunkCount: 0, error: 'rejected' },
		{ id: 'd1', status: 'pushed', chunkCount: 2 },
		{ id: 'd2', status: 'failed', chunkCount: 5, error: 'gone' },
	]);
});

test.each<[what: string, run: Run, expected: object]>([
	[
		'whose text is empty now is deleted',
		{
			change: { previousChunkCount: 1 },
			text: chunked(0, { removedIds: ['d0#0'] }),
			removal: { notFound: 1 },
		},
		{ status: 'deleted', chunkCount: 0 },
	],
	[
		'keeps the larger count if old chunks are unknown',
		{
			change: { previousChunkCount: 4 },
			text: chunked(2, { removalsKnown: false }),
			push: { pushed: 1, skipped: 1 },
		},
		{ status: 'pushed', chunkCount: 4 },
	],
	[
		'whose end is missing has failed',
		{ change: {}, text: chunked(1, { missingCharacters: 9 }), push: { pushed: 1 } },
		{ status: 'failed', chunkCount: 1, error: /last 9 characters of the document 'd0'/ },
	],
	[
		'without chunks has failed',
		{ change: {}, text: chunked(0, { removalsKnown: false }) },
		{ status: 'failed', chunkCount: 0, error: /no chunks for the document 'd0'/ },
	],
	[
		'without text and count has failed',
		{ change: {}, text: chunked(0) },
		{ status: 'failed', chunkCount: 0, error: /the document 'd0' is empty/ },
	],
	[
		'of which a chunk was not counted has failed',
		{ change: {}, text: chunked(2), push: { pushed: 1 } },
		{ status: 'failed', chunkCount: 2, error: /'d0' was not confirmed/ },
	],
	[
		'of which an old chunk was not counted has failed',
		{
			change: { previousChunkCount: 2 },
			text: chunked(1, { removedIds: ['d0#1'] }),
			push: { pushed: 1 },
		},
		{ status: 'failed', chunkCount: 2, error: /'d0' was not confirmed/ },
	],
])('a document %s', (_what, run, expected) => {
	const { documents } = result(run);
	const { error, ...rest } = expected as { error?: RegExp };
	expect(documents).toEqual([
		{ id: 'd0', ...rest, ...(error && { error: expect.stringMatching(error) as string }) },
	]);
});

test('results are found by the ID of their document, whatever their order', () => {
	const { changes: items, ...answers } = {
		changes: read({
			documents: [7, 'b'].map((id) => ({ id, text: 'A', chunkCount: 3 })),
			deleted: ['c', { id: 'd', chunkCount: 2 }],
		}) as Change[],
		texts: [
			{ id: 7, ...chunked(2, { removedIds: ['7#2'] }) },
			{ id: 'b', ...chunked(1, { removedIds: ['b#1', 'b#2'] }) },
		],
		pushes: [
			{ id: 7, pushed: 2 },
			{ id: 'b', pushed: 1 },
		],
		removals: [
			{ id: 7, deleted: 1 },
			{ id: 'b', deleted: 2 },
		],
		deletions: [
			{ id: 'c', deleted: 1 },
			{ id: 'd', deleted: 2 },
		],
	};
	const expected = [
		{ id: 7, status: 'pushed', chunkCount: 2 },
		{ id: 'b', status: 'pushed', chunkCount: 1 },
		{ id: 'c', status: 'deleted', chunkCount: 0 },
		{ id: 'd', status: 'deleted', chunkCount: 0 },
	];
	const documentsOf = () => changesResult({ changes: items, ...answers })[0].json.documents;
	expect(documentsOf()).toEqual(expected);
	for (const list of Object.values(answers)) {
		list.reverse();
		expect(documentsOf()).toEqual(expected);
		const lost = list.pop();
		const failed = documentsOf().filter(({ status }) => status === 'failed');
		expect(failed.map(({ id }) => id)).toEqual([lost?.id]);
		if (lost) (list as object[]).push(lost);
	}
});

test('an error without an ID is about all documents', () => {
	const changes = ['a', 'b'].map((id): Change => ({ id, change: 'document' }));
	const { documents } = changesResult({
		...{ changes, texts: [{ error: { message: 'No model.' } }], pushes: [], removals: [] },
		deletions: [],
	})[0].json;
	expect(documents).toEqual(
		['a', 'b'].map((id) => ({ id, status: 'failed', chunkCount: 0, error: 'No model.' })),
	);
});

test('a node that returns its input has confirmed nothing', () => {
	const fields = { problem: 'p', documents: [], removedIds: [], removalsKnown: true };
	const items = changes({
		body: { documents: [{ id: 'a', text: '', chunkCount: 2, ...fields }], deleted: ['b'] },
	}).map(({ json }) => json as Change);
	const [first, second] = items as Array<Chunked & Counted>;
	const { documents } = changesResult({
		...{ changes: items, texts: [first], pushes: [first], removals: [first] },
		deletions: [second],
	})[0].json;
	expect(documents).toEqual([
		{ id: 'a', status: 'failed', chunkCount: 2, error: "The document 'a' was not confirmed." },
		{ id: 'b', status: 'failed', chunkCount: 0, error: "The delete of 'b' was not confirmed." },
	]);
});

test('deletes are confirmed by their counts', () => {
	const { status, deleted, documents } = changesResult({
		changes: ['a', 'b', 'c', 'd'].map((id, at) => ({
			id,
			change: 'deleted',
			previousChunkCount: at,
		})),
		...{ texts: [], pushes: [], removals: [] },
		deletions: [
			{ id: 'a', deleted: 1 },
			{ id: 'b', deleted: 0, notFound: 1 },
			{ id: 'c', deleted: 1 },
			{ id: 'd', error: 'down', deleted: 1 },
		],
	})[0].json;
	expect({ status, deleted }).toEqual({ status: 500, deleted: 2 });
	expect(documents).toEqual([
		{ id: 'a', status: 'deleted', chunkCount: 0 },
		{ id: 'b', status: 'deleted', chunkCount: 0, notFound: 1 },
		{ id: 'c', status: 'failed', chunkCount: 2, error: "The delete of 'c' was not confirmed." },
		{ id: 'd', status: 'failed', chunkCount: 3, error: 'down' },
	]);
});

test('a call that is not valid is answered with what is expected', () => {
	const empty = { texts: [], pushes: [], removals: [], deletions: [] };
	const [{ json }] = changesResult({
		changes: [{ change: 'invalid', problem: 'the body has no list' }],
		...empty,
	});
	expect(json).toMatchObject({ status: 400, pushed: 0, deleted: 0, failed: 0 });
	expect(json.error).toMatch(
		/^Nothing was done: the body has no list\. Expected: \{ "documents"/,
	);
});
