/**
 * The example Fan Out over Workers in queue mode, with workers that run one execution each: its speed with 1, 2
 * and 4 of them, a worker that is killed, and with `-- --restarts` what happens if Redis, PostgreSQL or n8n's main
 * process ends meanwhile; with `-- --copies 100` only what a file of so many MB costs in n8n's database. Exit code 0 only if every check passed.
 */
import { parseArgs } from 'node:util';

import {
	fanOutCopies,
	fanOutKilledWorker,
	fanOutRestarts,
	fanOutSpeed,
	prepareFanOut,
	WORKERS,
} from './queue/fan-out';
import { QUEUE_LOGS } from './queue/databases';
import { startQueueMode } from './queue/queue-mode';
import { Checks } from './shared/checks';
import { runCommand } from './shared/command';
import { say } from './shared/progress';
import { printChecks, printTable } from './shared/report';

const LATENCY_MS = 50;

const { values } = parseArgs({
	options: {
		records: { type: 'string', default: '40000' },
		restarts: { type: 'boolean', default: false },
		copies: { type: 'string' },
		'without-speed': { type: 'boolean', default: false },
	},
});

runCommand(async (command) => {
	say('One file over all workers of queue mode');
	const { copies, restarts, 'without-speed': withoutSpeed } = values;
	const isWhole = copies === undefined && !withoutSpeed;
	const size = { workers: isWhole ? 1 : 4, concurrency: 1 };
	const mode = await startQueueMode(command, size);
	const records = Number(values.records);
	const stage = await prepareFanOut(mode, new Checks(), { records, latencyMs: LATENCY_MS });
	if (copies !== undefined) {
		printTable(`A file of ${copies} MB`, await fanOutCopies(stage, Number(copies)));
		return printChecks(stage.checks);
	}
	if (isWhole) printTable('Fan-out: first start to last end', await fanOutSpeed(stage, WORKERS));
	printTable('Fan-out: a worker is killed', await fanOutKilledWorker(stage));
	if (restarts) printTable('Fan-out: restarts', await fanOutRestarts(stage));
	const passed = printChecks(stage.checks, isWhole && restarts ? 'fan-out' : undefined);
	if (!passed) say(`\nThe logs of all processes are in ${QUEUE_LOGS}`);
	return passed;
});
