/** A release from a copy of this repository to a registry on this machine. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { STAMP } from '../scripts/release/checks';
import { run, type Finished } from './exec';
import { manifest, ROOT } from './manifest';
import { startRegistry, type Registry } from './registry';

/** As long as the owner of this package is neutral, the copy gets one. */
const OWNER = [
	'--repository',
	'acme/n8n-acme-search',
	'--author',
	'Ann Acme',
	'--email',
	'ann@acme.io',
];

/** A copy of this repository that is ready for its release. */
export interface Rehearsal {
	/** The copy's folder. */
	root: string;
	registry: Registry;
	/** What makes npm know only the registry of this machine. */
	env: NodeJS.ProcessEnv;
	/** Runs a program in the copy, or in another folder, with this environment. */
	run: (file: string, args: string[], cwd?: string) => Promise<Finished>;
	/** The same for a program that must succeed. */
	must: (file: string, args: string[], cwd?: string) => Promise<string>;
	/** Commits everything, and says of the commit that `.ci/run` passed for it. */
	commit: () => Promise<void>;
	/** Installs the published package into an empty folder, as npm does. Returns where it is. */
	install: () => Promise<string>;
	remove: () => Promise<void>;
}

/**
 * Copies what is committed here or not ignored by git, sets an owner, prepares the release of the
 * present version as RELEASING.md says, and commits it. `.ci/run` is not run.
 *
 * @param isBuilt whether dist is copied too, instead of built in the copy
 */
export async function startRehearsal(isBuilt = false): Promise<Rehearsal> {
	const home = await mkdtemp(path.join(tmpdir(), 'rehearsal-'));
	const root = path.join(home, 'repository');
	const registry = await startRegistry();
	const npmrc = path.join(home, '.npmrc');
	writeFileSync(npmrc, registry.npmrc);
	const env = {
		NPM_CONFIG_USERCONFIG: npmrc,
		// Of the caller: npm passes its registry on to what it starts.
		NPM_CONFIG_REGISTRY: registry.url,
		npm_config_registry: registry.url,
		NPM_CONFIG_CACHE: path.join(home, 'cache'),
		npm_config_cache: path.join(home, 'cache'),
		GITHUB_ACTIONS: '',
		GITHUB_REF_TYPE: '',
	};
	const runHere = async (file: string, args: string[], cwd = root) =>
		await run(file, args, cwd, env);
	const must = async (file: string, args: string[], cwd = root) => {
		const { code, stdout, stderr } = await runHere(file, args, cwd);
		if (code !== 0) throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}${stderr}`);
		return stdout;
	};

	const listed = await run('git', ['ls-files', '-co', '--exclude-standard'], ROOT);
	for (const file of listed.stdout.split('\n').filter(Boolean)) {
		if (existsSync(path.join(ROOT, file))) cpSync(path.join(ROOT, file), path.join(root, file));
	}
	await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
	await must('git', ['init', '--quiet', '--initial-branch=main']);
	// .gitignore names a folder, here it is a link.
	writeFileSync(path.join(root, '.git', 'info', 'exclude'), 'node_modules\n');

	const commit = async () => {
		await must('git', ['add', '--all']);
		const author = ['-c', 'user.name=Ann Acme', '-c', 'user.email=ann@acme.io'];
		await must('git', [...author, 'commit', '--quiet', '--allow-empty', '--message=Release']);
		mkdirSync(path.join(root, path.dirname(STAMP)), { recursive: true });
		writeFileSync(path.join(root, STAMP), await must('git', ['rev-parse', 'HEAD']));
	};
	const isNeutral = (await runHere('npm', ['run', 'owner', '--', '--publishable'])).code !== 0;
	if (isNeutral) await must('npm', ['run', 'owner', '--', ...OWNER]);
	if (isBuilt) cpSync(path.join(ROOT, 'dist'), path.join(root, 'dist'), { recursive: true });
	const prepare = ['run', 'release:prepare', '--', manifest.version];
	await must('npm', isBuilt ? [...prepare, '--built'] : prepare);
	await commit();

	return {
		root,
		registry,
		env,
		run: runHere,
		must,
		commit,
		install: async () => {
			const folder = await mkdtemp(path.join(home, 'installed-'));
			const { name } = JSON.parse(
				await readFile(path.join(root, 'package.json'), 'utf8'),
			) as {
				name: string;
			};
			// n8n gives the package its n8n-workflow itself.
			await must('npm', ['install', name, '--legacy-peer-deps', '--no-audit'], folder);
			await symlink(
				path.join(ROOT, 'node_modules', 'n8n-workflow'),
				path.join(folder, 'node_modules', 'n8n-workflow'),
			);
			return path.join(folder, 'node_modules', name);
		},
		remove: async () => {
			await registry.close();
			await rm(home, { recursive: true, force: true });
		},
	};
}
