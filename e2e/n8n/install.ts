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

/**
 * Returns the folder with the header files of n8n's Node.js. With these files, compiling `sqlite3` requires no
 * download.
 */
function headersFolder(): string | undefined {
	const packages = path.join(MODULES, 'node', 'node_modules');
	if (!existsSync(packages)) return undefined;
	return readdirSync(packages)
		.map((name) => path.join(packages, name))
		.find((folder) => existsSync(path.join(folder, 'include', 'node', 'node_api.h')));
}

async function npm(name: string, args: string[], options?: NpmOptions): Promise<void> {
	let downloads = 0;
	await run('npm', args, {
		cwd: E2E,
		logFile: path.join(CACHE, `npm-${name}.log`),
		env: { ...process.env, ...options?.env },
		onOutput: (text) => {
			downloads += text.split('\n').filter((line) => /http (fetch|cache)/.test(line)).length;
			if (downloads > 0)
				options?.detail?.(() => `${downloads} responses from the npm registry so far`);
		},
	});
}

async function compileSqlite(): Promise<void> {
	const headers = headersFolder();
	const env = headers === undefined ? {} : { npm_config_nodedir: headers };
	try {
		await npm('sqlite', ['rebuild', 'sqlite3', '--ignore-scripts=false'], { env });
	} catch (error) {
		throw new Error(
			`${(error as Error).message}\n\nn8n's database driver is compiled on this machine, which needs Python 3, make and a C++ compiler (Debian: apt-get install python3 make g++).`,
			{ cause: error },
		);
	}
}

/**
 * Installs n8n into e2e/node_modules if necessary. Only two packages may run their install scripts. The script of
 * `node` downloads its binary, and the script of `sqlite3` compiles the package.
 * @throws Error with the end of npm's output
 */
export async function installN8n(): Promise<void> {
	if (isInstalled()) return;
	say(`  n8n ${n8nVersion()} is installed once (about 2,000 packages, 2.4 GB, 3 to 5 minutes):`);
	await step('Downloading and unpacking n8n', async (detail) => {
		const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=http'];
		await npm('ci', ['ci', '--ignore-scripts', '--legacy-peer-deps', ...quiet], { detail });
	});
	await step("Setting up n8n's own Node.js", async () => {
		await npm('node', ['rebuild', 'node', '--ignore-scripts=false']);
	});
	await step("Compiling n8n's database driver", compileSqlite);
	writeFileSync(STAMP, lockHash());
}
