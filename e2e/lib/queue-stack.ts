import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { StoredWorkflow } from './demo';
import { readTemplate, saveCredentials } from './demo';
import { installN8n, n8nVersion } from './install';
import { startN8n } from './n8n';
import type { N8nApi } from './n8n-api';
import { installPackage, packPackage } from './package';
import { WORKFLOWS } from './paths';
import { freePort } from './ports';
import { stopAll } from './processes';
import { step } from './progress';
import { findServicePrograms, QUEUE_LOGS, startPostgres, startRedis } from './queue-services';
import type { Worker } from './queue-worker';
import { startWorker } from './queue-worker';

/** The machines of the test: n8n's main process and its workers. */
const MACHINES = ['main', 'worker-1', 'worker-2'] as const;

/** The workflows of e2e/workflows; each answers to a webhook of its file's name. */
export const QUEUE_WORKFLOWS = ['queue-ingest', 'queue-submit', 'queue-resume'] as const;

export type QueueWorkflow = (typeof QUEUE_WORKFLOWS)[number];

/**
 * How soon n8n notices that a worker is gone, much sooner than it usually does (60, 10 and 30
 * seconds), so that the test is quick.
 */
const LOCKS = {
	QUEUE_WORKER_LOCK_DURATION: '15000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/** How long a worker finishes what it has under way when it is asked to end. */
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

/** n8n in queue mode: Redis, PostgreSQL, a main process and two workers, each with the package. */
export class QueueStack {
	private readonly folders: string[] = [];

	private sandbox: Sandbox | undefined;

	private stopped: Promise<void> | undefined;

	/** True from the moment it is being stopped. */
	get isStopping(): boolean {
		return this.stopped !== undefined;
	}

	/**
	 * Brings everything up.
	 * @throws Error when a step fails; `stop` is to be called all the same
	 */
	async start(): Promise<QueueMode> {
		const programs = await findServicePrograms();
		await installN8n();
		const packed = await step('Building and packing the package', packPackage);
		const root = await mkdtemp(path.join(tmpdir(), 'search-ingest-queue-'));
		this.folders.push(root);
		const folderOf = (machine: string) => path.join(root, machine);
		await step('Installing the package for main and workers', async () => {
			for (const machine of MACHINES) {
				await mkdir(folderOf(machine));
				await installPackage(packed, folderOf(machine));
			}
		});
		const sandbox = await startSandbox({ settings: { revokeFormerTokens: true } });
		this.sandbox = sandbox;
		const redis = await step('Starting Redis', async () => await startRedis(programs));
		const postgres = await step(
			'Starting PostgreSQL',
			async () => await startPostgres(programs, (folder) => this.folders.push(folder)),
		);
		const settings = {
			...redis,
			...postgres,
			...LOCKS,
			EXECUTIONS_MODE: 'queue',
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			N8N_GRACEFUL_SHUTDOWN_TIMEOUT: SHUTDOWN_SECONDS,
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('base64url'),
		};
		const main = await step(`Starting n8n ${n8nVersion()}`, async () => {
			const logFile = path.join(QUEUE_LOGS, 'main.log');
			return await startN8n(folderOf('main'), await freePort(), settings, logFile);
		});
		const launch = async (name: string, machine: string) =>
			await startWorker(name, folderOf(machine), settings);
		const [, ...machines] = MACHINES;
		const workers = await step(
			`Starting ${machines.length} workers`,
			async () =>
				await Promise.all(machines.map(async (machine) => await launch(machine, machine))),
		);
		const workflows = await step(
			'Importing credentials and workflows',
			async () => await importWorkflows(main.api, sandbox),
		);
		const restart = async ({ name }: Worker) => await launch(`${name}-again`, name);
		return { sandbox, api: main.api, workers, workflows, restart };
	}

	/** Stops all of it, however often it is called. */
	async stop(): Promise<void> {
		await (this.stopped ??= this.stopEverything());
	}

	private async stopEverything(): Promise<void> {
		await stopAll();
		await this.sandbox?.close();
		for (const folder of this.folders) await rm(folder, { recursive: true, force: true });
	}
}

/** Puts credentials and workflows into n8n and publishes the workflows. */
async function importWorkflows(
	api: N8nApi,
	sandbox: Sandbox,
): Promise<Record<QueueWorkflow, StoredWorkflow>> {
	const credentials = await saveCredentials(api, sandbox);
	const saved: Partial<Record<QueueWorkflow, StoredWorkflow>> = {};
	for (const name of QUEUE_WORKFLOWS) {
		const template = readTemplate(path.join(WORKFLOWS, `${name}.json`), credentials, sandbox);
		const workflow = await api.saveWorkflow(template);
		await api.activate(workflow);
		saved[name] = workflow;
	}
	return saved as Record<QueueWorkflow, StoredWorkflow>;
}
