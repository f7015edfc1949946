/**
 * `npm run release:rehearse`: the release of the present version to a registry on this machine, from a
 * copy of this repository to n8n's loader. Nothing leaves this machine.
 */
import 'reflect-metadata';

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { PackageDirectoryLoader } from 'n8n-core';

import { startRehearsal, type Rehearsal } from '../../support/rehearsal';

/** Runs one step and prints how it ended. */
async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
	const startedAt = Date.now();
	const result = await work();
	console.log(`✓ ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
	return result;
}

/** What must be so, or the rehearsal has failed. */
function expectThat(isSo: boolean, otherwise: string): void {
	if (!isSo) throw new Error(otherwise);
}

async function rehearse({ registry, root, run, must, install }: Rehearsal): Promise<void> {
	await step('npm publish refuses in the repository', async () => {
		const { code, stderr } = await run('npm', ['publish']);
		expectThat(code !== 0 && stderr.includes('EPRIVATE'), `npm publish: ${stderr}`);
		expectThat(registry.packages.size === 0, 'something was published');
	});
	await step('npm run release refuses a stale dist', async () => {
		const file = path.join(root, 'dist/nodes/ChunkText/ChunkText.node.js');
		const built = await readFile(file, 'utf8');
		await writeFile(file, `${built}// An edit that was never committed\n`);
		const { code, stdout } = await run('npm', ['run', 'release']);
		expectThat(code !== 0 && stdout.includes('dist is stale: 1 files'), stdout);
		expectThat(registry.packages.size === 0, 'something was published');
		await writeFile(file, built);
	});
	const output = await step(
		'npm run release publishes',
		async () => await must('npm', ['run', 'release']),
	);
	console.log(output.replace(/^/gm, '    ').trimEnd());
	const folder = await step('npm install installs it into an empty folder', install);
	await step("n8n's loader loads it", async () => {
		const loader = new PackageDirectoryLoader(folder);
		await loader.loadAll();
		const [nodes, credentials] = [loader.nodeTypes, loader.credentialTypes].map(Object.keys);
		expectThat(nodes.length === 4 && credentials.length === 3, 'not all were loaded');
		console.log(`    ${[...nodes, ...credentials].join(', ')}`);
	});
	await step('a second release of the same version is refused', async () => {
		const { code, stdout } = await run('npm', ['run', 'release']);
		expectThat(code !== 0 && stdout.includes('is published already'), stdout);
	});
	console.log(`Rehearsed in ${root}, which is removed now. .ci/run was taken as passed.`);
}

async function main(): Promise<void> {
	const rehearsal = await step(
		'a copy of this repository is prepared as RELEASING.md says',
		startRehearsal,
	);
	try {
		await rehearse(rehearsal);
	} finally {
		await rehearsal.remove();
	}
}

main().then(
	// n8n-core keeps timers.
	() => process.exit(0),
	(error: unknown) => {
		console.error(`✗ ${error instanceof Error ? error.message : String(error)}`);
		process.exit(1);
	},
);
