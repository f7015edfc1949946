/**
 * The example Fan Out over Workers in queue mode, with workers that run one execution each: its speed with 1, 2
 * and 4 of them, a worker that is killed, and with `-- --restarts` what happens if Redis, PostgreSQL or n8n's main
 * process ends meanwhile. Exit code 0 only if every check passed.
 */
import { parseArgs } from 'node:util';

import { fanOutKilledWorker, fanOutRestarts, fanOutSpeed, prepareFanOut } from './queue/fan-out';
import { QUEUE_LOGS } from './queue/databases';
import { startQueueMode } from './queue/queue-mode';
import { Checks } from './shared/checks';
import { runCommand } from './shared/command';
import { say } from './shared/progress';
import { printChecks, printTable } from './shared/report';

const { values } = parseArgs({
	options: {
		records: { type: 'string', default: '40000' },
		restarts: { type: 'boolean', default: false },
		'without-speed': { type: 'boolean', default: false },
	},
});

runCommand(async (command) => {
	say('One file over all workers of queue mode');
	const withSpeed = !values['without-speed'];
	const size = { workers: withSpeed ? 1 : 4, concurrency: 1 };
	const mode = await startQueueMode(command, size);
	const stage = await prepareFanOut(mode, new Checks(), Number(values.records));
	if (withSpeed) printTable('Fan-out: first start to last end', await fanOutSpeed(stage));
	printTable('Fan-out: a worker is killed', await fanOutKilledWorker(stage));
	if (values.restarts) printTable('Fan-out: restarts', await fanOutRestarts(stage));
	const passed = printChecks(stage.checks);
	if (!passed) say(`\nThe logs of all processes are in ${QUEUE_LOGS}`);
	return passed;
});
