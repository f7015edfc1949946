/** Tests the nodes of a sync that chunk, push and delete a batch, together with the Code node that reads their results. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import documentsOf from '../../examples/src/code/documents';
import batchRow from '../../examples/src/code/batch-row';
import { chunkText, deleteDocument, pushDocuments } from '../../examples/src/parts/sync';
import type { Batch, Chunked, Counted, Work } from '../../examples/src/parts/types';
import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { DEMO } from '../../sandbox';
import { useChunkText } from '../../support/chunking';
import { runPipeline } from '../../support/engine';
import { merged } from '../../support/item-by-item';
import { CONTINUE, jsonOf } from '../../support/sandbox';
import { push as index } from '../../support/sandbox-client';

const { sandbox, credentials, fault } = useChunkText({ unknownDeleteStatus: 404 });

const indexed = () => {
	sandbox().commit();
	return sandbox()
		.documents(DEMO.endpoint)
		.map(({ id }) => id)
		.sort();
};

const work = (id: string, text: string, chunks: number): Work => ({
	...{ id, version: 'new', chunks },
	document: { id, name: id, text },
});
const WORK = [
	work('shorter', '# One', 2),
	work('rejected', '# Rejected', 2),
	work('unpushed', '# Unpushed', 2),
	work('emptied', '', 2),
	{ id: 'gone', version: null, chunks: 2 },
	work('new', '# One\nA.\n# Two\nB.', 0),
];
const OLD = WORK.flatMap(({ id, chunks }) => (chunks === 2 ? [`${id}#0`, `${id}#1`] : []));

const NODES = [
	{ node: new ChunkText(), example: chunkText([0, 0]) },
	{ node: new PushDocuments(), example: pushDocuments([0, 0], true) },
	{ node: new DeleteDocument(), example: deleteDocument([0, 0], true) },
];

beforeEach(async () => {
	await index(
		sandbox(),
		OLD.map((id) => ({ id, name: id })),
	);
	sandbox().commit();
});

/** Applies a batch and returns the results of the three nodes, and what the sync remembers. */
async function apply(pushOptions: INodeParameters = {}) {
	const batch: Batch = {
		...{ batch: 1, batches: 1, tableId: 'table', run: 7, snapshot: [], mayDelete: 10 },
		...{ missing: 10, isApproved: false, history: { tableId: 'runs', row: 3 } },
		work: WORK,
	};
	const documents = documentsOf({ batch, fetched: null, isChunked: true }).map(
		({ json }) => json,
	);
	const results = await runPipeline(
		NODES.map(({ node, example: { name, parameters } }) => {
			const more = { options: name === 'Push Documents' ? pushOptions : {} };
			return { node, parameters: merged(parameters as INodeParameters, more), ...CONTINUE };
		}),
		documents as unknown as IDataObject[],
		{ credentials: credentials() },
	);
	const [texts, pushes, deletes] = results.map(({ output }) => jsonOf(output));
	const answers = [texts as Chunked[], pushes as Counted[], deletes as Counted[]] as const;
	const rowOf = ([texts, pushes, deletes]: typeof answers) =>
		batchRow({ batch, documents, texts, pushes, deletes })[0].json;
	return { answers, rowOf };
}

it('each document has its own results, whatever their order', async () => {
	fault('submit', { status: 400, whenBodyContains: 'Rejected', body: '{"message":"No text"}' });
	fault('push', { status: 400, whenBodyContains: 'unpushed#0' });
	const { answers, rowOf } = await apply();
	const ids = WORK.map(({ id }) => id);
	for (const results of answers) expect(results.map(({ id }) => id)).toEqual(ids);
	const row = rowOf(answers);
	expect(row).toMatchObject({ pushed: 2, deleted: 2, failed: 2, chunksDeleted: 5 });
	const entries = JSON.parse(row.entries) as Array<[string, string | null, number]>;
	expect(entries.map(([id, version, chunks]) => [id, version, chunks])).toEqual([
		['shorter', 'new', 1],
		['rejected', '', 2],
		['unpushed', '', 2],
		['emptied', 'new', 0],
		['gone', null, undefined],
		['new', 'new', 2],
	]);
	const kept = ['rejected#0', 'rejected#1', 'unpushed#0', 'unpushed#1'];
	expect(indexed()).toEqual([...kept, 'new#0', 'new#1', 'shorter#0'].sort());
	const [texts, pushes, deletes] = answers.map((results) => [...results].reverse());
	expect(rowOf([texts, pushes, deletes])).toEqual(row);
});

it.each<[what: string, options: INodeParameters, error: RegExp]>([
	['before it reads its options', { concurrency: 0 }, /'Concurrency'/],
	['after it has read its options', { bytesPerRequest: 100 }, /'shorter#0'/],
])(
	'if Push Documents fails %s, old chunks stay, and the reason is remembered',
	async (_what, options, error) => {
		const { answers, rowOf } = await apply(options);
		expect(rowOf(answers).error).toMatch(error);
		for (const id of ['shorter#0', 'shorter#1']) expect(indexed()).toContain(id);
	},
);
