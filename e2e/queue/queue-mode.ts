import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { N8nApi } from '../n8n/api';
import { installN8n, n8nVersion } from '../n8n/install';
import { installPackage, packPackage } from '../n8n/package';
import { startN8n } from '../n8n/process';
import type { StoredWorkflow, Workflow } from '../n8n/workflow';
import { readTemplate, saveCredentials } from '../service/templates';
import type { Command } from '../shared/command';
import { QUEUE_WORKFLOWS_FOLDER } from '../shared/paths';
import { freePort } from '../shared/ports';
import { step } from '../shared/progress';
import type { DatabasePrograms } from './databases';
import { findDatabases, QUEUE_LOGS, startPostgres, startRedis } from './databases';
import type { Worker } from './worker';
import { startWorker } from './worker';

/** Machines with a worker. */
const WORKERS = 2;

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
	/** Starts a worker on a machine of its own, which runs so many executions at once. */
	addWorker(concurrency?: number): Promise<Worker>;
	/** Where n8n is for its callers. */
	n8nUrl: string;
	/** Stores and publishes the workflow of a file, or what is made of it. */
	publish(file: string, change?: (workflow: Workflow) => void): Promise<StoredWorkflow>;
}

/**
 * Starts n8n in queue mode: Redis, PostgreSQL, a main process and workers, each with the package.
 * Everything stops with the command.
 * @throws Error if a step fails
 */
export async function startQueueMode(command: Command): Promise<QueueMode> {
	const programs = await findDatabases();
	await installN8n();
	const packed = await step('Building and packing the package', packPackage);
	const root = await command.temporaryFolder('queue');
	const sandbox = await startSandbox({ settings: { revokePreviousTokens: true } });
	command.onStop(async () => await sandbox.close());
	const settings = await startDatabases(command, programs);
	const mainFolder = await machine('main');
	const port = await freePort();
	const logFile = path.join(QUEUE_LOGS, 'main.log');
	const main = await step(
		`Starting n8n ${n8nVersion()}`,
		async () => await startN8n(mainFolder, port, { settings, logFile }),
	);
	const workers: Worker[] = [];
	let machines = 0;
	const addWorker: QueueMode['addWorker'] = async (concurrency) => {
		const name = `worker-${++machines}`;
		const folder = await machine(name);
		const worker = await startWorker(name, folder, settings, concurrency);
		workers.push(worker);
		return worker;
	};
	await step(`Starting workers: ${WORKERS}`, async () => {
		while (workers.length < WORKERS) await addWorker();
	});
	const { workflows, publish } = await step(
		'Importing credentials and workflows',
		async () => await importWorkflows(main.api, sandbox),
	);
	const restart = async ({ name, userFolder, concurrency: its }: Worker) =>
		await startWorker(`${name}-again`, userFolder, settings, its);
	const { api, url: n8nUrl } = main;
	const mode = { sandbox, api, n8nUrl, workers, workflows, publish };
	return { ...mode, restart, addWorker };

	async function machine(name: string): Promise<string> {
		const folder = path.join(root, name);
		await mkdir(folder);
		await installPackage(packed, folder);
		return folder;
	}
}

/** Starts Redis and PostgreSQL; returns the settings of every n8n process that uses them. */
async function startDatabases(
	command: Command,
	programs: DatabasePrograms,
): Promise<Record<string, string>> {
	return {
		...(await step('Starting Redis', async () => await startRedis(programs))),
		...(await step('Starting PostgreSQL', async () => await startPostgres(command, programs))),
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
): Promise<Pick<QueueMode, 'workflows' | 'publish'>> {
	const credentials = await saveCredentials(api, sandbox);
	const publish: QueueMode['publish'] = async (file, change) => {
		const template = readTemplate(file, credentials, sandbox);
		change?.(template);
		const existing = await api.findWorkflow(template.name);
		const workflow = await api.saveWorkflow(template, existing?.id);
		await api.activate(workflow);
		return workflow;
	};
	const saved: Partial<Record<QueueWorkflow, StoredWorkflow>> = {};
	for (const name of QUEUE_WORKFLOWS)
		saved[name] = await publish(path.join(QUEUE_WORKFLOWS_FOLDER, `${name}.json`));
	return { workflows: saved as Record<QueueWorkflow, StoredWorkflow>, publish };
}
