/**
 * Tests that memory does not grow with the length of a file. Whatever a node remembers about a record must not keep the
 * text around it: a part of a long string keeps the whole string in memory.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { CONTINUE, indexes, jsonOf, nodeRunner } from '../../support/sandbox';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedMemory(): number {
	collectGarbage();
	return process.memoryUsage().heapUsed;
}

const files = useFiles();
const { credentials, fault } = useChunkText();

const PADDING = 'x'.repeat(500_000);
/** A summary describes only this many failures. The memory for them does not grow any further. */
const DESCRIBED_FAILURES = 100;
/** These records warm up the node and the connection. */
const WARM_UP = 8;
const MEASURED = 32;
/** If one kind of record in four kept its text, memory would grow by twice as much. */
const MAX_GROWTH = (MEASURED / 8) * PADDING.length;

const idOf = (at: number) => `document-with-a-long-id-${at}`;
const KINDS: Array<(at: number) => IDataObject> = [
	(at) => ({ id: idOf(at), name: 'A name of a document', text: 'A text.' }),
	// IDs with letters beyond ASCII are compared with each other.
	(at) => ({ id: `é-${idOf(at)}`, name: `A long name of document ${at}`, text: 'A text.' }),
	(at) => ({ id: `rejected-${idOf(at)}-rejected`, name: 'N', text: 'rejected' }),
	() => ({ id: 'the-same-id-in-many-records', name: 'N', text: 'A text.' }),
];

interface Format {
	start: string;
	write: (value: IDataObject) => string;
	end: string;
}
const FORMATS: Record<string, Format> = {
	csv: {
		start: 'id,name,text,padding\n',
		write: ({ id, name, text, padding }) => `${[id, name, text, padding].join(',')}\n`,
		end: '',
	},
	jsonLines: { start: '', write: (value) => `${JSON.stringify(value)}\n`, end: '' },
	jsonArray: {
		start: '[{"id":"first","name":"N","text":"T"}',
		write: (value) => `,\n${JSON.stringify(value)}`,
		end: ']',
	},
};

const ONE_AT_A_TIME = { concurrency: 1, retryForSeconds: 1, bytesPerFile: 1_000_000 };
const NODES: Array<[string, INodeType, INodeParameters]> = [
	[
		'Push Documents',
		new PushDocuments(),
		{
			documentSource: 'file',
			options: { ...ONE_AT_A_TIME, documentsPerRequest: 1, excludeFields: 'padding' },
		},
	],
	['Delete Document', new DeleteDocument(), { idSource: 'file', options: ONE_AT_A_TIME }],
	[
		'Chunk Text',
		new ChunkText(),
		{
			textSource: 'file',
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
			options: { ...ONE_AT_A_TIME, textsPerRequest: 1, outputTo: 'files' },
		},
	],
	[
		'Chunk Text, which returns items,',
		new ChunkText(),
		{
			textSource: 'file',
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
			options: { ...ONE_AT_A_TIME, textsPerRequest: 1, outputTo: 'items' },
		},
	],
	[
		'Chunk Text, which only submits,',
		new ChunkText(),
		{
			operation: 'submit',
			textSource: 'file',
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
			options: { ...ONE_AT_A_TIME, textsPerRequest: 1 },
		},
	],
];

it.each(
	NODES.flatMap(([name, node, parameters]) =>
		Object.entries(FORMATS).map(
			([format, writing]) => [name, format, node, parameters, writing] as const,
		),
	),
)('%s keeps nothing of a file: %s', async (_name, fileFormat, node, parameters, format) => {
	fault('push', { whenBodyContains: 'rejected', status: 422 });
	fault('submit', { whenBodyContains: 'rejected', status: 422 });
	fault('delete', { whenPathEndsWith: 'rejected', status: 422 });
	const used: number[] = [];
	files.stream(async function* () {
		yield Buffer.from(format.start);
		for (const at of indexes(DESCRIBED_FAILURES))
			yield Buffer.from(format.write({ id: '', name: '', text: `${at}` }));
		for (const at of indexes(WARM_UP + MEASURED)) {
			if (at === WARM_UP) used.push(usedMemory());
			const value = KINDS[at % KINDS.length]?.(at);
			yield Buffer.from(format.write({ ...value, padding: PADDING }));
		}
		used.push(usedMemory());
		yield Buffer.from(format.end);
	});
	const item = await files.item('', 'd', 'text/plain');
	const { output } = await nodeRunner(node, credentials)(
		[item],
		{ ...parameters, fileFormat },
		CONTINUE,
	);
	const summary = jsonOf(output).at(-1);
	expect(summary).toMatchObject({
		failed: DESCRIBED_FAILURES + (WARM_UP + MEASURED) / KINDS.length,
		atEnd: true,
	});
	const [before = 0, after = Infinity] = used;
	expect(after - before).toBeLessThan(MAX_GROWTH);
});
