import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';

import { CACHE, E2E } from '../shared/paths';
import { freePort } from '../shared/ports';
import type { RunningProcess } from '../shared/processes';
import { startUntil } from '../shared/processes';
import { N8nApi } from './api';
import type { Login } from './connection';
import { N8N_CLI, N8N_NODE } from './install';

/** n8n modules that are not needed here and would contact n8n's servers. */
const UNUSED_MODULES = ['insights', 'mcp-registry', 'instance-ai', 'chat-hub', 'agents'];

/**
 * Settings that a user may have made for another n8n instance. These settings must not affect the instance that is
 * started here.
 */
const FOREIGN_SETTING = /^(N8N_|DB_|EXECUTIONS_|WEBHOOK_URL|QUEUE_|NODES_|NODE_FUNCTION_|npm_)/;

/** Loaded into every n8n process. */
const WATCH_PARENT = path.join(E2E, 'n8n', 'watch-parent.cjs');

export interface N8n {
	url: string;
	api: N8nApi;
	login: Login;
	logFile: string;
	process: RunningProcess;
}

export interface N8nOptions {
	settings?: Record<string, string>;
	logFile?: string;
}

/** Reads the login for this user folder. The login is generated the first time n8n starts. */
function readLogin(userFolder: string): Login {
	const file = path.join(userFolder, 'login.json');
	if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Login;
	// n8n requires a password with a capital letter and a digit.
	const login = {
		email: 'owner@example.com',
		password: `Demo1-${randomBytes(9).toString('base64url')}`,
	};
	mkdirSync(userFolder, { recursive: true });
	writeFileSync(file, JSON.stringify(login, null, '\t'), { mode: 0o600 });
	return login;
}

/**
 * Returns this process's environment without the settings for another n8n instance. In the returned environment, local
 * URLs bypass any proxy, and `node` is n8n's own Node.js, because n8n runs Code nodes in a process that it starts as
 * `node`.
 */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
	const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN_SETTING.test(name));
	const local = ['localhost', '127.0.0.1', process.env.NO_PROXY ?? process.env.no_proxy ?? ''];
	const noProxy = local.filter((host) => host !== '').join(',');
	const commands = [path.dirname(N8N_NODE), process.env.PATH].join(path.delimiter);
	return {
		...Object.fromEntries(inherited),
		PATH: commands,
		NO_PROXY: noProxy,
		no_proxy: noProxy,
		...settings,
	};
}

/**
 * Starts one of n8n's commands with a user folder and waits until the process is ready.
 * @param ready words in the output, or a check that returns true once the process is ready
 * @throws Error with the end of the process's log if the process does not start
 */
export async function startN8nProcess(
	userFolder: string,
	command: string[],
	ready: Parameters<typeof startUntil>[0],
	{ settings = {}, logFile = path.join(CACHE, 'n8n.log') }: N8nOptions,
): Promise<RunningProcess> {
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
	const args = ['--require', WATCH_PARENT, N8N_CLI, ...command];
	return await startUntil(ready, N8N_NODE, args, { cwd: userFolder, env, logFile });
}

/**
 * Starts n8n with a user folder and logs in. The first start creates the owner.
 * @throws Error with the end of n8n's log if n8n does not start
 */
export async function startN8n(
	userFolder: string,
	port: number,
	options: N8nOptions = {},
): Promise<N8n> {
	const url = `http://localhost:${port}`;
	const login = readLogin(userFolder);
	const api = new N8nApi(url);
	const logFile = options.logFile ?? path.join(CACHE, 'n8n.log');
	const settings = {
		N8N_PORT: String(port),
		N8N_HOST: 'localhost',
		// Everybody may know the login and the secrets of the demo.
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_EDITOR_BASE_URL: url,
		...options.settings,
	};
	const child = await startN8nProcess(userFolder, ['start'], async () => await api.isReady(), {
		...options,
		settings,
		logFile,
	});
	await api.logIn(login);
	return { url, api, login, logFile, process: child };
}
