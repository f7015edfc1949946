import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { isolated } from './lib/isolated';
import type { BenchOptions } from './lib/options';
import { print, ratio, table, whole, type Cell } from './lib/table';
import type { ReadParameters, ReadResult } from './tasks/parameters';

const MODULES = join(__dirname, '..', 'e2e', 'node_modules');
/** n8n's default engine needs a newer Node than this package does. */
const N8N_NODE = join(MODULES, '.bin', 'node');

/** Time to read four parameters of each item, and for how long nothing else could run. */
export async function parameters({ quick }: BenchOptions): Promise<string> {
	const items = quick ? 1_000 : 20_000;
	/** n8n's expressions take the same time for each item, and much of it. */
	const fewer = items / 10;
	const hasN8n = existsSync(N8N_NODE) && existsSync(join(MODULES, 'n8n-nodes-base'));
	for (const engine of hasN8n && !quick ? (['legacy', 'vm'] as const) : (['legacy'] as const)) {
		const read = async (options: Omit<ReadParameters, 'engine'>): Promise<ReadResult> => {
			const node = engine === 'vm' ? { execPath: N8N_NODE } : {};
			const result = await isolated<ReadParameters, ReadResult>(
				'parameters',
				{ ...options, engine },
				undefined,
				node,
			);
			if (!result) throw new Error('The heap was too small');
			return result;
		};
		const readers: Array<[string, Omit<ReadParameters, 'engine'>]> = [
			['Parameters', { reader: 'Parameters', expressions: 'plain', items }],
			[
				'Parameters, no expressions',
				{ reader: 'no expressions', expressions: 'plain', items },
			],
			[
				"n8n's getNodeParameter",
				{ reader: 'getNodeParameter', expressions: 'plain', items: fewer },
			],
			['Edit Fields', { reader: 'Edit Fields', expressions: 'plain', items: fewer }],
			[
				'Parameters, other expressions',
				{ reader: 'Parameters', expressions: 'other', items: fewer },
			],
		];
		const rows: Cell[][] = [];
		let ours = 0;
		for (const [name, options] of readers) {
			if (options.reader === 'Edit Fields' && !hasN8n) continue;
			const { ms, blockedMs } = await read(options);
			const each = (ms / options.items) * 1000;
			if (rows.length === 0) ours = each;
			rows.push([
				name,
				whole(options.items),
				whole(ms),
				whole(each),
				ratio(each / ours),
				whole(blockedMs),
			]);
		}
		print('', `**4 expressions for each item, engine ${engine}**`, '');
		print(
			table(
				['reader', 'items', 'ms', 'µs/item', 'reader : Parameters', 'blocked for ms'],
				rows,
			),
		);
	}
	return 'the last item has what its parameters say.';
}
