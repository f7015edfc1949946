/**
 * n8n in queue mode with Redis, PostgreSQL and two workers: many concurrent executions, a worker that
 * is killed in the middle of its work, and one that is killed in the middle of a file; then one file over 4 workers. Exit code 0 only if every check passed.
 */
import { parseArgs } from 'node:util';

import { QUEUE_LOGS } from './queue/databases';
import { fanOut, prepareFanOut } from './queue/fan-out';
import { files } from './queue/files';
import { killedWorker } from './queue/killed-worker';
import { manyExecutions } from './queue/many-executions';
import { startQueueMode } from './queue/queue-mode';
import type { QueueStage } from './queue/stage';
import { Checks } from './shared/checks';
import { runCommand } from './shared/command';
import { say, step } from './shared/progress';
import { printChecks, printTable } from './shared/report';

/** A service that needs a while for each request. */
const FAN_OUT = { records: 8000, latencyMs: 200 };

/** The size of the files: `-- --megabytes 100`. */
function megabytes(): number {
	const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '5' } } });
	return Number(values.megabytes);
}

runCommand(async (command) => {
	say('n8n-nodes-search-ingest in queue mode');
	const queueMode = await startQueueMode(command);
	const stage: QueueStage = { ...queueMode, checks: new Checks(), deliveries: [] };
	const many = await step('Run 1: many executions', async () => await manyExecutions(stage));
	const killed = await step('Run 2: a worker is killed', async () => await killedWorker(stage));
	const ofFiles = await step('Run 3: files', async () => await files(stage, megabytes()));
	const speed = await fanOut(await prepareFanOut(stage, stage.checks, FAN_OUT));
	printTable('Run 1: many concurrent executions', many);
	printTable('Run 2: a worker is killed', killed);
	printTable('Run 3: files, and a worker is killed', ofFiles);
	printTable('Run 4: one file over all workers, from the first start to the last end', speed);
	const passed = printChecks(stage.checks);
	if (!passed) say(`\nThe logs of all processes are in ${QUEUE_LOGS}`);
	return passed;
});
