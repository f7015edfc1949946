/**
 * What runs that last longer than 10 seconds write to n8n's log. They mostly wait, so they run side by side.
 *
 * @jest-environment node
 */
import { captured } from '../../support/log-capture';
import type { INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { startSandbox } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { sandboxCredentials } from '../../support/credentials';
import { runNode, type RunOptions } from '../../support/engine';
import { indexes } from '../../support/sandbox';

const files = useFiles();

describe('every 10 seconds a line is written to the log', () => {
	type Route = 'push' | 'results' | 'delete' | 'convert';
	/** Runs a node with a sandbox of its own, one request of which takes 11 seconds. */
	async function run(
		route: Route,
		skip: number,
		options: Pick<RunOptions, 'node' | 'items' | 'parameters'>,
	): Promise<void> {
		const sandbox = await startSandbox();
		sandbox.faults.add({ route, latencyMs: 11_000, skip, times: 1 });
		await runNode({ ...options, credentials: sandboxCredentials(sandbox) });
		await sandbox.close();
	}
	const MODEL = { modelId: { __rl: true, mode: 'id', value: 'm' } };

	it.concurrent.each<[string, INodeType, INodeParameters, Route, number, string]>([
		[
			'Push Documents',
			new PushDocuments(),
			{ options: { documentsPerRequest: 2, concurrency: 1 } },
			'push',
			2,
			'Push Documents: 4 documents of 6 had been pushed; pushing them again does no harm. (0 per second, 0 retries)',
		],
		[
			'Chunk Text',
			new ChunkText(),
			{ ...MODEL, text: '={{ $json.text }}' },
			'results',
			0,
			'Chunk Text: Chunking IDs',
		],
		[
			'Delete Document',
			new DeleteDocument(),
			{ options: { concurrency: 1, ignoreNotFound: true } },
			'delete',
			4,
			'Delete Document: 4 documents of 6 had been deleted',
		],
		['Migrate Blobs', new MigrateBlobs(), { confirm: true }, 'convert', 0, 'Migrate Blobs: '],
	])(
		'of items: %s',
		async (name, node, parameters, route, skip, line) => {
			const items = indexes(6).map((at) => ({ id: `d${at}`, name: 'N', text: `Text ${at}` }));
			await run(route, skip, { node, items, parameters });
			const written = captured.filter(
				(text) => text.includes(`${name}: `) && !text.includes('corpus.jsonl'),
			);
			expect(written.join('\n')).toContain(line);
			expect(written).toHaveLength(1);
			// As members of their own, by which logs can be filtered.
			expect(written[0]).toMatch(/"?retries"?: ?0/);
		},
		60_000,
	);

	it.concurrent(
		'of a file, which says where to continue',
		async () => {
			await files.use('filesystem');
			const lines = indexes(6).map((at) => `{"id":"d${at}","name":"N"}\n`);
			await run('push', 2, {
				node: new PushDocuments(),
				items: [await files.item(lines.join(''), 'corpus.jsonl')],
				parameters: { documentSource: 'file', options: { documentsPerRequest: 2 } },
			});
			const written = captured.filter((line) => line.includes('corpus.jsonl'));
			expect(written).toHaveLength(1);
			expect(written[0]).toContain(
				"Push Documents: Of the file 'corpus.jsonl', 4 records had been pushed. Everything up to record 4 was answered: continue with Skip Records: 4 (6 records read, 0 per second, 0 retries)",
			);
		},
		60_000,
	);
});
