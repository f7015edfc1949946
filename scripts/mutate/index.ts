/**
 * `npm run mutate -- --sample 100 --seed 1` changes the shipped code in small, random ways, one at a time, and runs the
 * tests that reach the change, quick files first. It prints each change that no test notices.
 *
 * First, all tests run once without a change. Probes in the code record which test files reach which change. All of this
 * happens in a copy of the working tree, so the working tree never changes. A failed test file runs once more without
 * and once more with the change. If it fails without the change, passes with it, or takes much longer in one of these
 * runs, the result is unclear. A change is out of time if a test file takes much longer than without it.
 *
 * Options: `--workers` (default 2) limits Jest's workers, and `--files nodes/shared/sending` limits the changes to files
 * whose path begins with this text.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	cpSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { seededRandom } from '../../sandbox/random';
import build from '../../support/built.cjs';
import { ROOT } from '../../support/manifest';
import { applyTo, diffOf, mutantsOf, withProbes, type Mutant } from './mutants';

const { values: args } = parseArgs({
	options: {
		sample: { type: 'string', default: '20' },
		seed: { type: 'string', default: '1' },
		workers: { type: 'string', default: '2' },
		files: { type: 'string', default: '' },
	},
});

type Verdict = 'noticed' | 'survived' | 'untested' | 'out of time' | 'unclear';

interface TestFile {
	path: string;
	isFailed: boolean;
	milliseconds: number;
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

/**
 * @param durations how long the test files take without a change, in milliseconds and in the order in which they run
 * @returns undefined if a test file took much longer
 */
async function runTests(
	copy: string,
	options: string[],
	durations: number[] = [],
): Promise<TestFile[] | undefined> {
	const inTools = (file: string) => path.join(copy, 'scripts/mutate', file);
	const report = path.join(copy, 'mutate-report.txt');
	writeFileSync(report, '');
	const jest = spawn(
		process.execPath,
		[
			...[path.join(ROOT, 'node_modules/jest/bin/jest.js'), '--ci', '--silent'],
			...['--reporters', inTools('reporter.cjs')],
			...['--testSequencer', inTools('in-order.cjs')],
			...['--maxWorkers', args.workers, ...options],
		],
		// Jest and its workers are a process group of their own, because a worker in an endless loop ends only by force.
		{
			...{ cwd: copy, stdio: 'ignore', detached: true },
			env: { ...process.env, MUTATE_REPORT: report, MUTATE_REACHED: reachedFile(copy) },
		},
	);
	const kill = () => jest.pid !== undefined && process.kill(-jest.pid, 'SIGKILL');
	let isLate = false;
	const limit = setInterval(() => {
		// The report grows with each test file that ends.
		const running = durations[linesOf(report).length + Number(args.workers) - 1];
		const limitMs = 60_000 + 4 * (running ?? durations.at(-1) ?? Infinity);
		if (Date.now() - statSync(report).mtimeMs > limitMs) isLate = kill();
	}, 1000);
	process.once('exit', kill);
	await once(jest, 'exit');
	process.off('exit', kill);
	clearInterval(limit);
	if (isLate) return undefined;
	return linesOf<TestFile>(report);
}

const reachedFile = (copy: string): string => path.join(copy, 'mutate-reached.txt');

const linesOf = <T>(file: string): T[] =>
	readFileSync(file, 'utf8')
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line) as T);

/** @returns the test files that reach each change of the sample, quick ones first */
async function testsThatReach(copy: string, sample: Mutant[]): Promise<TestFile[][]> {
	const changed = new Map(sample.map(({ file, code }) => [path.join(copy, file), code]));
	for (const [file, code] of changed) {
		const mutants = [...sample.entries()].filter(
			([, each]) => path.join(copy, each.file) === file,
		);
		writeFileSync(file, withProbes(code, mutants));
	}
	writeFileSync(reachedFile(copy), '');
	const probes = path.join(copy, 'scripts/mutate/probes.cjs');
	const found = (await runTests(copy, ['--setupFilesAfterEnv', probes])) ?? [];
	for (const [file, code] of changed) writeFileSync(file, code);
	for (const { path: name, isFailed } of found)
		if (isFailed) console.log(`Fails without a change: ${path.relative(copy, name)}`);
	const reached = linesOf<{ number: number; testPath: string }>(reachedFile(copy));
	const quickFirst = found.sort((one, other) => one.milliseconds - other.milliseconds);
	return sample.map((_, at) => {
		const ofChange = reached.filter(({ number }) => number === at);
		const paths = new Set(ofChange.map(({ testPath }) => testPath));
		return quickFirst.filter(({ path: name }) => paths.has(name));
	});
}

async function test(
	copy: string,
	mutant: Mutant,
	tests: TestFile[],
): Promise<{ verdict: Verdict; by: string[] }> {
	if (tests.length === 0) return { verdict: 'untested', by: [] };
	const file = path.join(copy, mutant.file);
	const run = async (code: string, files: TestFile[]) => {
		const paths = files.map(({ path: name }) => name);
		const durations = files.map(({ milliseconds }) => milliseconds);
		writeFileSync(file, code);
		const found = await runTests(copy, ['--bail', '--runTestsByPath', ...paths], durations);
		writeFileSync(file, mutant.code);
		return found;
	};
	const found = await run(applyTo(mutant), tests);
	if (found === undefined) return { verdict: 'out of time', by: [] };
	const failed = tests.filter(({ path: name }) =>
		found.some((each) => each.isFailed && each.path === name),
	);
	const by = failed.map(({ path: name }) => path.relative(copy, name));
	if (by.length === 0) return { verdict: 'survived', by };
	/** Returns undefined if a test file takes much longer this time. */
	const fails = async (code: string) =>
		(await run(code, failed))?.some(({ isFailed }) => isFailed);
	const isClear = (await fails(mutant.code)) === false && (await fails(applyTo(mutant))) === true;
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
	const all = shipped.flatMap((file) =>
		mutantsOf(file, readFileSync(path.join(ROOT, file), 'utf8')),
	);
	const sample = sampleOf(all, Number(args.sample), seededRandom(`mutate ${args.seed}`));
	console.log(`${sample.length} of ${all.length} changes, seed ${args.seed}`);
	const results: Array<{ mutant: Mutant; verdict: Verdict }> = [];
	const copy = copyTree();
	process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
	const tests = await testsThatReach(copy, sample);
	for (const [at, mutant] of sample.entries()) {
		const since = performance.now();
		const { verdict, by } = await test(copy, mutant, tests[at] ?? []);
		results.push({ mutant, verdict });
		const seconds = Math.round((performance.now() - since) / 1000);
		console.log(`\n${at + 1}. ${verdict}, ${seconds} s. ${by.join(', ')}`);
		console.log(diffOf(mutant));
	}
	const withVerdict = (verdict: Verdict) => results.filter((each) => each.verdict === verdict);
	for (const verdict of ['unclear', 'out of time', 'untested', 'survived'] as const) {
		const found = withVerdict(verdict);
		if (found.length > 0) console.log(`\n\n${found.length} ${verdict}:`);
		for (const { mutant } of found) console.log(`\n${diffOf(mutant)}`);
	}
	console.log(`\n${withVerdict('noticed').length} of ${results.length} noticed`);
}

// The copy and Jest must not outlive this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
void main();
