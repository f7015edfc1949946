import { readFileSync } from 'node:fs';
import path from 'node:path';

import { startN8nProcess } from '../n8n/process';
import type { RunningProcess } from '../shared/processes';
import { QUEUE_LOGS } from './databases';

/** Executions a worker runs concurrently; n8n's own default. */
const CONCURRENCY = 10;

/** One of n8n's workers. */
export interface Worker {
	name: string;
	/** Its user folder, which the worker that takes its place has too. */
	userFolder: string;
	/** Executions it runs at once. */
	concurrency: number;
	process: RunningProcess;
	/** IDs of the executions it has started so far, according to its log. */
	started(): string[];
	/** IDs of those that have ended on it, or reached a Wait node that needs no worker. */
	finished(): string[];
	/** Its output so far. */
	log(): string;
}

function idsIn(logFile: string, verb: string): string[] {
	const log = readFileSync(logFile, 'utf8');
	const matches = log.matchAll(new RegExp(`Worker ${verb} execution (\\d+)`, 'g'));
	return [...matches].map(([, id]) => id);
}

/**
 * Starts a worker on a user folder of its own, as on a machine of its own.
 * @throws Error with the tail of its log if it does not come up
 */
export async function startWorker(
	name: string,
	userFolder: string,
	settings: Record<string, string>,
	concurrency = CONCURRENCY,
): Promise<Worker> {
	const logFile = path.join(QUEUE_LOGS, `${name}.log`);
	const child = await startN8nProcess(
		userFolder,
		['worker', `--concurrency=${concurrency}`],
		'n8n worker is now ready',
		{ settings, logFile },
	);
	return {
		name,
		userFolder,
		concurrency,
		process: child,
		started: () => idsIn(logFile, 'started'),
		finished: () => idsIn(logFile, 'finished'),
		log: () => readFileSync(logFile, 'utf8'),
	};
}
