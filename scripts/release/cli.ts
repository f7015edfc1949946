/**
 * Releases this package. RELEASING.md has the steps.
 *
 *   npm run release:prepare -- 0.2.0   version, date of the changelog, snapshot of the interface
 *   npm run release:check              every check, and what would be published
 *   npm run release                    every check, then publishes
 *   npm run release -- --stage         hands it to npm for approval with 2FA instead
 *   npm run release:notes              the changelog of this version, for the GitHub release
 *
 * npm's own configuration says to which registry, and as whom.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { run } from '../../support/exec';
import { entriesOf, withRelease } from './changelog';
import {
	checkPackage,
	checkRepository,
	interfaceText,
	isPrerelease,
	manifestOf,
	stage,
	type Checked,
	type Staged,
} from './checks';
import { interfaceOf, RELEASED } from './interface';

const ROOT = process.cwd();

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { stage: { type: 'boolean' }, built: { type: 'boolean' } },
});
const [command, version] = positionals;

/** Prints the results of checks. Returns whether all passed. */
function report(checked: Checked[]): boolean {
	for (const { name, faults } of checked) {
		console.log(`${faults.length === 0 ? '✓' : '✗'} ${name}`);
		for (const fault of faults) console.log(`    ${fault.replace(/\n/g, '\n    ')}`);
	}
	return checked.every(({ faults }) => faults.length === 0);
}

/**
 * Runs every check, then `then` with the package if all passed.
 * @returns whether all passed
 */
async function check(then: (staged: Staged) => boolean): Promise<boolean> {
	if (!report(await checkRepository(ROOT))) {
		console.log('Not published. The package itself was not checked yet.');
		return false;
	}
	const staged = await stage(ROOT);
	try {
		if (report(await checkPackage(ROOT, staged))) return then(staged);
		console.log('Not published.');
		return false;
	} finally {
		await staged.remove();
	}
}

/** Publishes the tarball of a staged package, with provenance where npm can prove it. */
function publish({ folder, packed }: Staged): boolean {
	const { version } = packed.manifest;
	const args = [
		...(values.stage ? ['stage', 'publish'] : ['publish']),
		packed.tarball,
		'--access=public',
		'--ignore-scripts',
		...(isPrerelease(version) ? ['--tag=next'] : []),
		...(process.env.GITHUB_ACTIONS ? ['--provenance'] : []),
	];
	console.log(`npm ${args.join(' ')}`);
	if (!process.env.GITHUB_ACTIONS) {
		console.log("Without provenance: n8n's scan will refuse this version. See RELEASING.md.");
	}
	const { status } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit' });
	return status === 0;
}

/**
 * Writes what a release of this version needs in the repository; committing it is up to you. Tests have built
 * already, and say so with --built.
 */
async function prepare(): Promise<boolean> {
	if (version === undefined) throw new Error('Which version? npm run release:prepare -- 0.2.0');
	for (const file of ['package.json', 'package-lock.json']) {
		const manifest = JSON.parse(await readFile(file, 'utf8')) as {
			version: string;
			packages?: Record<string, { version: string }>;
		};
		manifest.version = version;
		if (manifest.packages) manifest.packages[''].version = version;
		await writeFile(file, `${JSON.stringify(manifest, null, '\t')}\n`);
	}
	const { repository } = JSON.parse(await readFile('package.json', 'utf8')) as {
		repository: { url: string };
	};
	const releases = `${repository.url.replace(/\.git$/, '')}/releases/tag`;
	const today = new Date().toISOString().slice(0, 10);
	const changelog = withRelease(await readFile('CHANGELOG.md', 'utf8'), version, today, releases);
	await writeFile('CHANGELOG.md', changelog);
	if (!values.built) {
		const { code, stdout, stderr } = await run('npm', ['run', 'build'], ROOT);
		if (code !== 0) throw new Error(`npm run build: ${stderr}${stdout}`);
	}
	if (!isPrerelease(version)) {
		await mkdir(RELEASED, { recursive: true });
		const file = path.join(RELEASED, `${version}.json`);
		await writeFile(file, interfaceText(interfaceOf(ROOT)));
	}
	console.log(
		`Written: package.json, package-lock.json, CHANGELOG.md, ${RELEASED}. Commit them.`,
	);
	return true;
}

/** Prints the changelog of this version. */
async function notes(): Promise<boolean> {
	const current = await manifestOf(ROOT);
	const entries = entriesOf(await readFile('CHANGELOG.md', 'utf8'));
	console.log(entries.find((entry) => entry.version === current.version)?.text ?? '');
	return true;
}

const commands: Record<string, () => Promise<boolean>> = {
	prepare,
	notes,
	check: async () =>
		await check(({ packed: { files, bytes } }) => {
			console.log(`Ready: ${files.length} files, ${bytes} bytes`);
			return true;
		}),
	publish: async () => await check(publish),
};

commands[command]().then(
	(passed) => (process.exitCode = passed ? 0 : 1),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	},
);
