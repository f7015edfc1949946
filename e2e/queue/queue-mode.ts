import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import { startSandbox } from '../../sandbox';
import type { N8nApi } from '../n8n/api';
import { installN8n, n8nVersion } from '../n8n/install';
import { installPackage, packPackage } from '../n8n/package';
import { startN8n, startN8nProcess } from '../n8n/process';
import type { StoredWorkflow } from '../n8n/workflow';
import type { Credentials } from '../service/templates';
import { readTemplate, saveCredentials } from '../service/templates';
import type { Command } from '../shared/command';
import { EXAMPLES, QUEUE_WORKFLOWS_FOLDER } from '../shared/paths';
import { freePort } from '../shared/ports';
import type { RunningProcess } from '../shared/processes';
import { step } from '../shared/progress';
import { QUEUE_LOGS, startDatabases } from './databases';

const WORKERS = 2;

/** Workflows for the test. Each has a webhook named after its file. */
const WORKFLOWS = {
	'queue-ingest': QUEUE_WORKFLOWS_FOLDER,
	'queue-file': QUEUE_WORKFLOWS_FOLDER,
	'fan-out-one-range': EXAMPLES,
	'fan-out-over-workers': EXAMPLES,
} as const;

type WorkflowName = keyof typeof WORKFLOWS;

/**
 * Settings that determine how soon n8n notices that a worker has ended. Their values are much lower than the defaults
 * (60, 10 and 30 seconds) to make the test fast.
 */
const LOCKS = {
	QUEUE_WORKER_LOCK_DURATION: '15000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/** Maximum time in which a worker can finish its executions after it is asked to stop. */
const SHUTDOWN_SECONDS = '5';

export interface Worker {
	name: string;
	/** A restarted worker uses the same user folder. */
	userFolder: string;
	process: RunningProcess;
	log(): string;
	/** Returns the IDs of the executions that the worker has started so far, according to its log. */
	started(): string[];
	/** Returns the IDs of the executions that the worker has started but not finished. */
	underWay(): string[];
}

export interface QueueMode {
	sandbox: Sandbox;
	api: N8nApi;
	workers: Worker[];
	credentials: Credentials;
	workflows: Record<WorkflowName, StoredWorkflow>;
	restart(worker: Worker): Promise<void>;
	n8nUrl: string;
}

/**
 * Starts n8n in queue mode, with Redis, PostgreSQL, a main process and workers. The package is installed for the main
 * process and for each worker. Everything is stopped when the command ends.
 */
export async function startQueueMode(command: Command): Promise<QueueMode> {
	await installN8n();
	const packed = await step('Building and packing the package', packPackage);
	const root = await command.temporaryFolder('queue');
	const sandbox = await startSandbox({ settings: { revokePreviousTokens: true } });
	command.onStop(async () => await sandbox.close());
	const machine = async (name: string): Promise<string> => {
		const folder = path.join(root, name);
		await mkdir(folder);
		await installPackage(packed, folder);
		return folder;
	};
	const settings = {
		...(await step('Starting Redis and PostgreSQL', async () => await startDatabases(command))),
		...LOCKS,
		EXECUTIONS_MODE: 'queue',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: SHUTDOWN_SECONDS,
		N8N_ENCRYPTION_KEY: randomBytes(24).toString('base64url'),
	};
	const logFile = path.join(QUEUE_LOGS, 'main.log');
	const mainFolder = await machine('main');
	const { api, url: n8nUrl } = await step(
		`Starting n8n ${n8nVersion()}`,
		async () => await startN8n(mainFolder, await freePort(), { settings, logFile }),
	);
	const workers: Worker[] = [];
	await step(`Starting workers: ${WORKERS}`, async () => {
		for (let number = 1; number <= WORKERS; number++) {
			const name = `worker-${number}`;
			workers.push(await startWorker(name, await machine(name), settings));
		}
	});
	const { credentials, workflows } = await step(
		'Importing credentials and workflows',
		async () => await importWorkflows(api, sandbox),
	);
	const restart = async ({ name, userFolder }: Worker) =>
		void workers.push(await startWorker(`${name}-again`, userFolder, settings));
	return { sandbox, api, n8nUrl, workers, credentials, workflows, restart };
}

/** Starts a worker with its own user folder, as if it ran on its own machine. */
async function startWorker(
	name: string,
	userFolder: string,
	settings: Record<string, string>,
): Promise<Worker> {
	const logFile = path.join(QUEUE_LOGS, `${name}.log`);
	const ready = 'n8n worker is now ready';
	const options = { settings, logFile };
	const child = await startN8nProcess(userFolder, ['worker'], ready, options);
	const log = () => readFileSync(logFile, 'utf8');
	const idsAfter = (verb: string) =>
		[...log().matchAll(new RegExp(`Worker ${verb} execution (\\d+)`, 'g'))].map(([, id]) => id);
	const started = () => idsAfter('started');
	const underWay = () => {
		const finished = new Set(idsAfter('finished'));
		return started().filter((id) => !finished.has(id));
	};
	return { name, userFolder, process: child, log, started, underWay };
}

async function importWorkflows(
	api: N8nApi,
	sandbox: Sandbox,
): Promise<Pick<QueueMode, 'credentials' | 'workflows'>> {
	const credentials = await saveCredentials(api, sandbox);
	const saved: Partial<QueueMode['workflows']> = {};
	for (const [name, folder] of Object.entries(WORKFLOWS) as Array<[WorkflowName, string]>) {
		const file = path.join(folder, `${name}.json`);
		const workflow = await api.saveWorkflow(readTemplate(file, credentials, sandbox));
		await api.activate(workflow);
		saved[name] = workflow;
	}
	return { credentials, workflows: saved as QueueMode['workflows'] };
}
