import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { Execution } from '../n8n/execution';
import type { Workflow } from '../n8n/workflow';
import { EXAMPLES } from '../shared/paths';
import { until } from '../shared/wait';
import type { SourcesStage } from './stage';

export const BY_TIME = 'Every Night';
export const BY_HAND = 'Delete What Is Missing';
export const SHOW_PLAN = 'Show the Plan';

const WITHIN_MS = 120_000;

export type Cases = Record<string, (stage: SourcesStage) => Promise<void>>;

/** Returns cases that use one source. The first case starts the source, and each goes on from the one before. */
export function inTurn<Source>(
	start: (stage: SourcesStage) => Promise<Source>,
	steps: Record<string, (source: Source) => Promise<void>>,
): Cases {
	let started: Promise<Source> | undefined;
	const cases = Object.entries(steps).map(([name, run]): [string, Cases[string]] => [
		name,
		async (stage) => await run(await (started ??= start(stage))),
	]);
	return Object.fromEntries(cases);
}

/**
 * Reads an example with changes.
 *
 * @param changes what the regular expressions match, and its replacements
 */
export function readExample(
	name: string,
	changes: Array<[from: RegExp, to: string]> = [],
): Workflow {
	let text = readFileSync(path.join(EXAMPLES, `${name}.json`), 'utf8');
	for (const [from, to] of changes) {
		if (!from.test(text)) throw new Error(`${name} has no ${from.source}`);
		text = text.replace(from, () => to);
	}
	return JSON.parse(text) as Workflow;
}

/** Matches a value of an Edit Fields node. */
export const valueOf = (name: string): RegExp =>
	new RegExp(`(?<="name": "${name}",\\s+"value": )[^,\\n]*`);

export const result = (execution: Execution): Record<string, unknown> =>
	execution.items('Result')[0]?.json ?? {};

/** Returns what a sync has counted, in words. */
export function counted(execution: Execution): string {
	const counts = [
		'pushed',
		'deleted',
		'notIndexed',
		'unchanged',
		'failed',
		'withheld',
		'unreadable',
	];
	const shown = counts
		.filter((name) => result(execution)[name])
		.map((name) => `${name} ${String(result(execution)[name])}`);
	return [execution.status, ...shown].join(', ');
}

/** Returns what a plan has counted, in words. */
export function plannedIn(plan: Record<string, unknown>): string {
	const counts = ['new', 'changed', 'missing', 'unchanged', 'unreadable', 'later', 'withheld'];
	return counts
		.filter((name) => plan[name])
		.map((name) => `${name} ${String(plan[name])}`)
		.join(', ');
}

/**
 * Shows the plan of a sync. Checks what it counts, and that it sends nothing to the service and writes nothing to a table.
 *
 * @param show returns the plan. By default, the trigger is started by hand
 */
export async function checkPlan(
	{ n8n, sandbox, checks }: SourcesStage,
	{ id, name }: { id: string; name: string },
	when: string,
	expected: string,
	show?: () => Promise<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
	const { api } = n8n;
	const tables = async () =>
		JSON.stringify([
			await api.dataTables.names(),
			await api.dataTables.rows('Sync Runs'),
			await api.dataTables.rows(`Synced Documents ${id}`),
		]);
	const before = await tables();
	const sent = sandbox.requests.length;
	const byHand = async () => {
		const execution = await api.runManually(id, SHOW_PLAN);
		return execution.items('Plan')[0]?.json ?? { error: execution.message };
	};
	const plan = await (show ?? byHand)();
	const seen = plannedIn(plan);
	checks.add(`${name}, the plan ${when}: ${expected}`, seen === expected, JSON.stringify(plan));
	const requests = sandbox.requests.length - sent;
	const isWritten = (await tables()) !== before;
	checks.add(
		`${name}, the plan ${when} sends nothing and writes nothing`,
		requests === 0 && !isWritten,
		`${requests} requests${isWritten ? ', and a table has changed' : ''}`,
	);
	return plan;
}

/** Starts two runs that push at the same time. Returns their counts, and why the second one was refused. */
export async function startTwo(
	{ sandbox }: SourcesStage,
	start: () => Promise<Execution>,
): Promise<{ counts: string; refusal: string }> {
	sandbox.faults.add({ route: 'push', latencyMs: 1000 });
	const runs = await Promise.all([start(), start()]);
	sandbox.faults.clear();
	const { message = '' } = runs.find(({ status }) => status === 'error') ?? {};
	return {
		counts: runs.map(counted).sort().join('; '),
		refusal: /another run has not ended/.exec(message)?.[0] ?? message,
	};
}

/**
 * Kills n8n after a run has pushed its second batch, and starts n8n again.
 *
 * @returns the first run after that, while the killed run still has its lock
 */
export async function killInTheMiddle(
	stage: SourcesStage,
	start: () => Promise<Execution>,
): Promise<Execution> {
	const { faults } = stage.sandbox;
	faults.add({ route: 'push', latencyMs: 700 });
	const before = pushes(stage);
	const run = start().catch(() => undefined);
	await until(() => pushes(stage) > before + 1, WITHIN_MS);
	await stage.kill();
	await run;
	await stage.restart();
	faults.clear();
	return await start();
}

/** Deletes the lock of a killed run, so that the next run does not have to wait until it expires. */
export async function deleteLock({ n8n }: SourcesStage, workflowId: string): Promise<void> {
	await n8n.api.dataTables.deleteWith(`Synced Documents ${workflowId}`, 'lockedUntil');
}

/** Returns the number of pushes so far. */
export const pushes = ({ sandbox }: SourcesStage): number =>
	sandbox.requests.filter(({ route }) => route === 'push').length;
