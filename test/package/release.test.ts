/** `npm publish` cannot ship a wrong package. `npm run release:rehearse` plays a whole release. */
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { changelogFaults, withRelease } from '../../scripts/release/changelog';
import {
	checkRepository,
	ciFaults,
	distFaults,
	ownerFaults,
	STAMP,
	treeFaults,
	versionFaults,
} from '../../scripts/release/checks';
import { linkFaults } from '../../scripts/release/links';
import {
	contentFaults,
	dependencyFaults,
	licenseFaults,
	secretFaults,
	secretsIn,
} from '../../scripts/release/tarball';
import { manifest } from '../../support/manifest';
import type { PackedPackage } from '../../support/packed-package';
import { startRehearsal, type Rehearsal } from '../../support/rehearsal';

const PREPARING_MS = 180_000;

let rehearsal: Rehearsal;
const inCopy = (file: string) => path.join(rehearsal.root, file);

beforeAll(async () => {
	rehearsal = await startRehearsal(true);
}, PREPARING_MS);

afterAll(async () => await rehearsal?.remove());

afterEach(async () => {
	await rehearsal.must('git', ['checkout', '--quiet', '.']);
	await rehearsal.must('git', ['clean', '--quiet', '--force']);
	const tags = await rehearsal.must('git', ['tag']);
	for (const tag of tags.split('\n').filter(Boolean)) {
		await rehearsal.must('git', ['tag', '--delete', tag]);
	}
	writeFileSync(inCopy(STAMP), await rehearsal.must('git', ['rev-parse', 'HEAD']));
});

function edit(file: string, from: string | RegExp, to: string): void {
	const text = readFileSync(inCopy(file), 'utf8');
	expect(text).toMatch(from);
	writeFileSync(inCopy(file), text.replace(from, to));
}

describe('npm publish in the repository', () => {
	it('refuses, and uploads nothing', async () => {
		const { code, stderr } = await rehearsal.run('npm', ['publish']);
		expect(code).not.toBe(0);
		expect(stderr).toContain('EPRIVATE');
		expect([...rehearsal.registry.packages.keys()]).toEqual([]);
		expect(rehearsal.registry.requests.filter((line) => line.startsWith('PUT'))).toEqual([]);
	});
});

describe('npm run release', () => {
	it('finds nothing wrong with a prepared release', async () => {
		const checked = await checkRepository(rehearsal.root, rehearsal.env);
		expect(checked.flatMap(({ faults }) => faults)).toEqual([]);
		expect(checked).toHaveLength(7);
	});

	it('refuses and says why, and uploads nothing', async () => {
		appendFileSync(inCopy('README.md'), 'An edit\n');
		const { code, stdout } = await rehearsal.run('npm', ['run', 'release']);
		expect(code).toBe(1);
		expect(stdout).toMatch(/✗ everything is committed\n {4}not committed:\n +M README\.md/);
		expect(stdout).toContain('Not published');
		expect([...rehearsal.registry.packages.keys()]).toEqual([]);
	});

	const { name, version } = manifest;
	const tree = async () => await treeFaults(rehearsal.root);
	const versions = async () => await versionFaults(rehearsal.root, rehearsal.env);
	const changelog = async () =>
		changelogFaults(readFileSync(inCopy('CHANGELOG.md'), 'utf8'), version);
	const ci = async () => await ciFaults(rehearsal.root);

	it.each<[string, () => Promise<string[]>, () => unknown, RegExp]>([
		[
			'an edited file',
			tree,
			() => appendFileSync(inCopy('LICENSE'), 'x'),
			/^not .*:\n *M LICENSE/,
		],
		[
			'a new file',
			tree,
			() => writeFileSync(inCopy('new.txt'), 'x'),
			/^not .*:\n\?\? new\.txt/,
		],
		[
			'a version that is none',
			versions,
			() => edit('package.json', `"version": "${version}"`, '"version": "1.0"'),
			/^1\.0 is no version$/,
		],
		[
			'two versions',
			versions,
			() => edit('package-lock.json', `"version": "${version}"`, '"version": "9.9.9"'),
			/^package-lock\.json has 9\.9\.9, package\.json \d/,
		],
		[
			'another tag',
			versions,
			async () => await rehearsal.must('git', ['tag', '9.9.9']),
			/^the tag is 9\.9\.9, the version \d/,
		],
		[
			'a published version',
			versions,
			() =>
				rehearsal.registry.packages.set(name, {
					name,
					'dist-tags': { latest: version },
					versions: { [version]: { name, version, dist: { tarball: 'http://x/y' } } },
				} as never),
			/ is published already$/,
		],
		[
			'a registry that does not answer',
			async () =>
				await versionFaults(rehearsal.root, {
					...rehearsal.env,
					NPM_CONFIG_REGISTRY: 'http://127.0.0.1:1',
					npm_config_registry: 'http://127.0.0.1:1',
					npm_config_fetch_retries: '0',
				}),
			() => {},
			/^the registry did not say which versions there are/,
		],
		[
			'no changelog entry',
			changelog,
			() => edit('CHANGELOG.md', `## [${version}]`, '## [0.0.9]'),
			/^CHANGELOG\.md has no entry for /,
		],
		[
			'a changelog entry without a date',
			changelog,
			() => edit('CHANGELOG.md', /\] - \d{4}-\d{2}-\d{2}/, '] - soon'),
			/has no date/,
		],
		[
			'a changelog that goes on above it',
			changelog,
			() => edit('CHANGELOG.md', '## [', '## [Unreleased]\n\n- More\n\n## ['),
			/is not the first entry/,
		],
		[
			'a link that leads nowhere',
			async () => linkFaults(rehearsal.root),
			() => appendFileSync(inCopy('README.md'), '[x](docs/nowhere.md)\n'),
			/docs\/nowhere\.md: no such file/,
		],
		[
			'another owner in the license',
			async () => await ownerFaults(rehearsal.root),
			() => edit('LICENSE', /^Copyright \(c\) (\d+) .+$/m, 'Copyright (c) $1 Bob'),
			/Not in sync with package\.json: LICENSE/,
		],
		[
			'a result of .ci/run for another commit',
			ci,
			() => writeFileSync(inCopy(STAMP), '0123456789abcdef0123456789abcdef01234567\n'),
			/^\.ci\/run has not passed for [0-9a-f]{40}: run it$/,
		],
		['no result of .ci/run', ci, () => rmSync(inCopy(STAMP)), /^\.ci\/run has not passed for /],
	])('refuses %s', async (_name, check, spoil, expected) => {
		await spoil();
		const found = await check();
		rehearsal.registry.packages.clear();
		expect(found[0]).toMatch(expected);
	});

	it('refuses a dist that is missing or not what the commit builds', async () => {
		const fresh = mkdtempSync(path.join(tmpdir(), 'staged-'));
		cpSync(inCopy('dist'), path.join(fresh, 'dist'), { recursive: true });
		const found = async (root: string) => await distFaults(root, { folder: fresh } as never);
		try {
			expect(await found(rehearsal.root)).toEqual([]);
			appendFileSync(path.join(fresh, 'dist/known/nodes.json'), ' ');
			writeFileSync(path.join(fresh, 'dist/new.js'), '');
			expect(await found(rehearsal.root)).toEqual([
				expect.stringMatching(/^dist is stale: 2 files .*known\/nodes\.json, new\.js$/),
			]);
			expect(await found(path.join(fresh, 'dist'))).toEqual([
				'dist is missing: npm run build',
			]);
		} finally {
			rmSync(fresh, { recursive: true });
		}
	});
});

