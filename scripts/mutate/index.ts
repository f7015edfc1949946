/**
 * `npm run mutate -- --sample 100 --seed 1` changes the shipped code in small, random ways, one at a time, and runs the
 * tests that depend on the changed file. It prints each change that no test notices.
 *
 * The tests run in a copy of the working tree, so the working tree never changes. A failed test file runs once more
 * without the change. If it fails again, the result says nothing about the change.
 *
 * Options: `--minutes` (default 5) limits the time for one change, `--workers` (default 2) limits Jest's workers, and
 * `--files nodes/shared/sending` limits the changes to files whose path begins with this text.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	cpSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { seededRandom } from '../../sandbox/random';
import build from '../../support/built.cjs';
import { ROOT } from '../../support/manifest';
import { applyTo, diffOf, mutantsOf, type Mutant } from './mutants';

const { values: args } = parseArgs({
	options: {
		sample: { type: 'string', default: '20' },
		seed: { type: 'string', default: '1' },
		minutes: { type: 'string', default: '5' },
		workers: { type: 'string', default: '2' },
		files: { type: 'string', default: '' },
	},
});

type Verdict = 'noticed' | 'survived' | 'untested' | 'out of time' | 'unclear';

interface TestFile {
	path: string;
	isFailed: boolean;
}

const listed = (...options: string[]): string[] =>
	execFileSync('git', ['ls-files', ...options], { cwd: ROOT, encoding: 'utf8' })
		.split('\n')
		.filter((file) => file !== '' && existsSync(path.join(ROOT, file)));

function copyTree(): string {
	const copy = mkdtempSync(path.join(tmpdir(), 'mutate-'));
	const files = listed('--cached', '--others', '--exclude-standard');
	for (const file of files) cpSync(path.join(ROOT, file), path.join(copy, file));
	// Some tests load the build. It stays as it is.
	build({ rootDir: ROOT });
	cpSync(path.join(ROOT, 'dist'), path.join(copy, 'dist'), { recursive: true });
	symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
	return copy;
}

const JEST = ['--ci', '--silent', '--bail', '--passWithNoTests', '--watchman=false'];
/** Jest finds out which tests depend on a file only if it knows all files between them. */
const FOLDERS = ['nodes', 'credentials', 'sandbox', 'support', 'test'];

/** @returns undefined if the tests did not end in time */
async function runTests(copy: string, options: string[]): Promise<TestFile[] | undefined> {
	const report = path.join(copy, 'mutate-report.txt');
	writeFileSync(report, '');
	const scripts = {
		reporters: path.join(copy, 'scripts/mutate/reporter.cjs'),
		testSequencer: path.join(copy, 'support/quickest-first.cjs'),
	};
	const jest = spawn(
		process.execPath,
		[
			...[path.join(ROOT, 'node_modules/jest/bin/jest.js'), ...JEST],
			...FOLDERS.flatMap((folder) => ['--roots', folder]),
			...Object.entries(scripts).flatMap(([name, file]) => [`--${name}`, file]),
			...['--maxWorkers', args.workers, ...options],
		],
		// Jest and its workers are a process group of their own, because a worker in an endless loop ends only by force.
		{
			...{ cwd: copy, stdio: 'ignore', detached: true },
			env: { ...process.env, MUTATE_REPORT: report },
		},
	);
	const kill = () => jest.pid !== undefined && process.kill(-jest.pid, 'SIGKILL');
	let isLate = false;
	const limit = setTimeout(() => (isLate = kill()), Number(args.minutes) * 60_000);
	process.once('exit', kill);
	await once(jest, 'exit');
	process.off('exit', kill);
	clearTimeout(limit);
	if (isLate) return undefined;
	const lines = readFileSync(report, 'utf8').split('\n').filter(Boolean);
	return lines.map((line) => JSON.parse(line) as TestFile);
}

async function test(copy: string, mutant: Mutant): Promise<{ verdict: Verdict; by: string[] }> {
	const file = path.join(copy, mutant.file);
	const code = readFileSync(file, 'utf8');
	writeFileSync(file, applyTo(code, mutant));
	const found = await runTests(copy, ['--findRelatedTests', file]);
	writeFileSync(file, code);
	if (found === undefined) return { verdict: 'out of time', by: [] };
	if (found.length === 0) return { verdict: 'untested', by: [] };
	const failed = found.filter(({ isFailed }) => isFailed).map(({ path: name }) => name);
	const by = failed.map((name) => path.relative(copy, name));
	if (by.length === 0) return { verdict: 'survived', by };
	const again = await runTests(copy, ['--runTestsByPath', ...failed]);
	const isClear = again?.every(({ isFailed }) => !isFailed) ?? false;
	return { verdict: isClear ? 'noticed' : 'unclear', by };
}

function sampleOf<T>(all: T[], count: number, random: () => number): T[] {
	const rest = [...all];
	const sample: T[] = [];
	while (sample.length < count && rest.length > 0)
		sample.push(...rest.splice(Math.floor(random() * rest.length), 1));
	return sample;
}

async function main(): Promise<void> {
	const shipped = listed('nodes/**/*.ts', 'credentials/**/*.ts').filter((file) =>
		file.startsWith(args.files),
	);
	const codeOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
	const all = shipped.flatMap((file) => mutantsOf(file, codeOf(file)));
	const sample = sampleOf(all, Number(args.sample), seededRandom(`mutate ${args.seed}`));
	console.log(`${sample.length} of ${all.length} changes, seed ${args.seed}`);
	const results: Array<{ mutant: Mutant; verdict: Verdict }> = [];
	const copy = copyTree();
	process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
	for (const [at, mutant] of sample.entries()) {
		const since = performance.now();
		const { verdict, by } = await test(copy, mutant);
		results.push({ mutant, verdict });
		const seconds = Math.round((performance.now() - since) / 1000);
		console.log(`\n${at + 1}. ${verdict}, ${seconds} s. ${by.join(', ')}`);
		console.log(diffOf(codeOf(mutant.file), mutant));
	}
	const withVerdict = (verdict: Verdict) => results.filter((each) => each.verdict === verdict);
	for (const verdict of ['unclear', 'out of time', 'untested', 'survived'] as const) {
		const found = withVerdict(verdict);
		if (found.length > 0) console.log(`\n\n${found.length} ${verdict}:`);
		for (const { mutant } of found) console.log(`\n${diffOf(codeOf(mutant.file), mutant)}`);
	}
	console.log(`\n${withVerdict('noticed').length} of ${results.length} noticed`);
}

// The copy and Jest must not outlive this process.
process.once('SIGINT', () => process.exit(130));
void main();
