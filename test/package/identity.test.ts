/** Owner, repository and author are set by one command and stand nowhere else. */
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { run, type Finished } from '../../support/exec';
import { ROOT } from '../../support/manifest';

const NEW = [
	'--repository',
	'acme/n8n-acme-search',
	'--author',
	'Ann Acme',
	'--email',
	'ann@acme.io',
];

/** Files that may be binary or belong to npm. */
const NOT_TEXT = /\.(png|svg)$|package-lock\.json$/;

interface Manifest {
	homepage: string;
	author: { name: string; email: string };
	repository: { url: string };
	private?: boolean;
	scripts: Record<string, string>;
}

const folders: string[] = [];

afterAll(async () => {
	for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function trackedFiles(): Promise<string[]> {
	const { stdout } = await run('git', ['ls-files'], ROOT);
	return stdout.split('\n').filter((file) => file !== '' && !NOT_TEXT.test(file));
}

/** A copy of the repository's text files. */
async function copyRepository(): Promise<string> {
	const folder = await mkdtemp(path.join(tmpdir(), 'identity-'));
	folders.push(folder);
	for (const file of await trackedFiles()) {
		await cp(path.join(ROOT, file), path.join(folder, file)).catch(ignoreMissing);
	}
	return folder;
}

/** A file that was deleted but not committed yet is still tracked. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
	if (error.code !== 'ENOENT') throw error;
}

async function owner(...args: string[]): Promise<Finished> {
	return await run(process.execPath, ['scripts/identity.mjs', ...args], ROOT);
}

async function readManifest(folder: string): Promise<Manifest> {
	return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

describe('npm run owner', () => {
	it('finds all places in sync with package.json', async () => {
		expect(await owner('--check')).toMatchObject({ code: 0, stderr: '' });
	});

	it('writes a new owner everywhere, so that nothing of the previous one is left', async () => {
		const before = await readManifest(ROOT);
		const folder = await copyRepository();
		expect(await owner('--folder', folder, ...NEW)).toMatchObject({ code: 0 });

		expect(await readManifest(folder)).toMatchObject({
			homepage: 'https://github.com/acme/n8n-acme-search#readme',
			author: { name: 'Ann Acme', email: 'ann@acme.io' },
			repository: { url: 'https://github.com/acme/n8n-acme-search.git' },
		});
		const previous = [
			before.repository.url.replace(/\.git$/, ''),
			...Object.values(before.author),
		];
		const left: string[] = [];
		for (const file of await trackedFiles()) {
			const text = await readFile(path.join(folder, file), 'utf8').catch(() => '');
			left.push(
				...previous
					.filter((value) => text.includes(value))
					.map((value) => `${file}: ${value}`),
			);
		}
		expect(left).toEqual([]);
		expect(await owner('--folder', folder, '--check')).toMatchObject({ code: 0 });
	});

	it('notices a place that differs', async () => {
		const folder = await copyRepository();
		await owner('--folder', folder, ...NEW);
		await cp(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
		const { code, stderr } = await owner('--folder', folder, '--check');
		expect(code).toBe(1);
		expect(stderr).toContain('LICENSE');
	});

	it.each([
		['--repository', 'https://github.com/acme/search'],
		['--email', 'ann'],
		['--author', ' '],
	])('refuses %s %s', async (option, value) => {
		const folder = await copyRepository();
		const { code, stderr } = await owner('--folder', folder, option, value);
		expect(code).toBe(1);
		expect(stderr).toContain(option);
	});
});

describe('publishing', () => {
	it('is refused for a neutral owner, and the message names the command', async () => {
		const folder = await copyRepository();
		await owner('--folder', folder, ...NEW, '--email', 'ann@example.org');
		const { code, stderr } = await owner('--folder', folder, '--publishable');
		expect(code).toBe(1);
		expect(stderr).toContain('npm run owner -- --repository');
	});

	it('is allowed once the owner is set, but never of the repository itself', async () => {
		const folder = await copyRepository();
		await owner('--folder', folder, ...NEW);
		expect(await owner('--folder', folder, '--publishable')).toMatchObject({ code: 0 });
		// npm run without scripts refuses a private package; `npm run release` publishes a copy.
		expect((await readManifest(folder)).private).toBe(true);
	});
});
