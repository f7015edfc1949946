import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

import type { Command } from '../shared/command';
import { freePort } from '../shared/ports';
import { run, startUntil } from '../shared/processes';

const LOCAL = '127.0.0.1';

/**
 * Debian installs each PostgreSQL version in a separate folder below this one. None of these folders is in the PATH.
 */
const DEBIAN_POSTGRESQL = '/usr/lib/postgresql';

export interface Postgres {
	host: string;
	port: number;
	database: string;
	user: string;
	/**
	 * Runs statements, and returns the first column of the last statement's rows, one row per line.
	 * @throws Error with PostgreSQL's message if a statement fails
	 */
	query(sql: string): Promise<string>;
}

/** Returns the trimmed output of a program, or an empty string if the program is missing or fails. */
export async function outputOf(command: string, args: string[]): Promise<string> {
	try {
		return (await promisify(execFile)(command, args)).stdout.trim();
	} catch {
		return '';
	}
}

export const hasPostgres = async (): Promise<boolean> => (await postgresFolder()) !== undefined;

async function postgresFolder(): Promise<string | undefined> {
	const versions = existsSync(DEBIAN_POSTGRESQL) ? readdirSync(DEBIAN_POSTGRESQL) : [];
	const newest = versions.sort((one, other) => Number(other) - Number(one));
	const folders = newest.map((version) => path.join(DEBIAN_POSTGRESQL, version, 'bin'));
	return [...folders, await outputOf('pg_config', ['--bindir'])].find((folder) =>
		existsSync(path.join(folder, 'initdb')),
	);
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

/**
 * Starts PostgreSQL with data in a temporary folder. Only this machine can reach it.
 * @param logs the folder for its logs
 * @throws Error if PostgreSQL is missing. The error says what to install
 */
export async function startPostgres(command: Command, logs: string): Promise<Postgres> {
	const folder = await postgresFolder();
	if (folder === undefined) {
		throw new Error(
			'This needs PostgreSQL. Debian and Ubuntu: apt-get update && apt-get install -y postgresql',
		);
	}
	const user = await postgresUser();
	const cwd = await command.temporaryFolder('postgres');
	if (user) await chown(cwd, user.uid, user.gid);
	const data = path.join(cwd, 'data');
	const init = ['-D', data, '-U', 'n8n', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
	const initLog = path.join(logs, 'initdb.log');
	await run(path.join(folder, 'initdb'), init, { cwd, logFile: initLog, user });
	const port = await freePort();
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
		logFile: path.join(logs, 'postgres.log'),
		user,
		// SIGINT starts PostgreSQL's fast shutdown, which does not wait for clients.
		lastSignal: 'SIGINT',
	});
	const psql = path.join(folder, 'psql');
	const login = ['-h', LOCAL, '-p', String(port), '-U', 'n8n', '-d', 'postgres'];
	return {
		...{ host: LOCAL, port, database: 'postgres', user: 'n8n' },
		query: async (sql) => await runPsql(psql, login, sql),
	};
}

/** A long text of statements is too large for a command line. */
async function runPsql(psql: string, login: string[], sql: string): Promise<string> {
	const child = spawn(psql, [...login, '-XqAt', '-v', 'ON_ERROR_STOP=1']);
	let output = '';
	let errors = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
	child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
	child.stdin.end(sql);
	const code = await new Promise((resolve) => child.once('close', resolve));
	if (code !== 0) throw new Error(`psql ended with ${String(code)}: ${errors}`);
	return output.trimEnd();
}
