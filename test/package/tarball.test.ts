/** What `npm publish` would upload. */
import path from 'node:path';

import { packPackage, type PackedPackage } from '../../support/packed-package';

let packed: PackedPackage;

beforeAll(async () => {
	packed = await packPackage();
});
afterAll(async () => await packed?.remove());

/** The kinds of files a user needs; everything else has no business in the tarball. */
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

it('holds only files a user needs', () => {
	expect(packed.files.filter((file) => !KINDS.some((kind) => kind.test(file)))).toEqual([]);
	expect(packed.files).toEqual(
		expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/known/nodes.json']),
	);
});

it('holds no tests, source maps, build states or sources', () => {
	const unwanted = /\.test\.|\.spec\.|__tests__|\.map$|tsbuildinfo|\.ts$|\.env|\.npmrc/;
	expect(packed.files.filter((file) => unwanted.test(file))).toEqual([]);
});

it('is small', () => {
	expect(packed.bytes).toBeLessThan(250_000);
});

it('needs nothing at run time but n8n-workflow', async () => {
	const { manifest } = packed;
	expect(manifest.dependencies).toBeUndefined();
	expect(manifest.optionalDependencies).toBeUndefined();
	expect(manifest.bundledDependencies).toBeUndefined();
	expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	expect(manifest.overrides).toBeUndefined();

	const required = new Set<string>();
	for (const file of packed.files.filter((name) => name.endsWith('.js'))) {
		const code = await packed.read(file);
		for (const [, name] of code.matchAll(/\brequire\(["']([^"']+)["']\)/g)) {
			if (!name.startsWith('.')) required.add(name);
		}
	}
	// n8n's own scan allows the crypto module beside it.
	const foreign = [...required].filter(
		(name) => !['n8n-workflow', 'crypto', 'node:crypto'].includes(name),
	);
	expect(foreign).toEqual([]);
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

it('has every file package.json promises n8n', () => {
	const { n8n } = packed.manifest;
	expect(n8n.n8nNodesApiVersion).toBe(1);
	expect(n8n.nodes).toHaveLength(4);
	expect(n8n.credentials).toHaveLength(3);
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
