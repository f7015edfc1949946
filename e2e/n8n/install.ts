import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { CACHE, E2E } from '../shared/paths';
import { run } from '../shared/processes';
import type { Detail } from '../shared/progress';
import { say, step } from '../shared/progress';

const MODULES = path.join(E2E, 'node_modules');

const STAMP = path.join(MODULES, '.complete');

/** The Node.js binary for n8n, which needs a newer version of Node.js than this package. */
export const N8N_NODE = path.join(MODULES, '.bin', 'node');

export const N8N_CLI = path.join(MODULES, 'n8n', 'bin', 'n8n');

interface NpmOptions {
	env?: NodeJS.ProcessEnv;
	detail?: Detail;
}

export function n8nVersion(): string {
	const manifest = JSON.parse(readFileSync(path.join(E2E, 'package.json'), 'utf8')) as {
		dependencies: { n8n: string };
	};
	return manifest.dependencies.n8n;
}

function lockHash(): string {
	const lock = readFileSync(path.join(E2E, 'package-lock.json'));
	return createHash('sha256').update(lock).digest('hex');
}

/** Returns true if an installation was completed and the lock file has not changed since then. */
const isInstalled = (): boolean => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lockHash();

/** A line of npm's log about a response. npm also logs each attempt that failed. */
const RESPONSE = /http (fetch \w+ 2|cache)/;

async function npm(name: string, args: string[], options?: NpmOptions): Promise<void> {
	let downloads = 0;
	await run('npm', args, {
		cwd: E2E,
		logFile: path.join(CACHE, `npm-${name}.log`),
		env: { ...process.env, ...options?.env },
		onOutput: (text) => {
			downloads += text.split('\n').filter((line) => RESPONSE.test(line)).length;
			if (downloads > 0)
				options?.detail?.(() => `${downloads} responses from the npm registry so far`);
		},
	});
}

/**
 * Returns the folder with the header files of n8n's Node.js. With these files, compiling the database
 * driver requires no download.
 */
function headersFolder(): string | undefined {
	const packages = path.join(MODULES, 'node', 'node_modules');
	if (!existsSync(packages)) return undefined;
	return readdirSync(packages)
		.map((name) => path.join(packages, name))
		.find((folder) => existsSync(path.join(folder, 'include', 'node', 'node_api.h')));
}

/** Compiles the database driver if its package contains no binary for this machine. */
async function prepareDatabaseDriver(): Promise<void> {
	const logFile = path.join(CACHE, 'database-driver.log');
	const load = async () =>
		await run(N8N_NODE, ['--eval', "require('sqlite3')"], { cwd: E2E, logFile });
	try {
		await load();
		return;
	} catch {
		say(
			"    There is no binary of n8n's database driver for this machine, so it is compiled (a few minutes).",
		);
	}
	const headers = headersFolder();
	const env = headers === undefined ? {} : { npm_config_nodedir: headers };
	try {
		await npm('sqlite', ['rebuild', '@appthreat/sqlite3', '--ignore-scripts=false'], { env });
		await load();
	} catch (error) {
		throw new Error(
			`${(error as Error).message}\n\nTo compile n8n's database driver, this machine needs Python 3, make and a C++ compiler (Debian: apt-get install python3 make g++).`,
			{ cause: error },
		);
	}
}

const DOWNLOAD_ADVICE =
	'npm could not install n8n. If the lines above name a connection, check that `npm ping` works. Behind a proxy, `npm config set proxy <url>` helps. Then run the command again.';

/**
 * Installs n8n into e2e/node_modules if necessary. Only `node` may run its install script, which downloads its binary.
 * @throws Error with the end of npm's output
 */
export async function installN8n(): Promise<void> {
	if (isInstalled()) return;
	say(`  n8n ${n8nVersion()} is installed once (about 2,000 packages, 2.4 GB, 2 to 4 minutes):`);
	await step('Downloading and unpacking n8n', async (detail) => {
		const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=http'];
		try {
			await npm('ci', ['ci', '--ignore-scripts', '--legacy-peer-deps', ...quiet], { detail });
		} catch (error) {
			throw new Error(`${(error as Error).message}\n\n${DOWNLOAD_ADVICE}`, { cause: error });
		}
	});
	await step("Setting up n8n's own Node.js", async () => {
		await npm('node', ['rebuild', 'node', '--ignore-scripts=false']);
	});
	await step("Checking n8n's database driver", prepareDatabaseDriver);
	writeFileSync(STAMP, lockHash());
}
