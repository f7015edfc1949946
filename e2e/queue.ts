/**
 * n8n in queue mode with Redis, PostgreSQL and two workers: many concurrent executions, then a worker
 * that is killed in the middle of its work. Exit code 0 only if every check passed.
 */
import { QUEUE_LOGS } from './queue/databases';
import { killedWorker } from './queue/killed-worker';
import { manyExecutions } from './queue/many-executions';
import { startQueueMode } from './queue/queue-mode';
import type { QueueStage } from './queue/stage';
import { Checks } from './shared/checks';
import { runCommand } from './shared/command';
import { say, step } from './shared/progress';
import { printChecks, printTable } from './shared/report';

runCommand(async (command) => {
	say('n8n-nodes-search-ingest in queue mode');
	const queueMode = await startQueueMode(command);
	const stage: QueueStage = { ...queueMode, checks: new Checks(), deliveries: [] };
	await stage.sandbox.warmUp();
	const many = await step('Run 1: many executions', async () => await manyExecutions(stage));
	const killed = await step('Run 2: a worker is killed', async () => await killedWorker(stage));
	printTable('Run 1: many concurrent executions', many);
	printTable('Run 2: a worker is killed', killed);
	const passed = printChecks(stage.checks);
	if (!passed) say(`\nThe logs of all processes are in ${QUEUE_LOGS}`);
	return passed;
});
