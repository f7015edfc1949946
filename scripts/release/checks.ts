/** What must be true before this package is published. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { x as extract } from 'tar';

import { run } from '../../support/exec';
import { packPackage, type PackedPackage } from '../../support/packed-package';
import { changelogFaults, linesSince } from './changelog';
import { interfaceOf, lastReleased, RELEASED, unannouncedChanges } from './interface';
import { linkFaults } from './links';
import { contentFaults, dependencyFaults, licenseFaults, secretFaults } from './tarball';

/** Where `.ci/run` writes the commit that it passed for. */
export const STAMP = '.cache/ci-passed';

/** From this npm on, GitHub Actions can publish without a token. */
const OLDEST_NPM = [11, 5, 1];

/** A check and its result. */
export interface Checked {
	name: string;
	/** One text per fault, none if it passed. */
	faults: string[];
}

interface Manifest {
	name: string;
	version: string;
	private?: boolean;
}

/** The package as it will be published: built from the commit alone, in a folder of its own. */
export interface Staged {
	folder: string;
	packed: PackedPackage;
	remove: () => Promise<void>;
}

const read = async (root: string, file: string) => await readFile(path.join(root, file), 'utf8');

/** Whether a version such as 0.1.0-rc.0 is only for trying it: nobody relies on its interface. */
export const isPrerelease = (version: string): boolean => version.includes('-');

/** The manifest of a repository. */
export async function manifestOf(root: string): Promise<Manifest> {
	return JSON.parse(await read(root, 'package.json')) as Manifest;
}

async function git(root: string, ...args: string[]): Promise<string> {
	const { code, stdout, stderr } = await run('git', args, root);
	if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
	return stdout.trim();
}

/** The package says whose it is, everywhere the same. */
export async function ownerFaults(root: string): Promise<string[]> {
	const script = path.join(root, 'scripts', 'identity.mjs');
	const { code, stderr } = await run(process.execPath, [script, '--publishable'], root);
	return code === 0 ? [] : [stderr.trim()];
}

/** What would be published is a commit. */
export async function treeFaults(root: string): Promise<string[]> {
	const changed = await git(root, 'status', '--porcelain');
	return changed === '' ? [] : [`not committed:\n${changed}`];
}

/**
 * The version is the same everywhere, and nobody has it yet.
 * @param env npm's settings and GitHub's tag
 */
export async function versionFaults(
	root: string,
	env: NodeJS.ProcessEnv = process.env,
): Promise<string[]> {
	const { name, version } = await manifestOf(root);
	const lock = JSON.parse(await read(root, 'package-lock.json')) as Manifest;
	const faults: string[] = [];
	if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) faults.push(`${version} is no version`);
	if (lock.version !== version) {
		faults.push(`package-lock.json has ${lock.version}, package.json ${version}`);
	}
	// In publish.yml the tag that was pushed, otherwise the tags of this commit.
	const { GITHUB_REF_TYPE, GITHUB_REF_NAME = '' } = env;
	const tags =
		GITHUB_REF_TYPE === 'tag'
			? [GITHUB_REF_NAME]
			: (await git(root, 'tag', '--points-at', 'HEAD')).split('\n').filter(Boolean);
	if (tags.length > 0 && !tags.includes(version)) {
		faults.push(`the tag is ${tags.join(', ')}, the version ${version}`);
	}
	const view = await run('npm', ['view', name, 'versions', '--json'], root, env);
	const published = view.code === 0 ? [JSON.parse(view.stdout) as string | string[]].flat() : [];
	if (published.includes(version)) faults.push(`${version} is published already`);
	if (view.code !== 0 && !view.stderr.includes('E404')) {
		faults.push(`the registry did not say which versions there are:\n${view.stderr.trim()}`);
	}
	return faults;
}

/** `.ci/run` passed for this very commit. */
export async function ciFaults(root: string): Promise<string[]> {
	const commit = await git(root, 'rev-parse', 'HEAD');
	const passed = await read(root, STAMP).catch(() => '');
	return passed.trim() === commit ? [] : [`.ci/run has not passed for ${commit}: run it`];
}

async function npmFaults(root: string, env: NodeJS.ProcessEnv): Promise<string[]> {
	if (!env.GITHUB_ACTIONS) return [];
	const { stdout } = await run('npm', ['--version'], root);
	const isOld = stdout.trim().localeCompare(OLDEST_NPM.join('.'), 'en', { numeric: true }) < 0;
	return isOld ? [`npm is ${stdout.trim()}, ${OLDEST_NPM.join('.')} or newer is needed`] : [];
}

/**
 * Checks of the repository, which take seconds.
 * @param env npm's settings and GitHub's tag
 */
