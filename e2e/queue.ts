/**
 * n8n in queue mode with Redis, PostgreSQL and two workers: many concurrent executions, a worker that
 * is killed in the middle of its work, and one that is killed in the middle of a file. Exit code 0 only
 * if every check passed.
 */
import { parseArgs } from 'node:util';

import { QUEUE_LOGS } from './queue/databases';
import { files } from './queue/files';
import { killedWorker } from './queue/killed-worker';
import { manyExecutions } from './queue/many-executions';
import { startQueueMode } from './queue/queue-mode';
import type { QueueStage } from './queue/stage';
import { Checks } from './shared/checks';
import { runCommand } from './shared/command';
import { say, step } from './shared/progress';
import { printChecks, printTable } from './shared/report';

/** The size of the files: `-- --megabytes 100`. */
function megabytes(): number {
	const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '5' } } });
	return Number(values.megabytes);
}

runCommand(async (command) => {
	say('n8n-nodes-search-ingest in queue mode');
	const queueMode = await startQueueMode(command);
	const stage: QueueStage = { ...queueMode, checks: new Checks(), deliveries: [] };
	await stage.sandbox.warmUp();
	const many = await step('Run 1: many executions', async () => await manyExecutions(stage));
	const killed = await step('Run 2: a worker is killed', async () => await killedWorker(stage));
	const ofFiles = await step('Run 3: files', async () => await files(stage, megabytes()));
	printTable('Run 1: many concurrent executions', many);
	printTable('Run 2: a worker is killed', killed);
	printTable('Run 3: files, and a worker is killed', ofFiles);
	const passed = printChecks(stage.checks);
	if (!passed) say(`\nThe logs of all processes are in ${QUEUE_LOGS}`);
	return passed;
});
