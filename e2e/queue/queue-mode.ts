import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { N8nApi } from '../n8n/api';
import { installN8n, n8nVersion } from '../n8n/install';
import { installPackage, packPackage } from '../n8n/package';
import { startN8n } from '../n8n/process';
import type { StoredWorkflow } from '../n8n/workflow';
import { readTemplate, saveCredentials } from '../service/templates';
import type { Command } from '../shared/command';
import { QUEUE_WORKFLOWS_FOLDER } from '../shared/paths';
import { freePort } from '../shared/ports';
import { step } from '../shared/progress';
import type { DatabasePrograms } from './databases';
import { findDatabases, QUEUE_LOGS, startPostgres, startRedis } from './databases';
import type { Worker } from './worker';
import { startWorker } from './worker';

/** The machines of the test: n8n's main process and its workers. */
const MACHINES = ['main', 'worker-1', 'worker-2'] as const;

/** The workflows of e2e/queue/workflows; each has a webhook with the name of its file. */
const QUEUE_WORKFLOWS = [
	'queue-ingest',
	'queue-submit',
	'queue-resume',
	'queue-file',
	'queue-file-chunk',
] as const;

export type QueueWorkflow = (typeof QUEUE_WORKFLOWS)[number];

/**
 * How soon n8n notices that a worker is gone: much sooner than by default (60, 10 and 30 seconds),
 * so that the test is quick.
 */
const LOCKS = {
	QUEUE_WORKER_LOCK_DURATION: '15000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/** How long a worker may finish its executions when it is asked to end. */
const SHUTDOWN_SECONDS = '5';

/** A running queue mode. */
export interface QueueMode {
	sandbox: Sandbox;
	api: N8nApi;
	workers: Worker[];
	workflows: Record<QueueWorkflow, StoredWorkflow>;
	/** Starts a killed worker again, on the same machine. */
	restart(worker: Worker): Promise<Worker>;
}

/**
 * Starts n8n in queue mode: Redis, PostgreSQL, a main process and two workers, each with the package.
 * Everything stops with the command.
 * @throws Error if a step fails
 */
export async function startQueueMode(command: Command): Promise<QueueMode> {
	const programs = await findDatabases();
	await installN8n();
	const packed = await step('Building and packing the package', packPackage);
	const root = await command.temporaryFolder('queue');
	const folderOf = (machine: string) => path.join(root, machine);
	await step('Installing the package for main and workers', async () => {
		for (const machine of MACHINES) {
			await mkdir(folderOf(machine));
			await installPackage(packed, folderOf(machine));
		}
	});
	const sandbox = await startSandbox({ settings: { revokePreviousTokens: true } });
	command.onStop(async () => await sandbox.close());
	const settings = await startDatabases(command, programs);
	const main = await step(`Starting n8n ${n8nVersion()}`, async () => {
		const logFile = path.join(QUEUE_LOGS, 'main.log');
		return await startN8n(folderOf('main'), await freePort(), { settings, logFile });
	});
	const [, ...machines] = MACHINES;
	const workers = await step(
		`Starting ${machines.length} workers`,
		async () =>
			await Promise.all(
				machines.map(
					async (machine) => await startWorker(machine, folderOf(machine), settings),
				),
			),
	);
	const workflows = await step(
		'Importing credentials and workflows',
		async () => await importWorkflows(main.api, sandbox),
	);
	const restart = async ({ name, userFolder }: Worker) =>
		await startWorker(`${name}-again`, userFolder, settings);
	return { sandbox, api: main.api, workers, workflows, restart };
}

/** Starts Redis and PostgreSQL; returns the settings of every n8n process that uses them. */
async function startDatabases(
	command: Command,
	programs: DatabasePrograms,
): Promise<Record<string, string>> {
	const redis = await step('Starting Redis', async () => await startRedis(programs));
	const postgres = await step(
		'Starting PostgreSQL',
		async () => await startPostgres(command, programs),
	);
	return {
		...redis,
		...postgres,
		...LOCKS,
		EXECUTIONS_MODE: 'queue',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: SHUTDOWN_SECONDS,
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('base64url'),
	};
}

/** Stores credentials and workflows in n8n and publishes the workflows. */
async function importWorkflows(
	api: N8nApi,
	sandbox: Sandbox,
): Promise<Record<QueueWorkflow, StoredWorkflow>> {
	const credentials = await saveCredentials(api, sandbox);
	const saved: Partial<Record<QueueWorkflow, StoredWorkflow>> = {};
	for (const name of QUEUE_WORKFLOWS) {
		const template = readTemplate(
			path.join(QUEUE_WORKFLOWS_FOLDER, `${name}.json`),
			credentials,
			sandbox,
		);
		const workflow = await api.saveWorkflow(template);
		await api.activate(workflow);
		saved[name] = workflow;
	}
	return saved as Record<QueueWorkflow, StoredWorkflow>;
}
