/**
 * Tests n8n in queue mode with Redis, PostgreSQL and two workers. The test runs many executions concurrently, kills a
 * busy worker, spreads a file across all workers, and runs syncs. First, it compares copies of n8n's code in support/
 * with the installed n8n. The exit code is 0 only if every check passed.
 */
import { compareCredentialCode } from './n8n/credential-code';
import { QUEUE_LOGS } from './queue/databases';
import { startQueueMode } from './queue/queue-mode';
import { fanOut, killedWorker, sharedTokens } from './queue/runs';
import type { QueueStage } from './queue/stage';
import { syncs } from './queue/syncs';
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
	await step('Syncs', async () => await syncs(stage));
	const passed = printChecks(stage.checks);
	if (!passed) say(`\nThe logs of all processes are in ${QUEUE_LOGS}`);
	return passed;
});
