import './lib/nodes';

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { PushDocuments } from './lib/shipped';
import { TestFiles } from '../support/binary-data';
import { csvRow } from '../support/csv';
import { runNode } from '../support/engine';
import { makeDocuments } from './lib/documents';
import type { BenchOptions } from './lib/options';
import { startService } from './lib/service';
import { print, ratio, table, whole } from './lib/table';
import { compare, time } from './lib/timing';

/** How much faster records are to be skipped than pushed, where they can be passed over (issue 20). */
const TARGET = 5;

/** Skipping nearly all records of a file beside pushing all of them, both by the node on n8n's engine. */
export async function ranges({ quick }: BenchOptions): Promise<void> {
	const documents = makeDocuments(quick ? 5_000 : 100_000);
	const lines = documents.map((document) => JSON.stringify(document)).join('\n');
	const columns = Object.keys(documents[0]);
	const rows = documents.map((document) => csvRow(columns.map((name) => document[name])));
	const contents: Record<string, string | Buffer> = {
		'documents.jsonl': lines,
		'documents.csv': [csvRow(columns), ...rows].join('\n'),
		'documents.jsonl.gz': gzipSync(lines),
		'documents.json': `[${lines.replaceAll('\n', ',')}]`,
	};
	const folder = mkdtempSync(path.join(tmpdir(), 'ranges-'));
	const files = new TestFiles(folder);
	const { credentials, close } = await startService('sink');
	const run = async (item: INodeExecutionData, options: IDataObject, pushed: number) => {
		const { output, error } = await runNode({
			node: new PushDocuments(),
			items: [item],
			parameters: { documentSource: 'file', options } as never,
			credentials,
		});
		if (error ?? output[0].json.pushed !== pushed) throw error ?? new Error('Not all pushed');
	};
	try {
		await files.use('filesystem');
		const cells = [];
		for (const [name, content] of Object.entries(contents)) {
			const item = await files.item(content, name);
			const all = documents.length;
			const push = async () => await run(item, {}, all);
			const skip = async () => await run(item, { skipRecords: all - 1 }, 1);
			await skip();
			const timings = await compare(quick ? 1 : 3, {
				push: async () => await time(push),
				skip: async () => await time(skip),
			});
			const perRecord = (ms: number) => ((ms / all) * 1000).toFixed(2);
			const times = timings.push.ms / timings.skip.ms;
			cells.push([
				name,
				perRecord(timings.push.ms),
				perRecord(timings.skip.ms),
				ratio(times),
				times >= TARGET ? 'yes' : 'no',
			]);
		}
		print(
			'',
			`**Skipping ${whole(documents.length)} documents of 1 KB, and pushing them**`,
			'',
		);
		print(
			table(
				['file', 'µs per record pushed', 'skipped', 'times as fast', `at least ${TARGET}`],
				cells,
			),
		);
	} finally {
		close();
		rmSync(folder, { recursive: true, force: true });
	}
}
