/**
 * n8n in queue mode with Redis, PostgreSQL and two workers: many executions at once, then a worker
 * that is killed in the middle of its work.
 */
import { Checks } from './lib/checks';
import { whenOrphaned } from './lib/orphan';
import { say, step } from './lib/progress';
import { killedWorker } from './lib/queue-kill';
import type { QueueStage } from './lib/queue-scenarios';
import { manyAtOnce } from './lib/queue-scenarios';
import { QUEUE_LOGS } from './lib/queue-services';
import { QueueStack } from './lib/queue-stack';
import { listChecks, table } from './lib/report';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Exit code of a program ended by Ctrl-C. */
const INTERRUPTED = 130;

/** Brings everything up and does both runs; returns whether every check passed. */
async function main(stack: QueueStack): Promise<boolean> {
	say('n8n-nodes-search-ingest in queue mode');
	const stage: QueueStage = { ...(await stack.start()), checks: new Checks(), deliveries: [] };
	await stage.sandbox.warmUp();
	const many = await step('Run 1: many executions', async () => await manyAtOnce(stage));
	const killed = await step('Run 2: a worker is killed', async () => await killedWorker(stage));
	for (const [title, figures] of [
		['Run 1: many executions at once', many],
		['Run 2: a worker is killed', killed],
	] as const) {
		say(`\n${title}`);
		table(figures);
	}
	const { checks } = stage;
	listChecks(checks);
	const failed = checks.failed.length;
	if (failed > 0) say(`\nThe logs of all processes are in ${QUEUE_LOGS}`);
	say(`\n${checks.all.length - failed} passed, ${failed} failed`);
	return failed === 0;
}

const stack = new QueueStack();

/** Ends the process once everything is stopped. */
async function end(code: number): Promise<void> {
	await stack.stop();
	process.exit(code);
}

function interrupt(): void {
	if (!stack.isStopping) say('\nStopping …');
	void end(INTERRUPTED);
}

for (const signal of SIGNALS) process.on(signal, interrupt);
whenOrphaned(interrupt);

main(stack).then(
	async (passed) => await end(passed ? 0 : 1),
	async (error: unknown) => {
		if (!stack.isStopping) say(`\n${error instanceof Error ? error.message : String(error)}`);
		await end(1);
	},
);
