import { readFileSync } from 'node:fs';
import path from 'node:path';

import { n8nCommand } from './n8n';
import type { RunningProcess } from './processes';
import { startUntil } from './processes';
import { QUEUE_LOGS } from './queue-services';

/** Executions a worker runs at once; n8n's own default. */
export const CONCURRENCY = 10;

/** One of n8n's workers. */
export interface Worker {
	name: string;
	process: RunningProcess;
	/** IDs of the executions it has started so far, as its log tells. */
	started(): string[];
	/** IDs of those it has brought to an end, or to a Wait node that needs no worker. */
	finished(): string[];
}

function idsIn(logFile: string, verb: string): string[] {
	const log = readFileSync(logFile, 'utf8');
	const matches = log.matchAll(new RegExp(`Worker ${verb} execution (\\d+)`, 'g'));
	return [...matches].map(([, id]) => id);
}

/**
 * Starts a worker on a user folder of its own, as on a machine of its own.
 * @throws Error with the tail of its log when it doesn't come up
 */
export async function startWorker(
	name: string,
	userFolder: string,
	settings: Record<string, string>,
): Promise<Worker> {
	const logFile = path.join(QUEUE_LOGS, `${name}.log`);
	const { command, args, cwd, env } = await n8nCommand(
		userFolder,
		['worker', `--concurrency=${CONCURRENCY}`],
		settings,
	);
	const child = await startUntil('n8n worker is now ready', command, args, { cwd, env, logFile });
	return {
		name,
		process: child,
		started: () => idsIn(logFile, 'started'),
		finished: () => idsIn(logFile, 'finished'),
	};
}
