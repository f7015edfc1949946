import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';

import { chunkWait } from './chunk-wait';
import { files } from './files';
import type { BenchOptions } from './lib/options';
import { print } from './lib/table';
import { minimal } from './minimal-node';
import { pushThroughput } from './push-throughput';
import { rateLimit } from './rate-limit';
import { sync } from './sync';

/**
 * All benchmarks by name. Each benchmark prints its figures and returns a message about what it has checked. If a check
 * fails, the benchmark throws an error.
 */
const BENCHMARKS: Record<string, (options: BenchOptions) => Promise<string>> = {
	'minimal-node': minimal,
	'push-throughput': pushThroughput,
	files,
	'chunk-wait': chunkWait,
	'rate-limit': rateLimit,
	sync,
};

/** These benchmarks need a complete n8n and a long time, so they run only if they are named. */
const BY_HAND = ['sync'];

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			quick: { type: 'boolean', default: false },
			rows: { type: 'string', default: '' },
			help: { type: 'boolean' },
		},
	});
	const all = Object.keys(BENCHMARKS);
	const byDefault = all.filter((name) => !BY_HAND.includes(name));
	const unknown = positionals.filter((name) => !all.includes(name));
	if (values.help || unknown.length > 0) {
		print(`npm run bench -- [--quick] [--rows <regular expression>] [${all.join(' | ')}] ...`);
		process.exit(unknown.length > 0 ? 1 : 0);
	}
	const { version: n8nCore } = JSON.parse(
		readFileSync(require.resolve('n8n-core/package.json'), 'utf8'),
	) as { version: string };
	const [{ model }] = cpus();
	print(
		`${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, Node ${process.version}, n8n-core ${n8nCore}`,
		`${cpus().length} CPUs (${model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, load before ${loadavg()[0].toFixed(1)}`,
	);
	for (const name of positionals.length > 0 ? positionals : byDefault) {
		const startedAt = Date.now();
		print('', `## ${name}`);
		const checked = await BENCHMARKS[name](values);
		print('', `Checked: ${checked} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
	}
}

main().then(
	() => process.exit(0),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
