import path from 'node:path';

import { DEMO } from '../../sandbox';
import { run } from '../../support/exec';
import { ROOT } from '../../support/manifest';
import { packPackage, type PackedPackage } from '../../support/packed-package';

const KINDS: RegExp[] = [
	/^(package\.json|README\.md|LICENSE)$/,
	/^dist\/credentials\/\w+\.credentials\.js$/,
	/^dist\/credentials\/icons\/\w+(\.dark)?\.svg$/,
	/^dist\/nodes\/\w+\/\w+\.node\.(js|json)$/,
	/^dist\/nodes\/\w+\/\w+(\.dark)?\.svg$/,
	/^dist\/nodes\/\w+\/__schema__\/v\d+\.\d+\.\d+(\/[\w/]+)?\.json$/,
	/^dist\/nodes\/\w+\/(?:[\w-]+\/)*[\w-]+\.js$/,
	/^dist\/(known|types)\/(nodes|credentials)\.json$/,
];

const NEEDED = [
	...['LICENSE', 'README.md', 'package.json'],
	...['dist/known/nodes.json', 'dist/known/credentials.json'],
	...['dist/types/nodes.json', 'dist/types/credentials.json'],
];

const MAX_BYTES = 250_000;

/** Modules that n8n's scan allows. */
const MODULES = ['n8n-workflow', 'crypto', 'node:crypto'];

const SECRETS = [
	new RegExp(`\\b(${DEMO.clientSecret}|${DEMO.pushKey})\\b`),
	/-----BEGIN [A-Z ]*PRIVATE KEY-----/,
	/\bnpm_[A-Za-z0-9]{36}\b/,
	/\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{40,})\b/,
	/\bAKIA[0-9A-Z]{16}\b/,
	/\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+/,
];

let packed: PackedPackage;

beforeAll(async () => {
	packed = await packPackage();
});
afterAll(async () => await packed?.remove());

it('contains only files that a user needs, and is small', () => {
	expect(packed.files.filter((file) => !KINDS.some((kind) => kind.test(file)))).toEqual([]);
	expect(NEEDED.filter((file) => !packed.files.includes(file))).toEqual([]);
	expect(packed.bytes).toBeLessThan(MAX_BYTES);
});

it('needs only n8n-workflow at run time', async () => {
	const { manifest } = packed;
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	for (const field of ['dependencies', 'optionalDependencies', 'bundledDependencies']) {
		expect(manifest).not.toHaveProperty(field);
	}
	expect(manifest.overrides).toBeUndefined();
	for (const file of packed.files.filter((name) => name.endsWith('.js'))) {
		const required = [...(await packed.read(file)).matchAll(/\brequire\(["']([^"']+)["']\)/g)];
		const foreign = required.filter(([, name]) => !/^\./.test(name) && !MODULES.includes(name));
		expect({ file, foreign }).toEqual({ file, foreign: [] });
	}
});

it('contains its license, and no secret', async () => {
	const license = await packed.read('LICENSE');
	expect(license).toMatch(/^MIT License/);
	expect(license).toContain(packed.manifest.author.name);
	for (const file of packed.files) {
		const text = await packed.read(file);
		expect({ file, found: SECRETS.filter((secret) => secret.test(text)) }).toEqual({
			file,
			found: [],
		});
	}
});

it('declares in package.json what n8n requires', () => {
	const { manifest } = packed;
	expect(manifest).toMatchObject({
		name: 'n8n-nodes-search-ingest',
		license: 'MIT',
		files: ['dist'],
		engines: { node: '>=20.15' },
		repository: { type: 'git' },
		author: { name: expect.any(String) as string, email: expect.any(String) as string },
	});
	expect(manifest.keywords).toContain('n8n-community-node-package');
	// npm would run these scripts on the user's machine.
	const lifecycle = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
	expect(lifecycle.filter((name) => name in manifest.scripts)).toEqual([]);
});

it('declares every node and credential that it contains', () => {
	const { n8n } = packed.manifest;
	expect(n8n.n8nNodesApiVersion).toBe(1);
	const there = (ending: string) => packed.files.filter((file) => file.endsWith(ending));
	expect([...n8n.nodes].sort()).toEqual(there('.node.js'));
	expect([...n8n.credentials].sort()).toEqual(there('.credentials.js'));
});

it('contains no path of the machine on which it was built', async () => {
	const home = path.resolve(__dirname, '../..');
	for (const file of packed.files) expect(await packed.read(file)).not.toContain(home);
});

it("passes n8n's publish gate", async () => {
	// The linter is an ES module, so it needs its own process.
	const args = ['scripts/scan.mjs', packed.folder, 'built'];
	const { stdout, stderr } = await run(process.execPath, args, ROOT);
	expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: '{"passed":true}', stderr: '' });
}, 60_000);
