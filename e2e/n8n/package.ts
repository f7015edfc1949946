import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { x as extract } from 'tar';

import { CACHE, ROOT } from '../shared/paths';
import { run } from '../shared/processes';

interface Manifest {
	name: string;
	version: string;
	n8n?: { nodes?: string[]; credentials?: string[] };
	devDependencies?: unknown;
	peerDependencies?: unknown;
	optionalDependencies?: unknown;
}

export interface PackedPackage {
	tarball: string;
	name: string;
	version: string;
	nodeCount: number;
}

async function readManifest(folder: string): Promise<Manifest> {
	return JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

export async function packPackage(): Promise<PackedPackage> {
	await mkdir(CACHE, { recursive: true });
	await run('npm', ['run', 'build'], { cwd: ROOT, logFile: path.join(CACHE, 'build.log') });
	const { name, version, n8n } = await readManifest(ROOT);
	const tarball = path.join(CACHE, `${name}-${version}.tgz`);
	await rm(tarball, { force: true });
	await run('npm', ['pack', '--ignore-scripts', '--pack-destination', CACHE], {
		cwd: ROOT,
		logFile: path.join(CACHE, 'pack.log'),
	});
	return { tarball, name, version, nodeCount: n8n?.nodes?.length ?? 0 };
}

/**
 * Installs the tarball with the same steps as n8n's "Install community node":
 *
 * 1. It unpacks the tarball into `<user folder>/.n8n/nodes/node_modules`.
 * 2. It removes the development and peer dependencies.
 * 3. npm installs the rest with n8n's options.
 * 4. It adds the package to n8n's list.
 *
 * n8n itself installs only from a registry, and any registry other than npm's requires a license.
 */
export async function installPackage(packed: PackedPackage, userFolder: string): Promise<void> {
	const nodes = path.join(userFolder, '.n8n', 'nodes');
	const folder = path.join(nodes, 'node_modules', packed.name);
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await extract({ file: packed.tarball, cwd: folder, strip: 1 });
	const manifest = await readManifest(folder);
	delete manifest.devDependencies;
	delete manifest.peerDependencies;
	delete manifest.optionalDependencies;
	await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
	const args = [
		'install',
		'--audit=false',
		'--fund=false',
		'--bin-links=false',
		'--install-strategy=shallow',
		'--ignore-scripts=true',
		'--package-lock=false',
	];
	await run('npm', args, { cwd: folder, logFile: path.join(CACHE, 'npm-package.log') });
	const installed = {
		name: 'installed-nodes',
		private: true,
		dependencies: { [packed.name]: packed.version },
	};
	await writeFile(path.join(nodes, 'package.json'), JSON.stringify(installed, null, 2));
}
