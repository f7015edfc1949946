/**
 * Tests the release scripts with a made-up repository. The scripts check for anything that prevents a release, and
 * enter the owner's name wherever it is needed.
 */
import { execFileSync } from 'node:child_process';
import {
	appendFileSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { ownerOf, replaceOwner } from '../../scripts/owner';
import { faultsOf, notesOf } from '../../scripts/release';
import { ROOT } from '../../support/manifest';

const OWNER = { repository: 'https://github.com/acme/x', author: 'Ann', email: 'ann@acme.io' };
const MANIFEST = {
	name: 'x',
	version: '0.1.0',
	repository: { url: `${OWNER.repository}.git` },
	author: { name: OWNER.author, email: OWNER.email },
};
const CHANGELOG = '# Changes\n\n## [0.1.0] - 2026-11-22\n\n- All\n\n[0.1.0]: x\n';

let root: string;
const write = (file: string, text: string) => writeFileSync(path.join(root, file), text);
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const git = (...args: string[]) =>
	execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
		cwd: root,
		encoding: 'utf8',
	});
const commit = () => {
	git('add', '.');
	git('commit', '--quiet', '--allow-empty', '--message', 'x');
	write('.cache/ci-passed', git('rev-parse', 'HEAD'));
};

beforeEach(() => {
	root = mkdtempSync(path.join(tmpdir(), 'release-'));
	mkdirSync(path.join(root, '.cache'));
	git('init', '--quiet');
	write('.gitignore', '.cache\n');
	write('package.json', JSON.stringify(MANIFEST));
	write('package-lock.json', JSON.stringify(MANIFEST));
	write('CHANGELOG.md', CHANGELOG);
	commit();
});
afterEach(() => rmSync(root, { recursive: true }));

const faults = async (tag?: string, published: string[] = []) =>
	await faultsOf(root, tag, async () => await Promise.resolve(published));
const manifest = (changes: object) =>
	write('package.json', JSON.stringify({ ...MANIFEST, ...changes }));

it('a commit that passed all checks can be released', async () => {
	expect(await faults('0.1.0', ['0.0.9'])).toEqual([]);
});

it.each<[string, () => void, RegExp, string?, string[]?]>([
	[
		'an edited file',
		() => appendFileSync(path.join(root, 'CHANGELOG.md'), 'x'),
		/^not committed/,
	],
	['two versions', () => manifest({ version: '0.2.0' }), /0\.2\.0, package-lock\.json 0\.1\.0/],
	['another tag', () => {}, /^the tag is 9\.9\.9, the version 0\.1\.0/, '9.9.9'],
	['a published version', () => {}, /^0\.1\.0 is published already/, undefined, ['0.1.0']],
	['no changelog', () => write('CHANGELOG.md', '## [0.0.9] - 2026-01-01\n\n- A'), /^CHANGELOG/],
	['a commit that was not tested', () => write('.cache/ci-passed', 'x'), /^\.ci\/run has not/],
	[
		'a neutral owner',
		() => manifest({ author: { name: 'A', email: 'a@example.com' } }),
		/^the owner is not set/,
	],
])('%s prevents it', async (_name, spoil, expected, ...[tag, published]) => {
	spoil();
	expect(await faults(tag, published)).toContainEqual(expect.stringMatching(expected));
});

it.each([
	['has a date', CHANGELOG, '- All'],
	['has no date', CHANGELOG.replace('2026-11-22', 'soon'), undefined],
	['is not the first', `## [Unreleased]\n\n- B\n\n${CHANGELOG}`, undefined],
	['is empty', CHANGELOG.replace('- All', ''), undefined],
	['is the last thing in the file', '## [0.1.0] - 2026-11-22\n\n- All', '- All'],
])('the changelog of a version that %s', (_name, text, expected) => {
	expect(notesOf(text, '0.1.0')).toBe(expected);
});

it('a new owner is written into all files', () => {
	write('LICENSE', 'Copyright (c) 2026 Ann');
	write('node.ts', `'${OWNER.repository}/blob/main/docs/x.md'`);
	git('add', '.');
	const bob = { repository: 'https://github.com/bob/y', author: 'Bob', email: 'bob@bob.io' };
	expect(replaceOwner(root, bob).sort()).toEqual(['LICENSE', 'node.ts', 'package.json']);
	expect(ownerOf(root)).toEqual(bob);
	expect(read('LICENSE')).toBe('Copyright (c) 2026 Bob');
	expect(read('node.ts')).toBe("'https://github.com/bob/y/blob/main/docs/x.md'");
});

const VENDOR = 'https://doc.lucidworks.com/';

it("a new owner's pages replace those of Lucidworks in the Docs links, and nowhere else", () => {
	const codex = 'nodes/MigrateBlobs/MigrateBlobs.node.json';
	mkdirSync(path.dirname(path.join(root, codex)), { recursive: true });
	write(codex, `"${VENDOR}a" "${VENDOR}b"`);
	write('README.md', `${VENDOR}c`);
	git('add', '.');
	replaceOwner(root, { repository: 'https://github.com/bob/y', author: 'B', email: 'b@b.io' });
	const docs = 'https://github.com/bob/y/blob/main/docs';
	expect(read(codex)).toBe(
		`"${docs}/migrate-blobs.md" "${docs}/credentials.md#lucidworks-fusion-blobs-api"`,
	);
	expect(read('README.md')).toBe(`${VENDOR}c`);
});

it('the license names the owner, and all Docs links open either pages of Lucidworks or of the owner', () => {
	const { author, repository } = ownerOf(ROOT);
	expect(readFileSync(path.join(ROOT, 'LICENSE'), 'utf8')).toContain(author);
	const links = execFileSync(
		'git',
		[
			'grep',
			'-ohE',
			'(https://doc.lucidworks.com/|https?://[^"\' ]+/blob/main/docs/)',
			'--',
			'nodes',
			'credentials',
		],
		{ cwd: ROOT, encoding: 'utf8' },
	);
	const opened = [...new Set(links.trim().split('\n'))];
	expect([[VENDOR], [`${repository}/blob/main/docs/`]]).toContainEqual(opened);
});