describe('the package', () => {
	/** A made-up tarball. */
	const packed = (contents: Record<string, string>, changes: object = {}) =>
		({
			files: Object.keys(contents),
			bytes: 1000,
			manifest: { license: 'MIT', author: { name: 'Ann' }, ...changes },
			read: async (file: string) => contents[file],
		}) as unknown as PackedPackage;

	it('has the right files and size', () => {
		const found = contentFaults({
			...packed({ 'dist/docs/a.png': '', LICENSE: '' }),
			bytes: 3e6,
		});
		expect(found).toEqual(
			expect.arrayContaining([
				'dist/docs/a.png has no business in the package',
				'README.md is missing in the package',
				'the package has 3000000 bytes, at most 250000 are right',
			]),
		);
		expect(found.filter((fault) => fault.includes('LICENSE'))).toEqual([]);
	});

	it('depends on nothing', async () => {
		const code = "require('./x'); require('n8n-workflow'); require('lodash')";
		const spoiled = packed({ 'a.js': code }, { dependencies: { lodash: '4' } });
		expect(await dependencyFaults(spoiled)).toEqual([
			'package.json has dependencies',
			'a.js requires lodash',
		]);
	});

	it('has its license in full', async () => {
		expect(await licenseFaults(packed({ LICENSE: 'MIT License\n\nCopyright Ann' }))).toEqual(
			[],
		);
		expect(await licenseFaults(packed({}, { license: 'ISC' }))).toEqual([
			'the license is ISC, n8n asks for MIT',
			'LICENSE is not the MIT license',
			'LICENSE does not name Ann: npm run owner',
		]);
	});

	it.each([
		['a secret of the demo', 'clientSecret: "demo-secret"'],
		['a private key', '-----BEGIN RSA PRIVATE KEY-----'],
		['an npm token', `npm_${'a1'.repeat(18)}`],
		['a GitHub token', `ghp_${'a1'.repeat(18)}`],
		['an AWS key', `AKIA${'A1'.repeat(8)}`],
		['a JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def'],
	])('has no secret: %s', async (name, text) => {
		expect(secretsIn(text)).toEqual([name]);
		expect(await secretFaults(packed({ 'a.js': text, 'b.js': 'secret' }))).toEqual([
			`a.js has ${name}`,
		]);
	});
});

describe('the changelog of a release', () => {
	it.each([
		['dates its entry', '## [0.2.0] - not yet\n\n- A\n\n[0.2.0]: z/0.2.0\n'],
		['takes the place of its prerelease', '## [0.2.0-rc.1] - x\n\n- A\n\n[0.2.0-rc.1]: y/rc\n'],
		['renames Unreleased and adds the link', '## [Unreleased]\n\n- A\n\n[0.1.0]: x/0.1.0\n'],
	])('%s', (_name, text) => {
		const written = withRelease(text, '0.2.0', '2026-12-01', 'y');
		expect(written).toMatch(/^## \[0\.2\.0\] - 2026-12-01\n\n- A\n\n\[0\.2\.0\]: y\/0\.2\.0\n/);
	});

	it('is not that of another version', () => {
		expect(() => withRelease('## [0.1.0] - x\n', '0.2.0', '', '')).toThrow(
			/begins with 0\.1\.0/,
		);
	});
});
