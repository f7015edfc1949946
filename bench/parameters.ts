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
export async function parameters({ quick }: BenchOptions): Promise<void> {
	const items = quick ? 1_000 : 20_000;
	const hasN8n = existsSync(N8N_NODE) && existsSync(join(MODULES, 'n8n-nodes-base'));
	for (const engine of hasN8n ? (['legacy', 'vm'] as const) : (['legacy'] as const)) {
		const read = async (
			reader: ReadParameters['reader'],
			expressions: ReadParameters['expressions'] = 'plain',
		): Promise<ReadResult> => {
			const node = engine === 'vm' ? { execPath: N8N_NODE } : {};
			const options = { reader, engine, items, expressions };
			const result = await isolated<ReadParameters, ReadResult>(
				'parameters',
				options,
				undefined,
				node,
			);
			if (!result) throw new Error('The heap was too small');
			return result;
		};
		const ours = await read('Parameters');
		const row = (name: string, { ms, blockedMs }: ReadResult): Cell[] => [
			name,
			whole(ms),
			whole((ms / items) * 1000),
			ratio(ms / ours.ms),
			whole(blockedMs),
		];
		const rows = [
			row('Parameters', ours),
			row('Parameters, no expressions', await read('no expressions')),
			row("n8n's getNodeParameter", await read('getNodeParameter')),
			...(hasN8n ? [row('Edit Fields', await read('Edit Fields'))] : []),
			row('Parameters, other expressions', await read('Parameters', 'other')),
		];
		print('', `**${whole(items)} items, 4 expressions each, engine ${engine}**`, '');
		print(table(['reader', 'ms', 'µs/item', 'reader : Parameters', 'blocked for ms'], rows));
	}
}
