import { isolated } from './lib/isolated';
import { MB } from './lib/memory';
import type { BenchOptions } from './lib/options';
import { startService } from './lib/service';
import { print, ratio, table, whole, type Cell } from './lib/table';
import type { ScaleParameters, ScaleResult } from './tasks/push-scale';

/** Most memory above the input, as a part of the input (issue 4). */
const TARGET = 1.3;
/** What Node, n8n and the modules take before there is any input, with room for young objects. */
const PROGRAM_MB = 160;

/** Time per document and memory above the input, by number of documents. */
export async function pushScale({ quick }: BenchOptions): Promise<string> {
	const sizes = quick ? [2_500] : [25_000, 50_000, 100_000, 200_000];
	const sink = await startService('sink');
	const { credentials, pushUrl, pushKey } = sink;
	const run = async (
		options: Pick<ScaleParameters, 'client' | 'documents' | 'measure'>,
		heapMb?: number,
	) =>
		await isolated<ScaleParameters, ScaleResult>(
			'push-scale',
			{ ...options, credentials, pushUrl, pushKey },
			heapMb,
		);
	const need = async (...parameters: Parameters<typeof run>): Promise<ScaleResult> => {
		const result = await run(...parameters);
		if (!result) throw new Error('The heap was too small');
		return result;
	};
	try {
		const times: Cell[][] = [];
		const memory: Cell[][] = [];
		let largest: ScaleResult | undefined;
		for (const documents of sizes) {
			const node = await need({ client: 'node', documents, measure: 'time' });
			const axios = await need({ client: 'axios', documents, measure: 'time' });
			const per = (ms: number) => whole((ms / documents) * 1000);
			times.push([
				whole(documents),
				(node.ms / 1000).toFixed(1),
				per(node.ms),
				per(node.nodeMs),
				per(axios.ms),
				ratio(node.ms / axios.ms),
			]);
			const live = await need({ client: 'node', documents, measure: 'memory' });
			const engine = await need({ client: 'passThrough', documents, measure: 'memory' });
			const part = (bytes: number) => ratio(bytes / live.inputBytes);
			memory.push([
				whole(documents),
				whole(live.inputBytes / MB),
				part(live.peakAboveInput),
				part(engine.peakAboveInput),
				part(live.peakAboveInput - engine.peakAboveInput),
				part(node.rssAboveInput),
				part(axios.rssAboveInput),
			]);
			largest = live;
		}
		print('', '**Time, 4 concurrent requests, 100 documents each**', '');
		print(
			table(
				[
					'documents',
					'seconds',
					'µs/document',
					'of it in the node',
					'axios µs/document',
					'node : axios',
				],
				times,
			),
		);
		print('', '**Memory above the input, as a part of the input**', '');
		print(
			table(
				[
					'documents',
					'input MB',
					'run in use',
					'engine alone',
					'node',
					'run with garbage',
					'axios with garbage',
				],
				memory,
			),
		);
		if (largest && !quick) {
			const documents = sizes[sizes.length - 1];
			print('');
			for (const above of [TARGET, 0.5]) {
				const heapMb = PROGRAM_MB + (largest.inputBytes * (1 + above)) / 2 ** 20;
				const capped = await run(
					{ client: 'node', documents, measure: 'time' },
					Math.ceil(heapMb),
				);
				if (!capped && above === TARGET) throw new Error(`More than ${TARGET} x the input`);
				const outcome = capped
					? `done in ${(capped.ms / 1000).toFixed(1)} s`
					: 'out of memory';
				print(
					`${whole(documents)} documents in a heap of the input + ${above} x the input + ${PROGRAM_MB} MB for the program (${whole(heapMb)} MB): ${outcome}`,
				);
			}
		}
	} finally {
		sink.close();
	}
	return quick
		? 'each document was returned as an item.'
		: `each document was returned as an item, in a heap of the input and ${TARGET} x the input.`;
}
