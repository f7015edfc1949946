import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Command } from '../shared/command';
import { CACHE } from '../shared/paths';
import { freePort } from '../shared/ports';
import { run, startUntil } from '../shared/processes';

const LOCAL = '127.0.0.1';

/** Where Debian's packages install each version's programs, which are not on the PATH. */
const DEBIAN_POSTGRESQL = '/usr/lib/postgresql';

/** The user Debian's package creates: PostgreSQL refuses to run as root. */
const POSTGRES_USER = 'postgres';

/** Logs of everything that runs in queue mode. */
export const QUEUE_LOGS = path.join(CACHE, 'queue');

/** The programs queue mode needs beside n8n. */
export interface DatabasePrograms {
	redisServer: string;
	/** The folder with `initdb` and `postgres`. */
	postgresqlFolder: string;
}

/** What a program prints, trimmed; undefined if it is missing or fails. */
async function outputOf(command: string, args: string[]): Promise<string | undefined> {
	try {
		return (await promisify(execFile)(command, args)).stdout.trim();
	} catch {
		return undefined;
	}
}

/** Folders that may hold PostgreSQL's programs, the newest version first. */
async function postgresqlFolders(): Promise<string[]> {
	const configured = await outputOf('pg_config', ['--bindir']);
	let versions: string[] = [];
	try {
		versions = readdirSync(DEBIAN_POSTGRESQL);
	} catch {
		// Not Debian, or not installed.
	}
	const newestFirst = versions.sort((one, other) => Number(other) - Number(one));
	return [
		...newestFirst.map((version) => path.join(DEBIAN_POSTGRESQL, version, 'bin')),
		...(configured === undefined ? [] : [configured]),
	];
}

async function findPostgresql(): Promise<string | undefined> {
	for (const folder of await postgresqlFolders()) {
		const both = await Promise.all(
			['initdb', 'postgres'].map(
				async (name) => await outputOf(path.join(folder, name), ['--version']),
			),
		);
		if (both.every((version) => version !== undefined)) return folder;
	}
	return undefined;
}

/**
 * Finds Redis and PostgreSQL on this machine.
 * @throws Error that says what to install
 */
export async function findDatabases(): Promise<DatabasePrograms> {
	const redis = await outputOf('redis-server', ['--version']);
	const postgresqlFolder = await findPostgresql();
	const missing = [
		...(redis === undefined ? ['redis-server'] : []),
		...(postgresqlFolder === undefined ? ['postgresql'] : []),
	];
	if (missing.length > 0 || postgresqlFolder === undefined) {
		throw new Error(
			`n8n's queue mode needs ${missing.join(' and ')}, which are not installed. Debian and Ubuntu:\n  apt-get update && apt-get install -y ${missing.join(' ')}`,
		);
	}
	return { redisServer: 'redis-server', postgresqlFolder };
}

/** n8n's settings for a database that runs. */
type DatabaseSettings = Record<string, string>;

/** Starts Redis without files. */
export async function startRedis({ redisServer }: DatabasePrograms): Promise<DatabaseSettings> {
	const port = String(await freePort());
	const args = ['--bind', LOCAL, '--port', port, '--save', '', '--appendonly', 'no'];
	await mkdir(QUEUE_LOGS, { recursive: true });
	await startUntil('Ready to accept connections', redisServer, args, {
		cwd: QUEUE_LOGS,
		logFile: path.join(QUEUE_LOGS, 'redis.log'),
		lastSignal: 'SIGTERM',
	});
	return { QUEUE_BULL_REDIS_HOST: LOCAL, QUEUE_BULL_REDIS_PORT: port };
}

/** The user PostgreSQL runs as: `postgres` if this process is root, otherwise its own user. */
async function postgresUser(): Promise<{ uid: number; gid: number } | undefined> {
	if (process.getuid?.() !== 0) return undefined;
	const ids = await Promise.all(
		['-u', '-g'].map(async (option) => await outputOf('id', [option, POSTGRES_USER])),
	);
	const [uid, gid] = ids.map(Number);
	if (!uid || !gid) {
		throw new Error(
			`PostgreSQL doesn't run as root, and there is no user '${POSTGRES_USER}' to run it as (Debian's package postgresql creates one).`,
		);
	}
	return { uid, gid };
}

/** Creates a database cluster in a temporary folder and starts it; only this machine can reach it. */
export async function startPostgres(
	command: Command,
	{ postgresqlFolder }: DatabasePrograms,
): Promise<DatabaseSettings> {
	const user = await postgresUser();
	const cwd = await command.temporaryFolder('postgres');
	if (user) await chown(cwd, user.uid, user.gid);
	const data = path.join(cwd, 'data');
	const init = ['-D', data, '-U', 'n8n', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
	await run(path.join(postgresqlFolder, 'initdb'), init, {
		cwd,
		logFile: path.join(QUEUE_LOGS, 'initdb.log'),
		user,
	});
	const port = String(await freePort());
	const settings = {
		listen_addresses: LOCAL,
		port,
		unix_socket_directories: '',
		// The data need not survive a crash of the machine.
		fsync: 'off',
	};
	const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	await startUntil(
		'ready to accept connections',
		path.join(postgresqlFolder, 'postgres'),
		['-D', data, ...options],
		// SIGINT is its fast shutdown, which does not wait for clients.
		{ cwd, logFile: path.join(QUEUE_LOGS, 'postgres.log'), user, lastSignal: 'SIGINT' },
	);
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: LOCAL,
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: 'n8n',
	};
}
