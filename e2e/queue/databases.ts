import { mkdir } from 'node:fs/promises';
import path from 'node:path';

import { outputOf, startPostgres } from '../service/postgres';
import type { Command } from '../shared/command';
import { CACHE } from '../shared/paths';
import { freePort } from '../shared/ports';
import { startUntil } from '../shared/processes';

const LOCAL = '127.0.0.1';

export const QUEUE_LOGS = path.join(CACHE, 'queue');

type DatabaseSettings = Record<string, string>;

/**
 * Starts Redis and PostgreSQL. Redis writes no files, and PostgreSQL uses a temporary folder. Only this machine can
 * reach the two databases.
 * @throws Error if a program is missing. The error says what to install
 */
export async function startDatabases(command: Command): Promise<DatabaseSettings> {
	if ((await outputOf('redis-server', ['--version'])) === '') {
		throw new Error(
			"n8n's queue mode needs Redis. Debian and Ubuntu: apt-get update && apt-get install -y redis-server",
		);
	}
	await mkdir(QUEUE_LOGS, { recursive: true });
	const { host, port, database, user } = await startPostgres(command, QUEUE_LOGS);
	return {
		...(await startRedis()),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: host,
		DB_POSTGRESDB_PORT: String(port),
		DB_POSTGRESDB_DATABASE: database,
		DB_POSTGRESDB_USER: user,
	};
}

async function startRedis(): Promise<DatabaseSettings> {
	const port = String(await freePort());
	const args = ['--bind', LOCAL, '--port', port, '--save', '', '--appendonly', 'no'];
	await startUntil('Ready to accept connections', 'redis-server', args, {
		cwd: QUEUE_LOGS,
		logFile: path.join(QUEUE_LOGS, 'redis.log'),
		lastSignal: 'SIGTERM',
	});
	return { QUEUE_BULL_REDIS_HOST: LOCAL, QUEUE_BULL_REDIS_PORT: port };
}
