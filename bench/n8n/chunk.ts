import { print, table, whole } from '../lib/table';
import { corpusFile } from './data-files';
import { MAX_BLOCK_MS, warmServer } from './push';
import type { Stage } from './stage';
import { blockIn, checkDocuments, COLUMNS, mb, milliseconds, rowOf } from './stage';
import { chunk, getFile, getItems, having, push, type Step } from './workflows';

const NODES = ['Chunk Text', 'Push Documents'];
const MAX_MEMORY_BYTES = 250_000_000;

/** Pushed before n8n is measured, so that all code is loaded. */
const WARM_UP_MEGABYTES = 0.1;

/** Vectors go from file to file. */
export const throughFiles = (url: string): Step[] => [
	getFile(url),
	chunk({ textSource: 'file', outputTo: 'files' }),
	having('part'),
	push({ documentSource: 'file' }),
];

/** Each chunk is an item. */
const asItems = (url: string): Step[] => [
	getItems(url),
	chunk({ textSource: 'item', outputTo: 'items' }),
	push({ documentSource: 'wholeItem' }),
];

/** Texts are chunked and their chunks, each with a vector of 384 numbers, are pushed. */
export async function benchChunk(stage: Stage): Promise<void> {
	const { ai, folder, options, server, stub, goals } = stage;
	const rows = [];
	for (const [megabytes, format, steps, how] of [
		[options.megabytes, 'jsonl', throughFiles, 'files'],
		[options.itemMegabytes, 'json', asItems, 'items'],
	] as const) {
		const warm = await corpusFile(folder, WARM_UP_MEGABYTES, format);
		const corpus = await corpusFile(folder, megabytes, format);
		await warmServer(stage);
		await server.run('Warm up', steps(`${stub.files}/${warm.file}`));
		await stub.reset();
		await ai.reset();
		const what = `${megabytes} MB of texts, ${whole(corpus.chunks)} chunks, as ${how}`;
		const run = await server.measure(what, steps(`${stub.files}/${corpus.file}`));
		const { bytes } = await stub.stats();
		await checkDocuments(stage, what, corpus.chunks);
		rows.push([what, mb(bytes), ...rowOf(run, NODES)]);
		if (how === 'items') continue;
		goals.atMost(
			`${what}: peak memory above idle`,
			run.peakAboveIdleBytes,
			MAX_MEMORY_BYTES,
			mb,
		);
		goals.atMost(
			`${what}: longest time busy in one block while the nodes run`,
			blockIn(run, NODES).cpuMs,
			MAX_BLOCK_MS,
			milliseconds,
		);
	}
	print('', '### Texts, chunks, index', '', table(['', 'pushed', ...COLUMNS], rows));
}
