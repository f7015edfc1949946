import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';

import { N8N_CLI, N8N_NODE } from './install';
import { N8nApi } from './n8n-api';
import { CACHE, E2E, ON_OLD_N8N } from './paths';
import { freePort } from './ports';
import type { RunningProcess } from './processes';
import { pause, start, tail } from './processes';

const READY_WITHIN_MS = 180_000;

/** Modules of n8n the demo doesn't need and that would look for n8n's servers. */
const UNUSED_MODULES = ON_OLD_N8N
	? ['insights']
	: ['insights', 'mcp-registry', 'instance-ai', 'chat-hub', 'agents'];

/** Our own settings must not mix with those of an n8n the user runs elsewhere. */
const FOREIGN_SETTING = /^(N8N_|DB_|EXECUTIONS_|WEBHOOK_URL|QUEUE_|NODES_|NODE_FUNCTION_|npm_)/;

/** The owner account of the demo instance. */
export interface SignIn {
	email: string;
	password: string;
}

/** A running n8n. */
export interface N8n {
	/** Address of the editor, without a trailing slash. */
	url: string;
	/** Signed in as the owner. */
	api: N8nApi;
	signIn: SignIn;
	logFile: string;
	process: RunningProcess;
}

/** The account of this data folder; made up on the first start and kept beside the data. */
function readSignIn(userFolder: string): SignIn {
	const file = path.join(userFolder, 'sign-in.json');
	if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as SignIn;
	// n8n asks for a capital letter and a digit.
	const signIn = {
		email: 'owner@example.com',
		password: `Demo1-${randomBytes(9).toString('base64url')}`,
	};
	mkdirSync(userFolder, { recursive: true });
	writeFileSync(file, JSON.stringify(signIn, null, '\t'), { mode: 0o600 });
	return signIn;
}

/** The process's environment without foreign n8n settings; local addresses go past any proxy. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
	const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN_SETTING.test(name));
	const local = ['localhost', '127.0.0.1', process.env.NO_PROXY ?? process.env.no_proxy ?? ''];
	const noProxy = local.filter((host) => host !== '').join(',');
	return { ...Object.fromEntries(inherited), NO_PROXY: noProxy, no_proxy: noProxy, ...settings };
}

/** What every n8n process here is started with: command, arguments, folder and environment. */
export interface N8nCommand {
	command: string;
	args: string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
}

/** How to start one of n8n's commands on a user folder, quiet and without foreign settings. */
export async function n8nCommand(
	userFolder: string,
	command: string[],
	settings: Record<string, string>,
): Promise<N8nCommand> {
	const env = environment({
		N8N_USER_FOLDER: userFolder,
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		N8N_SECURE_COOKIE: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_DISABLED_MODULES: UNUSED_MODULES.join(','),
		N8N_LOG_LEVEL: 'info',
		...settings,
	});
	const watch = path.join(E2E, 'lib', 'watch-parent.cjs');
	const args = ['--require', watch, N8N_CLI, ...command];
	return { command: N8N_NODE, args, cwd: userFolder, env };
}

/**
 * Starts n8n on a user folder and signs in, setting the owner up on the first start.
 * @param settings environment variables beside the usual ones
 * @throws Error with the tail of n8n's log when it doesn't come up.
 */
export async function startN8n(
	userFolder: string,
	port: number,
	settings: Record<string, string> = {},
	logFile = path.join(CACHE, 'n8n.log'),
): Promise<N8n> {
	const url = `http://localhost:${port}`;
	const signIn = readSignIn(userFolder);
	const { command, args, cwd, env } = await n8nCommand(userFolder, ['start'], {
		N8N_PORT: String(port),
		N8N_HOST: 'localhost',
		N8N_EDITOR_BASE_URL: url,
		...settings,
	});
	const child = start(command, args, { cwd, logFile, env });
	let exit: number | string | undefined;
	void child.ended.then((code) => {
		exit = code;
	});
	const api = new N8nApi(url);
	const deadline = Date.now() + READY_WITHIN_MS;
	while (!(await api.isReady())) {
		if (exit !== undefined) {
			throw new Error(
				`n8n ended with ${exit} while starting. Its last lines:\n${tail(logFile)}`,
			);
		}
		if (Date.now() > deadline) {
			throw new Error(
				`n8n wasn't ready after ${READY_WITHIN_MS / 1000} s. Its last lines:\n${tail(logFile)}`,
			);
		}
		await pause(250);
	}
	await api.signIn(signIn);
	return { url, api, signIn, logFile, process: child };
}
