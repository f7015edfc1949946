import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

import type { IDataObject } from 'n8n-workflow';

import { csvRow } from '../support/csv';
import type { FileParameters, FileResult } from './files-task';
import { makeDocuments } from './lib/documents';
import { isolated } from './lib/isolated';
import type { BenchOptions } from './lib/options';
import { startService } from '../support/service';
import { print, ratio, table, whole, type Cell } from './lib/table';

const PART = 10_000;
const MB = 1_000_000;

interface Format {
	fileName: string;
	text: (count: number) => Iterable<string>;
	isCompressed?: boolean;
}

function* documents(count: number): Generator<IDataObject> {
	for (let from = 0; from < count; from += PART) {
		yield* makeDocuments(Math.min(PART, count - from), 1024, from);
	}
}

function* jsonLines(count: number): Generator<string> {
	for (const document of documents(count)) yield `${JSON.stringify(document)}\n`;
}

function* jsonList(count: number): Generator<string> {
	let separator = '[';
	for (const document of documents(count)) {
		yield separator + JSON.stringify(document);
		separator = ',';
	}
	yield ']';
}

function* csv(count: number): Generator<string> {
	const [first] = makeDocuments(1);
	yield `${csvRow(Object.keys(first))}\n`;
	for (const document of documents(count)) yield `${csvRow(Object.values(document))}\n`;
}

const FORMATS: Record<string, Format> = {
	'JSON Lines': { fileName: 'documents.jsonl', text: jsonLines },
	'JSON Lines, gzip': { fileName: 'documents.jsonl.gz', text: jsonLines, isCompressed: true },
	'JSON list': { fileName: 'documents.json', text: jsonList },
	CSV: { fileName: 'documents.csv', text: csv },
};

/**
 * Measures records per second for each format. Also measures the memory needed for a file that is ten times as long.
 * Each run uses its own process.
 */
export async function files({ quick }: BenchOptions): Promise<string> {
	const counts = quick ? [1_000] : [100_000, 1_000_000];
	const folder = await mkdtemp(join(tmpdir(), 'bench-files-'));
	const service = await startService('sink');
	const rows: Cell[][] = [];
	try {
		for (const [name, { fileName, text, isCompressed }] of Object.entries(FORMATS)) {
			for (const count of counts) {
				const file = join(folder, fileName);
				const steps = isCompressed ? [createGzip()] : [];
				await pipeline([Readable.from(text(count)), ...steps, createWriteStream(file)]);
				const run = async (client: FileParameters['client']) =>
					await isolated<FileParameters, FileResult>('files-task', {
						...{ client, file, fileName, count },
						...{ pushUrl: service.pushUrl, credentials: service.credentials },
					});
				const ours = await run('node');
				const axios = name === 'JSON Lines' ? await run('axios') : undefined;
				rows.push([
					...[name, whole(count), whole((count / ours.ms) * 1000)],
					whole(ours.rss / MB),
					axios ? ratio(ours.ms / axios.ms) : '-',
				]);
			}
		}
	} finally {
		service.close();
		await rm(folder, { recursive: true });
	}
	const head = ['file', 'records', 'records/s', 'MB above start', 'time : axios and JSON.parse'];
	print('', '**Push Documents from files with documents of 1 KB**', '', table(head, rows));
	return 'each record was pushed.';
}
