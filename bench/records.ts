import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

import { parse as csvParse } from 'csv-parse';
import { parse as csvParseSync } from 'csv-parse/sync';

import { CsvReader } from '../nodes/shared/records/csv-reader';
import { JsonArrayReader } from '../nodes/shared/records/json/json-array-reader';
import { JsonReader } from '../nodes/shared/records/json/json-reader';
import { jsonLines } from '../nodes/shared/records/line-reader';
import { PartWriter } from '../nodes/shared/records/part-writer';
import { readRecords } from '../nodes/shared/records/read-records';
import type { RecordReader } from '../nodes/shared/records/record';
import { textOf } from '../nodes/shared/records/text';
import { csvRow } from '../support/csv';
import { makeDocuments } from './lib/documents';
import { MB } from './lib/memory';
import type { BenchOptions } from './lib/options';
import { print, ratio, table, whole } from './lib/table';
import { compare, time, type Timing } from './lib/timing';
import { ranges } from './ranges';

const CHUNK_BYTES = 64 * 1024;
const VECTOR_SIZE = 384;

type Work = () => Promise<unknown>;

/** A file as n8n's binary data arrives from a disk. */
function* chunks(file: Buffer): Generator<Buffer> {
	for (let at = 0; at < file.length; at += CHUNK_BYTES) yield file.subarray(at, at + CHUNK_BYTES);
}

const streamOf = (file: Buffer) => Readable.from(chunks(file), { objectMode: false });

async function count(records: AsyncIterable<unknown>): Promise<number> {
	let found = 0;
	for await (const record of records) if (record !== undefined) found++;
	return found;
}

async function countTogether(lists: AsyncIterable<unknown[]>): Promise<number> {
	let found = 0;
	for await (const records of lists) found += records.length;
	return found;
}

const ours = (file: Buffer, reader: RecordReader) =>
	countTogether(readRecords(textOf(streamOf(file)), reader));

/** Measures the ways to do the same; the first is ours. Those that count find as many records. */
async function rounds(
	title: string,
	{ bytes, found }: { bytes: number; found?: number },
	times: number,
	works: Record<string, Work>,
) {
	const competitors = Object.fromEntries(
		Object.entries(works).map(([name, work]) => [name, () => time(work)]),
	);
	for (const [name, work] of Object.entries(works)) {
		const result = await work();
		if (found !== undefined && typeof result === 'number' && result !== found) {
			throw new Error(`${name} found ${result} of ${found} records`);
		}
	}
	const timings: Record<string, Timing> = await compare(times, competitors);
	const unit = Object.values(timings)[0].ms;
	const rows = Object.entries(timings).map(([name, { ms }]) => [
		name,
		whole((bytes / MB / ms) * 1000),
		ratio(ms / unit),
	]);
	print('', `**${title}, ${whole(bytes / MB)} MB**`, '');
	print(table(['way', 'MB per second', 'time (ours = 1)'], rows));
}

/** Elements of a list at a path, by stream-json. */
async function streamJson(file: Buffer): Promise<number> {
	const [{ chain }, { parser }, { pick }, { streamArray }] = await Promise.all([
		import('stream-chain'),
		import('stream-json/parser.js'),
		import('stream-json/filters/pick.js'),
		import('stream-json/streamers/stream-array.js'),
	]);
	const stream = chain([parser(), pick({ filter: 'documents' }), streamArray()]);
	streamOf(file).pipe(stream);
	return await count(stream as unknown as AsyncIterable<unknown>);
}

/** Speed of reading and writing files of records, beside the libraries that are used elsewhere. */
export async function records({ quick }: BenchOptions): Promise<string> {
	const documents = makeDocuments(quick ? 1_000 : 100_000);
	const found = documents.length;
	const times = quick ? 1 : 3;
	const lines = documents.map((document) => JSON.stringify(document));
	const jsonl = Buffer.from(lines.join('\n'));
	await rounds('JSON Lines, documents of 1 KB', { bytes: jsonl.length, found }, times, {
		'JSON Lines reader': () => ours(jsonl, jsonLines()),
		'node:readline and JSON.parse': async () => {
			for await (const line of createInterface({ input: streamOf(jsonl) })) JSON.parse(line);
		},
		'JSON.parse of each line, in memory': async () => {
			for (const line of jsonl.toString().split('\n')) JSON.parse(line);
		},
	});

	const json = Buffer.from(`{"total":1,"documents":[${lines.join(',')}]}`);
	await rounds(
		'JSON array in an object, the same documents',
		{ bytes: json.length, found },
		times,
		{
			'JSON array reader': () => ours(json, new JsonArrayReader('documents')),
			'stream-json': () => streamJson(json),
			'JSON.parse, in memory': async () => JSON.parse(json.toString()) as unknown,
		},
	);

	const columns = Object.keys(documents[0]);
	const rows = documents.map((document) => csvRow(columns.map((name) => document[name])));
	const csv = Buffer.from([csvRow(columns), ...rows].join('\n'));
	await rounds(
		'CSV, the same documents, a quoted cell in each',
		{ bytes: csv.length, found },
		times,
		{
			'CSV reader': () => ours(csv, new CsvReader()),
			'csv-parse, stream': () => count(streamOf(csv).pipe(csvParse({ columns: true }))),
			'csv-parse, in memory': async () => csvParseSync(csv, { columns: true }),
		},
	);
	const short = Buffer.from(
		[
			'id,name,price',
			...documents.map(({ id, name, price }) => csvRow([id, name, price])),
		].join('\n'),
	);
	await rounds('CSV, short rows', { bytes: short.length, found }, times, {
		'CSV reader': () => ours(short, new CsvReader()),
		'csv-parse, stream': () => count(streamOf(short).pipe(csvParse({ columns: true }))),
		'csv-parse, in memory': async () => csvParseSync(short, { columns: true }),
	});

	const vectors = JSON.stringify({
		status: 'READY',
		data: Array.from({ length: quick ? 500 : 10_000 }, (_, index) => ({
			text: `Chunk ${index} of the text`,
			vector: Array.from({ length: VECTOR_SIZE }, () => Math.random() - 0.5),
		})),
	});
	await rounds(
		`One response with vectors of ${VECTOR_SIZE} numbers`,
		{ bytes: vectors.length },
		times,
		{
			'JSON reader': async () => {
				const reader = new JsonReader();
				for (let at = 0; at < vectors.length; at += CHUNK_BYTES) {
					reader.push(vectors.slice(at, at + CHUNK_BYTES));
				}
				return reader.end();
			},
			'JSON.parse': async () => JSON.parse(vectors) as unknown,
		},
	);

	await rounds('Writing JSON Lines in parts of 32 MB', { bytes: jsonl.length }, times, {
		'part writer': async () => {
			const writer = new PartWriter(32 * MB);
			const parts = documents.map((document) => writer.add(JSON.stringify(document)));
			return [...parts.filter(Boolean), writer.end()].length;
		},
		'one text, then bytes': async () =>
			Buffer.from(documents.map((document) => JSON.stringify(document)).join('\n')).length,
	});

	await ranges({ quick });
	return 'each reader found all records.';
}
