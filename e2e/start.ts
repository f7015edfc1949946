import type { Sandbox } from '../sandbox';
import { Checks } from './lib/checks';
import type { N8n } from './lib/n8n';
import { whenOrphaned } from './lib/orphan';
import { ON_OLD_N8N } from './lib/paths';
import { tail } from './lib/processes';
import { say, step } from './lib/progress';
import type { Story } from './lib/report';
import { printChecks, printStory } from './lib/report';
import type { Stage } from './lib/scenarios';
import {
	blobs,
	credentialTests,
	ingest,
	migrate,
	remove,
	rules,
	samples,
	submitAndWait,
	sync,
	update,
} from './lib/scenarios';
import { Stack } from './lib/stack';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Exit code of a program ended by Ctrl-C. */
const INTERRUPTED = 130;

/** Runs every example workflow on the running n8n. */
async function runExamples(stage: Stage): Promise<Story> {
	await step('Testing the credentials', async () => await credentialTests(stage));
	const ingested = await step('Ingesting the Markdown files', async () => await ingest(stage));
	const deleted = await step('Deleting one', async () => await remove(stage, ingested.victim));
	const migrated = await step('Migrating blobs', async () => await migrate(stage));
	const submitted = await step(
		'Submit, Wait, Get Results',
		async () => await submitAndWait(stage),
	);
	const updated = await step('Updating a document', async () => await update(stage));
	// It keeps its list in a Data Table, which n8n 1 cannot create from a workflow.
	const synced = ON_OLD_N8N
		? []
		: await step('Syncing a source three times', async () => await sync(stage));
	const ruled = await step('Rules with HTTP Request', async () => await rules(stage));
	const sampled = await step('Running the samples by hand', async () => await samples(stage));
	const runs = [
		ingested.run,
		deleted,
		migrated,
		submitted,
		...updated,
		...synced,
		ruled,
		...sampled,
	];
	return { ingested, migratedBlobs: (await blobs(stage)).length, runs };
}

function printSignIn(running: N8n, service: Sandbox): void {
	say();
	say(`The editor:  ${running.url}`);
	say(`Sign in as:  ${running.signIn.email}`);
	say(`Password:    ${running.signIn.password}`);
	say(`The service: ${service.url}/site-search/api/v1/search?q=chunk`);
	say();
	say('Ctrl-C stops everything; what you make in n8n is kept for the next start.');
}

/** Brings everything up and runs the examples; returns whether every check passed. */
async function main(stack: Stack, once: boolean): Promise<boolean> {
	say('n8n-nodes-search-ingest in a real n8n');
	const { sandbox, n8n, demo } = await stack.start();
	const checks = new Checks();
	const story = await runExamples({ api: n8n.api, sandbox, demo, checks });
	printStory(story, sandbox);
	printChecks(checks);
	const passed = checks.failed.length === 0;
	if (!passed) say(`\nThe last lines of n8n's log:\n${tail(n8n.logFile)}`);
	if (once) return passed;
	printSignIn(n8n, sandbox);
	// The editor stays; should n8n end by itself, so do we.
	const code = await n8n.process.ended;
	if (!stack.isStopping) throw new Error(`n8n ended with ${code}:\n${tail(n8n.logFile)}`);
	return true;
}

const once = process.argv.includes('--once');
const stack = new Stack(!once);

/** Ends the process once everything is stopped. */
async function end(code: number): Promise<void> {
	await stack.stop();
	process.exit(code);
}

function interrupt(): void {
	if (!stack.isStopping) say('\nStopping …');
	void end(once ? INTERRUPTED : 0);
}

for (const signal of SIGNALS) process.on(signal, interrupt);
whenOrphaned(interrupt);

main(stack, once).then(
	async (passed) => await end(passed ? 0 : 1),
	async (error: unknown) => {
		if (!stack.isStopping) say(`\n${error instanceof Error ? error.message : String(error)}`);
		await end(1);
	},
);
