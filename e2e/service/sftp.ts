import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';

import type { Command } from '../shared/command';
import { freePort } from '../shared/ports';
import type { RunningProcess } from '../shared/processes';
import { run, startUntil } from '../shared/processes';

const LOCAL = '127.0.0.1';
const SSHD = '/usr/sbin/sshd';

/** Debian's sshd changes its root to this empty folder before a user has logged in. */
const PRIVILEGE_SEPARATION = '/run/sshd';

export interface SftpLogin {
	host: string;
	port: number;
	username: string;
	privateKey: string;
}

export interface SftpServer extends SftpLogin {
	/** The folder that clients read. */
	folder: string;
	/** Stops the server, and starts it again when the returned function is called. */
	stop(): Promise<() => Promise<void>>;
}

/**
 * Starts an SFTP server with keys of its own. Only this machine can reach it, as the user that runs this process.
 * @param logs the folder for its logs
 * @throws Error if OpenSSH is missing. The error says what to install
 */
export async function startSftp(command: Command, logs: string): Promise<SftpServer> {
	if (!existsSync(SSHD)) {
		throw new Error(
			'This needs an SFTP server. Debian and Ubuntu: apt-get update && apt-get install -y openssh-server',
		);
	}
	if (process.getuid?.() === 0) mkdirSync(PRIVILEGE_SEPARATION, { recursive: true });
	const cwd = await command.temporaryFolder('sftp');
	const logFile = path.join(logs, 'ssh-keygen.log');
	for (const key of ['host', 'user']) {
		const args = ['-q', '-t', 'ed25519', '-N', '', '-f', key];
		await run('ssh-keygen', args, { cwd, logFile });
	}
	await copyFile(path.join(cwd, 'user.pub'), path.join(cwd, 'authorized'));
	const folder = path.join(cwd, 'documents');
	await mkdir(folder);
	const port = await freePort();
	const settings = [
		...[`Port ${port}`, `ListenAddress ${LOCAL}`, `HostKey ${path.join(cwd, 'host')}`],
		...[`AuthorizedKeysFile ${path.join(cwd, 'authorized')}`, 'PasswordAuthentication no'],
		...['StrictModes no', 'UsePAM no', 'PidFile none', 'Subsystem sftp internal-sftp'],
	];
	const config = path.join(cwd, 'sshd_config');
	await writeFile(config, `${settings.join('\n')}\n`);
	const start = async (): Promise<RunningProcess> =>
		await startUntil('Server listening', SSHD, ['-D', '-e', '-f', config], {
			cwd,
			logFile: path.join(logs, 'sshd.log'),
		});
	let server = await start();
	return {
		...{ host: LOCAL, port, username: userInfo().username, folder },
		privateKey: readFileSync(path.join(cwd, 'user'), 'utf8'),
		stop: async () => {
			await server.stop();
			return async () => {
				server = await start();
			};
		},
	};
}
