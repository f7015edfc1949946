/**
 * Releases this package. RELEASING.md contains the steps.
 *
 *   npm run release                 runs all checks, then publishes a build of the last commit
 *   npm run release -- --dry-run    does the same, but npm uploads nothing
 *   npm run release -- --stage      uploads the package to npm, where someone must approve it with 2FA
 *   npm run release -- --notes      prints the changelog of this version for the GitHub release
 *
 * First run .ci/run for this commit. It tests the contents of the package, the license, the links and n8n's publish
 * gate. The registry and the account come from npm's own configuration.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { x as extract } from 'tar';

import { run } from '../support/exec';
import { ownerOf } from './owner';

/** If `.ci/run` passes, it writes the ID of the commit to this file. */
const STAMP = '.cache/ci-passed';

/** The oldest npm version with which GitHub Actions can publish without a token. */
const OLDEST_NPM = '11.5.1';

/** Domains that nobody can own (RFC 2606). The placeholder owner uses them. */
const RESERVED = /(^|[@/.])example\.(com|org|net)(\/|$)/;

interface Manifest {
	name: string;
	version: string;
	private?: boolean;
}

const read = async (root: string, file: string) => await readFile(path.join(root, file), 'utf8');
const manifestOf = async (root: string) => JSON.parse(await read(root, 'package.json')) as Manifest;

async function must(root: string, program: string, ...args: string[]): Promise<string> {
	const { code, stdout, stderr } = await run(program, args, root);
	if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}${stdout}`);
	return stdout.trim();
}

/**
 * Returns a version's changelog with its date. Returns undefined if the version is not the first entry, or if its date
 * or text is missing.
 */
export function notesOf(changelog: string, version: string): string | undefined {
	const [, title, text] = /^## (.+)$([^]*?)(?=^## |^\[[^\]]+\]: |(?![^]))/m.exec(changelog) ?? [];
	const isRight = title?.startsWith(`[${version}] - `) && /\d{4}-\d{2}-\d{2}$/.test(title);
	return (isRight && text.trim()) || undefined;
}

async function publishedVersions(root: string, name: string): Promise<string[]> {
	const { code, stdout, stderr } = await run('npm', ['view', name, 'versions', '--json'], root);
	if (code === 0) return [JSON.parse(stdout) as string | string[]].flat();
	if (stderr.includes('E404')) return [];
	throw new Error(`npm did not say which versions there are: ${stderr}`);
}

/**
 * Finds reasons why the last commit cannot be released.
 *
 * @param tag the tag being released, if the release runs on GitHub
 * @param published a function that asks npm for the published versions
 * @returns one string per reason
 */
export async function faultsOf(
	root: string,
	tag: string | undefined,
	published = publishedVersions,
): Promise<string[]> {
	const faults: string[] = [];
	const check = (isRight: boolean, fault: string) => isRight || faults.push(fault);
	const { name, version } = await manifestOf(root);
	const { repository, email } = ownerOf(root);
	const lock = JSON.parse(await read(root, 'package-lock.json')) as Manifest;
	const changed = await must(root, 'git', 'status', '--porcelain');
	const commit = await must(root, 'git', 'rev-parse', 'HEAD');
	const passed = await read(root, STAMP).catch(() => '');
	check(
		!RESERVED.test(repository) && !RESERVED.test(email),
		'the owner is not set: npx tsx scripts/owner.ts OWNER/NAME "Full Name" you@your.domain',
	);
	check(changed === '', `not committed:\n${changed}`);
	check(
		/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) && lock.version === version,
		`package.json has version ${version}, package-lock.json ${lock.version}: npm version`,
	);
	check((tag ?? version) === version, `the tag is ${tag}, the version ${version}`);
	check(!(await published(root, name)).includes(version), `${version} is published already`);
	check(
		notesOf(await read(root, 'CHANGELOG.md'), version) !== undefined,
		`CHANGELOG.md does not begin with an entry such as "## [${version}] - 2026-11-22"`,
	);
	check(passed.trim() === commit, `.ci/run has not passed for ${commit}: run it`);
	return faults;
}

/**
 * Builds and packs the last commit in a separate folder. Removes `private` from the package.json in that folder.
 * Uncommitted changes are not included.
 *
 * @returns the path of the tarball
 */
export async function packCommit(root: string, folder: string): Promise<string> {
	const archive = path.join(folder, 'commit.tar');
	await must(root, 'git', 'archive', '--format=tar', `--output=${archive}`, 'HEAD');
	await extract({ file: archive, cwd: folder });
	await rm(archive);
	await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
	await must(folder, 'npm', 'run', 'build');
	const { private: _, ...manifest } = await manifestOf(folder);
	await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, '\t')}\n`);
	const packed = await must(folder, 'npm', 'pack', '--ignore-scripts', '--silent');
	return path.join(folder, packed.split('\n').at(-1) ?? '');
}

/**
 * Publishes the last commit. On GitHub, npm also publishes a provenance statement, which proves where the package was
 * built.
 */
async function publish(root: string, args: string[]): Promise<void> {
	const isOnGitHub = process.env.GITHUB_ACTIONS !== undefined;
	const { version } = await manifestOf(root);
	const npm = await must(root, 'npm', '--version');
	if (isOnGitHub && npm.localeCompare(OLDEST_NPM, 'en', { numeric: true }) < 0) {
		throw new Error(`npm is ${npm}, ${OLDEST_NPM} or newer is needed`);
	}
	const folder = await mkdtemp(path.join(tmpdir(), 'release-'));
	try {
		const all = [
			...args,
			await packCommit(root, folder),
			'--access=public',
			'--ignore-scripts',
			...(version.includes('-') ? ['--tag=next'] : []),
			...(isOnGitHub ? ['--provenance'] : []),
		];
		console.log(`npm ${all.join(' ')}`);
		if (!isOnGitHub) console.log("Without provenance: n8n's scan will refuse this version.");
		const { status } = spawnSync('npm', all, { cwd: folder, stdio: 'inherit' });
		if (status !== 0) throw new Error('npm did not publish it');
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function main(): Promise<void> {
	const root = process.cwd();
	const { values } = parseArgs({
		options: {
			'dry-run': { type: 'boolean' },
			stage: { type: 'boolean' },
			notes: { type: 'boolean' },
		},
	});
	if (values.notes) {
		const { version } = await manifestOf(root);
		console.log(notesOf(await read(root, 'CHANGELOG.md'), version) ?? '');
		return;
	}
	const { GITHUB_REF_TYPE, GITHUB_REF_NAME } = process.env;
	const faults = await faultsOf(root, GITHUB_REF_TYPE === 'tag' ? GITHUB_REF_NAME : undefined);
	if (faults.length > 0) throw new Error(`Not published:\n- ${faults.join('\n- ')}`);
	await publish(root, [
		...(values.stage ? ['stage', 'publish'] : ['publish']),
		...(values['dry-run'] ? ['--dry-run'] : []),
	]);
}

if (process.argv[1]?.endsWith('release.ts')) {
	main().catch((error: Error) => {
		console.error(error.message);
		process.exitCode = 1;
	});
}
