import {
	computingOf,
	LOADS,
	measureComputing,
	MORE_LOADS,
	startService,
} from '../support/event-loop';
import type { BenchOptions } from './lib/options';
import { print, ratio, table, whole, type Cell } from './lib/table';

const ROUNDS = 3;
const QUICK_ITEMS = 500;

/** For how long each node keeps other executions of n8n waiting, at most. */
export async function eventLoop({ quick }: BenchOptions): Promise<string> {
	const service = await startService();
	const rows: Cell[][] = [];
	for (const load of [...LOADS, ...MORE_LOADS]) {
		const items = load.items().slice(0, quick ? QUICK_ITEMS : undefined);
		const steps: Array<{ longestMs: number; totalMs: number; copyMs: number }> = [];
		for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
			const copied = await measureComputing(async () => {
				await Promise.resolve(JSON.stringify(items));
			});
			const { result, ...computing } = await computingOf(
				{ ...load, items: () => items },
				service,
			);
			if (result.error) throw result.error;
			const returned = result.output.length + result.errorOutput.length;
			if (!quick && returned !== load.returns) {
				throw new Error(`${load.title}: ${returned} of ${load.returns} items`);
			}
			steps.push({ ...computing, copyMs: copied.totalMs });
		}
		const fastest = steps.sort((one, other) => one.longestMs - other.longestMs)[0];
		rows.push([
			load.title,
			whole(items.length),
			whole(fastest.totalMs),
			whole(fastest.longestMs),
			whole(steps.at(-1)?.longestMs ?? NaN),
			ratio(fastest.longestMs / fastest.copyMs),
		]);
	}
	service.stop();
	print('', '**Longest step between two turns of the event loop, ms of CPU**', '');
	print(
		table(
			['load', 'items', 'whole run', 'best', 'worst', 'best : JSON.stringify of the items'],
			rows,
		),
	);
	return quick
		? 'no node failed.'
		: 'no node failed, and each returned as many items as it should.';
}
