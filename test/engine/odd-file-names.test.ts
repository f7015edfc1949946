/**
 * Tests that a file's name has no effect but its own words: whatever a node says about a file or returns for it is the
 * same for a plain name.
 */
import type { INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { useFiles } from '../../support/binary-data';
import { useChunkText } from '../../support/chunking';
import { CONTINUE, hintsOf, jsonOf, nodeRunner } from '../../support/sandbox';

const files = useFiles();
const { credentials, sandbox, fault } = useChunkText({ unknownDeleteStatus: 200 });

/** Rows with the same ID, with too few cells, with an ID of a spreadsheet, without an ID, and one that is rejected. */
const LONG = 'T'.repeat(600);
const ROWS = ['a,A,T', 'a,A,T', 'b,B', '#REF!,C,T', `,D,${LONG}`, 'e,rejected,T', `,F,${LONG}`];
const CSV = `id,name,text\n${ROWS.join('\n')}\n`;
const PLAIN = 'plainname';
/** The first four are patterns of `String.replace`. */
const STEMS = ['a$&b', "a$'b", 'a$`b', 'a$$b', '{{ $json.a }}', '${a}', '%2e', 'größe', 'a.b.csv'];

const options = { concurrency: 1, bytesPerFile: 1000, retryForSeconds: 0 };
const NODES: Array<[INodeType, INodeParameters]> = [
	[new PushDocuments(), { documentSource: 'file', options }],
	[new DeleteDocument(), { idSource: 'file', options }],
	[
		new ChunkText(),
		{
			textSource: 'file',
			output: 'documents',
			modelId: { __rl: true, mode: 'id', value: 'gte-small' },
			options: { ...options, outputTo: 'files' },
		},
	],
];

describe.each(
	NODES.map(([node, ...others]) => [node.description.displayName, node, ...others] as const),
)('%s', (_name, node, parameters) => {
	const said = async (stem: string, isBroken: boolean) => {
		fault('push', { whenBodyContains: 'rejected', status: 422 });
		fault('submit', { whenBodyContains: 'rejected', status: 422 });
		fault('delete', { whenPathEndsWith: '/e', status: 422 });
		const item = await files.item(isBroken ? `${CSV}g,"G` : CSV, `${stem}.csv`);
		const result = await nodeRunner(node, credentials)([item], parameters, CONTINUE);
		sandbox().reset();
		const names = result.output.flatMap(({ binary = {} }) =>
			Object.values(binary).map(({ fileName }) => fileName),
		);
		const text = JSON.stringify([hintsOf(result), jsonOf(result.output), names]);
		return text
			.replaceAll(JSON.stringify(stem).slice(1, -1), PLAIN)
			.replace(/"(seconds|recordsPerSecond|requests)":[\d.]+/g, '');
	};

	it.each(STEMS.flatMap((stem) => [false, true].map((isBroken) => [stem, isBroken] as const)))(
		'%s.csv, breaks off: %j',
		async (stem, isBroken) => {
			const plain = await said(PLAIN, isBroken);
			expect(plain).toContain(`${PLAIN}.csv`);
			expect(await said(stem, isBroken)).toBe(plain);
		},
	);
});
