import { print, ratio, table, whole } from '../lib/table';
import { documentsFile } from './data-files';
import type { FileMode, MeasuredRun } from './server';
import { msOf } from './server';
import type { Stage } from './stage';
import {
	blockIn,
	checkDocuments,
	COLUMNS,
	mb,
	milliseconds,
	pushByAxios,
	rowOf,
	seconds,
} from './stage';
import { getFile, getItems, push } from './workflows';

const NODE = 'Push Documents';

const MAX_MEMORY_BYTES = 120_000_000;
const MAX_DATABASE_BYTES = 1_000_000;
const MAX_RATIO = 1.3;
export const MAX_BLOCK_MS = 100;

/** Documents that each n8n pushes before it is measured, so that all code is loaded. */
const WARM_UP = 2000;

/** Starts n8n anew, and has it push a small file. */
export async function warmServer({ server, stub, folder }: Stage, mode?: FileMode): Promise<void> {
	await server.restart(mode);
	const file = await documentsFile(folder, WARM_UP, 'jsonl');
	await server.run('Warm up', [
		getFile(`${stub.files}/${file}`),
		push({ documentSource: 'file' }),
	]);
	await stub.reset();
}

/** Files of documents through Push Documents, next to axios and to items. */
export async function benchPush(stage: Stage): Promise<void> {
	const { folder, options, server, stub } = stage;
	const rows = [];
	for (const count of options.documents) {
		const file = await documentsFile(folder, count, 'jsonl');
		await warmServer(stage);
		const what = `${whole(count)} documents from a file`;
		const run = await server.measure(what, [
			getFile(`${stub.files}/${file}`),
			push({ documentSource: 'file' }),
		]);
		await checkDocuments(stage, what, count);
		rows.push([what, ...rowOf(run, [NODE])]);
		addGoals(stage, what, run);
		if (count === Math.max(...options.documents)) await compare(stage, what, file, count, run);
	}
	const file = await documentsFile(folder, options.items, 'json');
	await warmServer(stage);
	const what = `${whole(options.items)} documents as items`;
	const run = await server.measure(what, [
		getItems(`${stub.files}/${file}`),
		push({ documentSource: 'wholeItem' }),
	]);
	await checkDocuments(stage, what, options.items);
	rows.push([what, ...rowOf(run, [NODE])]);
	print('', '### Push Documents', '', table(['', ...COLUMNS], rows));
}

function addGoals({ goals }: Stage, what: string, run: MeasuredRun): void {
	goals.atMost(`${what}: peak memory above idle`, run.peakAboveIdleBytes, MAX_MEMORY_BYTES, mb);
	goals.atMost(
		`${what}: growth of the database`,
		run.databaseGrowthBytes,
		MAX_DATABASE_BYTES,
		(bytes) => `${(bytes / 1_000_000).toFixed(2)} MB`,
	);
	goals.atMost(
		`${what}: longest time busy in one block while ${NODE} runs`,
		blockIn(run, [NODE]).cpuMs,
		MAX_BLOCK_MS,
		milliseconds,
	);
}

/** The same file by axios alone. Processor time tells more where the machine has other work, too. */
async function compare(
	stage: Stage,
	what: string,
	file: string,
	count: number,
	run: MeasuredRun,
): Promise<void> {
	const peers = {
		'axios, lines parsed as usual': await pushByAxios(stage, file, 'parse'),
		'axios, lines joined as they are': await pushByAxios(stage, file, 'text'),
	};
	const nodeMs = msOf(run, NODE);
	const download = await stage.server.measure('Get File alone', [
		getFile(`${stage.stub.files}/${file}`),
	]);
	const nodeCpuMs = run.cpuMs - download.cpuMs;
	const rows = Object.entries(peers).map(([name, { ms, cpuMs, rss }]) => [
		name,
		seconds(ms),
		whole((count / ms) * 1000),
		ratio(nodeMs / ms),
		((cpuMs / count) * 1000).toFixed(1),
		ratio(nodeCpuMs / cpuMs),
		mb(rss),
	]);
	print(
		'',
		`### ${what}: Push Documents and axios`,
		'',
		table(
			[
				'',
				'time',
				'documents/s',
				'Push Documents : client',
				'main thread, µs/document',
				'Push Documents : client',
				'memory above start',
			],
			[
				[
					NODE,
					seconds(nodeMs),
					whole((count / nodeMs) * 1000),
					'1.00',
					((nodeCpuMs / count) * 1000).toFixed(1),
					'1.00',
					mb(run.peakAboveIdleBytes),
				],
				...rows,
			],
		),
	);
	for (const [name, { ms }] of Object.entries(peers)) {
		stage.goals.atMost(`${what}: time / ${name}`, nodeMs / ms, MAX_RATIO, ratio);
	}
}
