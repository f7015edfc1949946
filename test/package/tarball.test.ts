/** What `npm publish` would upload. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

import {
	contentFaults,
	dependencyFaults,
	licenseFaults,
	secretFaults,
} from '../../scripts/release/tarball';
import { ROOT } from '../../support/manifest';
import { packPackage, type PackedPackage } from '../../support/packed-package';

let packed: PackedPackage;

beforeAll(async () => {
	packed = await packPackage();
});
afterAll(async () => await packed?.remove());

it('holds only files a user needs, and is small', () => {
	expect(contentFaults(packed)).toEqual([]);
});

it('holds no tests, source maps, build states or sources', () => {
	const unwanted = /\.test\.|\.spec\.|__tests__|\.map$|tsbuildinfo|\.ts$|\.env|\.npmrc/;
	expect(packed.files.filter((file) => unwanted.test(file))).toEqual([]);
});

it('needs nothing at run time but n8n-workflow', async () => {
	const { manifest } = packed;
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	expect(manifest.overrides).toBeUndefined();

	expect(await dependencyFaults(packed)).toEqual([]);
});

it('has its license, and no secret', async () => {
	expect(await licenseFaults(packed)).toEqual([]);
	expect(await secretFaults(packed)).toEqual([]);
});

it('says in package.json what n8n asks for', () => {
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
	// These would run on the user's machine.
	const lifecycle = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
	expect(lifecycle.filter((name) => name in manifest.scripts)).toEqual([]);
});

/** How many files of this kind there are in a folder. */
const sourcesOf = (folder: string, ending: string): number =>
	readdirSync(path.join(ROOT, folder), { recursive: true }).filter((file) =>
		String(file).endsWith(ending),
	).length;

it('has every file package.json promises n8n', () => {
	const { n8n } = packed.manifest;
	expect(n8n.n8nNodesApiVersion).toBe(1);
	expect(n8n.nodes).toHaveLength(sourcesOf('nodes', '.node.ts'));
	expect(n8n.credentials).toHaveLength(sourcesOf('credentials', '.credentials.ts'));
	const promised = [...n8n.nodes, ...n8n.credentials];
	expect(promised.filter((file) => !packed.files.includes(file))).toEqual([]);
});

it('promises n8n every node and credential it has', () => {
	const { n8n } = packed.manifest;
	const there = (ending: string) => packed.files.filter((file) => file.endsWith(ending));
	expect([...n8n.nodes].sort()).toEqual(there('.node.js'));
	expect([...n8n.credentials].sort()).toEqual(there('.credentials.js'));
});

it('names no path of the machine it was built on', async () => {
	const home = path.resolve(__dirname, '../..');
	for (const file of packed.files) expect(await packed.read(file)).not.toContain(home);
});