export async function checkRepository(
	root: string,
	env: NodeJS.ProcessEnv = process.env,
): Promise<Checked[]> {
	const { version } = await manifestOf(root);
	const changelog = await read(root, 'CHANGELOG.md');
	return [
		{ name: 'the owner is set', faults: await ownerFaults(root) },
		{ name: 'everything is committed', faults: await treeFaults(root) },
		{
			name: 'the version is new and the same everywhere',
			faults: await versionFaults(root, env),
		},
		{ name: 'the changelog has this version', faults: changelogFaults(changelog, version) },
		{ name: 'links lead somewhere', faults: linkFaults(root) },
		{ name: 'npm can publish', faults: await npmFaults(root, env) },
		{ name: '.ci/run passed for this commit', faults: await ciFaults(root) },
	];
}

/**
 * Builds and packs the last commit in a folder of its own, where the package is not private. What is
 * not committed cannot get into it.
 */
export async function stage(root: string): Promise<Staged> {
	const folder = await mkdtemp(path.join(tmpdir(), 'release-'));
	const archive = path.join(folder, 'commit.tar');
	await git(root, 'archive', '--format=tar', `--output=${archive}`, 'HEAD');
	await extract({ file: archive, cwd: folder });
	await rm(archive);
	await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
	const built = await run('npm', ['run', 'build'], folder);
	if (built.code !== 0) throw new Error(`npm run build: ${built.stderr}${built.stdout}`);
	const { private: _, ...manifest } = await manifestOf(folder);
	await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, '\t')}\n`);
	const packed = await packPackage(folder);
	const remove = async () => {
		await packed.remove();
		await rm(folder, { recursive: true, force: true });
	};
	return { folder, packed, remove };
}

/** The files of a folder with their contents, by path. */
async function contentsOf(folder: string): Promise<Map<string, string>> {
	if (!existsSync(folder)) return new Map();
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	return new Map(
		await Promise.all(
			files.map(async ({ parentPath, name }): Promise<[string, string]> => {
				const file = path.join(parentPath, name);
				return [path.relative(folder, file), await readFile(file, 'latin1')];
			}),
		),
	);
}

/** What was tested is what is published: the built files of the repository are those of its commit. */
export async function distFaults(root: string, { folder }: Staged): Promise<string[]> {
	const [here, fresh] = await Promise.all(
		[root, folder].map(async (where) => await contentsOf(path.join(where, 'dist'))),
	);
	if (here.size === 0) return ['dist is missing: npm run build'];
	const files = [...new Set([...here.keys(), ...fresh.keys()])];
	const stale = files.filter((file) => here.get(file) !== fresh.get(file));
	if (stale.length === 0) return [];
	const some = stale.slice(0, 3).join(', ');
	return [
		`dist is stale: ${stale.length} files are not what this commit builds, such as ${some}`,
	];
}

async function gateFaults(root: string, { packed }: Staged): Promise<string[]> {
	const script = path.join(root, 'scripts', 'scan.mjs');
	const faults: string[] = [];
	for (const folder of [root, packed.folder]) {
		const { code, stdout, stderr } = await run(process.execPath, [script, folder], root);
		if (code !== 0) faults.push(`${stdout}${stderr}`.trim());
	}
	return faults;
}

/** The interface is the one that was committed for this version, and its changes are announced. */
async function interfaceFaults(root: string, { folder }: Staged): Promise<string[]> {
	const current = interfaceOf(folder);
	const file = path.join(RELEASED, `${current.version}.json`);
	const text = await read(root, file).catch(() => undefined);
	const isRight = text === interfaceText(current) || isPrerelease(current.version);
	const faults = isRight ? [] : [`${file} is not up to date: npm run release:prepare`];
	const previous = lastReleased(root, current.version);
	const lines = linesSince(await read(root, 'CHANGELOG.md'), previous?.version ?? '');
	return [...faults, ...(previous ? unannouncedChanges(previous, current, lines) : [])];
}

/** A snapshot of an interface, as it is committed. */
export function interfaceText(current: ReturnType<typeof interfaceOf>): string {
	return `${JSON.stringify(current, null, '\t')}\n`;
}

/** Checks of the package as it will be published. */
export async function checkPackage(root: string, staged: Staged): Promise<Checked[]> {
	const { packed } = staged;
	return [
		{ name: 'dist is what this commit builds', faults: await distFaults(root, staged) },
		{ name: 'the package has the right files and size', faults: contentFaults(packed) },
		{ name: 'the package depends on nothing', faults: await dependencyFaults(packed) },
		{ name: 'the license is complete', faults: await licenseFaults(packed) },
		{ name: 'no secret is in the package', faults: await secretFaults(packed) },
		{ name: "n8n's publish gate passes", faults: await gateFaults(root, staged) },
		{ name: 'changes are announced', faults: await interfaceFaults(root, staged) },
	];
}
