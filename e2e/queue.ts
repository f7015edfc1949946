/**
 * n8n in queue mode with Redis, PostgreSQL and two workers: many executions at once, a worker that is killed in the
 * middle of its work, a file over all workers. Exit code 0 only if every check passed. Before that,
 * copies of n8n's code in support/ are compared with the installed n8n.
 */
import { compareCredentialCode } from './n8n/credential-code';
import { QUEUE_LOGS } from './queue/databases';
import { startQueueMode } from './queue/queue-mode';
import { fanOut, killedWorker, sharedTokens } from './queue/runs';
import type { QueueStage } from './queue/stage';
import { Checks, printChecks } from './shared/checks';
import { runCommand } from './shared/command';
import { say, step } from './shared/progress';

runCommand(async (command) => {
	say('n8n-nodes-search-ingest in queue mode');
	const stage: QueueStage = {
		...(await startQueueMode(command)),
		checks: new Checks(),
		model: new Set(),
	};
	await step("Copies of n8n's code", async () => await compareCredentialCode(stage.checks));
	await step('Many executions', async () => await sharedTokens(stage));
	await step('A worker is killed', async () => await killedWorker(stage));
	await step('A file over all workers', async () => await fanOut(stage));
	const passed = printChecks(stage.checks);
	if (!passed) say(`\nThe logs of all processes are in ${QUEUE_LOGS}`);
	return passed;
});
