import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Command } from '../shared/command';
import { CACHE } from '../shared/paths';
import { freePort } from '../shared/ports';
import { run, startUntil } from '../shared/processes';

const LOCAL = '127.0.0.1';

/**
 * Debian installs each PostgreSQL version in a separate folder below this one. None of these folders is in the PATH.
 */
const DEBIAN_POSTGRESQL = '/usr/lib/postgresql';

export const QUEUE_LOGS = path.join(CACHE, 'queue');

type DatabaseSettings = Record<string, string>;

/** Returns the trimmed output of a program, or an empty string if the program is missing or fails. */
async function outputOf(command: string, args: string[]): Promise<string> {
	try {
		return (await promisify(execFile)(command, args)).stdout.trim();
	} catch {
		return '';
	}
}

async function postgresFolder(): Promise<string | undefined> {
	const versions = existsSync(DEBIAN_POSTGRESQL) ? readdirSync(DEBIAN_POSTGRESQL) : [];
	const newest = versions.sort((one, other) => Number(other) - Number(one));
	const folders = newest.map((version) => path.join(DEBIAN_POSTGRESQL, version, 'bin'));
	return [...folders, await outputOf('pg_config', ['--bindir'])].find((folder) =>
		existsSync(path.join(folder, 'initdb')),
	);
}

/**
 * Starts Redis and PostgreSQL. Redis writes no files, and PostgreSQL uses a temporary folder. Only this machine can
 * reach the two databases.
 * @throws Error if a program is missing. The error says what to install
 */
export async function startDatabases(command: Command): Promise<DatabaseSettings> {
	const folder = await postgresFolder();
	if (folder === undefined || (await outputOf('redis-server', ['--version'])) === '') {
		throw new Error(
			"n8n's queue mode needs Redis and PostgreSQL. Debian and Ubuntu: apt-get update && apt-get install -y redis-server postgresql",
		);
	}
	await mkdir(QUEUE_LOGS, { recursive: true });
	return { ...(await startRedis()), ...(await startPostgres(command, folder)) };
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

/**
 * If this process runs as root, returns the user that Debian's PostgreSQL package creates. PostgreSQL refuses to run as
 * root.
 */
async function postgresUser(): Promise<{ uid: number; gid: number } | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	const [uid, gid] = await Promise.all(
		['-u', '-g'].map(async (option) => Number(await outputOf('id', [option, 'postgres']))),
	);
	if (!uid || !gid) throw new Error("PostgreSQL needs a user 'postgres' if this runs as root");
	return { uid, gid };
}

async function startPostgres(command: Command, folder: string): Promise<DatabaseSettings> {
	const user = await postgresUser();
	const cwd = await command.temporaryFolder('postgres');
	if (user) await chown(cwd, user.uid, user.gid);
	const data = path.join(cwd, 'data');
	const init = ['-D', data, '-U', 'n8n', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
	const initLog = path.join(QUEUE_LOGS, 'initdb.log');
	await run(path.join(folder, 'initdb'), init, { cwd, logFile: initLog, user });
	const port = String(await freePort());
	const settings = [
		`listen_addresses=${LOCAL}`,
		`port=${port}`,
		'unix_socket_directories=',
		// The data does not have to survive a machine crash.
		'fsync=off',
	];
	const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
	await startUntil('ready to accept connections', path.join(folder, 'postgres'), args, {
		cwd,
		logFile: path.join(QUEUE_LOGS, 'postgres.log'),
		user,
		// SIGINT starts PostgreSQL's fast shutdown, which does not wait for clients.
		lastSignal: 'SIGINT',
	});
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: LOCAL,
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: 'n8n',
	};
}
