/** Ranges of files, for all nodes: Skip Records and Max Records. */
import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useFiles } from '../../support/binary-data';
import { sandboxCredentials } from '../../support/credentials';
import { runNode } from '../../support/engine';
import { indexes, useSandbox } from '../../support/sandbox';

const sandbox = useSandbox();
const files = useFiles();

const RECORDS = 10;
const FORMATS = {
	'd.jsonl': indexes(RECORDS)
		.map((at) => `${JSON.stringify({ id: `d${at}`, name: 'N', text: `Text ${at}` })}\n`)
		.join(''),
	'd.json': JSON.stringify(
		indexes(RECORDS).map((at) => ({ id: `d${at}`, name: 'N', text: `Text ${at}` })),
	),
	'd.csv': `id,name,text\n${indexes(RECORDS)
		.map((at) => `d${at},N,Text ${at}\n`)
		.join('')}`,
};

/** Each node, with what makes it read a file, and what its summary counts. */
const NODES: Array<[string, () => INodeType, INodeParameters, string]> = [
	['Push Documents', () => new PushDocuments(), { documentSource: 'file' }, 'pushed'],
	['Delete Document', () => new DeleteDocument(), { idSource: 'file' }, 'deleted'],
	[
		'Chunk Text',
		() => new ChunkText(),
		{
			textSource: 'file',
			modelId: { __rl: true, mode: 'id', value: 'm' },
			options: { outputTo: 'files' },
		},
		'chunked',
	],
];

describe.each(NODES)('%s', (_name, node, parameters, done) => {
	const read = async (name: keyof typeof FORMATS, options: IDataObject, more = {}) =>
		await runNode({
			node: node(),
			items: [await files.item(FORMATS[name], name)],
			parameters: {
				...parameters,
				options: { ...(parameters.options as object), ...options },
			} as INodeParameters,
			credentials: sandboxCredentials(sandbox()),
			...more,
		});

	it.each([
		['d.jsonl', 3, 4, { records: 7, [done]: 4, skipped: 3, failed: 0, atEnd: false }],
		['d.csv', 0, 4, { records: 4, [done]: 4, skipped: 0, failed: 0, atEnd: false }],
		['d.json', 7, 3, { records: 10, [done]: 3, skipped: 7, failed: 0, atEnd: true }],
		['d.jsonl', 8, 5, { records: 10, [done]: 2, skipped: 8, failed: 0, atEnd: true }],
		['d.csv', 8, 0, { records: 10, [done]: 2, skipped: 8, failed: 0, atEnd: true }],
	] as const)('reads of %s, after %d records, at most %d', async (name, skip, max, summary) => {
		const { output } = await read(name, { skipRecords: skip, maxRecords: max });
		expect(output.at(-1)?.json).toMatchObject(summary);
	});

	it('a range beyond the file is empty, and no error', async () => {
		const { error, output } = await read('d.jsonl', { skipRecords: 12, maxRecords: 4 });
		expect(error).toBeUndefined();
		expect(output.at(-1)?.json).toMatchObject({ records: 10, [done]: 0, skipped: 10 });
	});
});
