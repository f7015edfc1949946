import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { x as extract } from 'tar';

import { run } from './exec';
import type { Manifest } from './manifest';
import { ROOT } from './manifest';

export interface PackedPackage {
	folder: string;
	tarball: string;
	manifest: Manifest;
	files: string[];
	bytes: number;
	read: (file: string) => Promise<string>;
	remove: () => Promise<void>;
}

/**
 * Packs the current build and unpacks it into `node_modules/<name>` in a new folder. A link next to the package
 * provides n8n-workflow. n8n itself uses NODE_PATH to provide n8n-workflow. The package cannot load anything else from
 * this repository.
 */
export async function packPackage(root = ROOT): Promise<PackedPackage> {
	if (!existsSync(path.join(root, 'dist'))) {
		throw new Error('Nothing is built yet: run "npm run build" first');
	}
	const home = await mkdtemp(path.join(tmpdir(), 'packed-'));
	const { code, stdout, stderr } = await run(
		'npm',
		['pack', '--ignore-scripts', '--json', '--pack-destination', home],
		root,
	);
	if (code !== 0) throw new Error(`npm pack failed: ${stderr}`);
	const [{ filename, size }] = Object.values(
		JSON.parse(stdout) as Record<string, { filename: string; size: number }>,
	);

	const manifest = JSON.parse(
		await readFile(path.join(root, 'package.json'), 'utf8'),
	) as Manifest;
	const modules = path.join(home, 'node_modules');
	const folder = path.join(modules, manifest.name);
	await mkdir(folder, { recursive: true });
	await extract({ file: path.join(home, filename), cwd: folder, strip: 1 });
	await symlink(
		path.join(ROOT, 'node_modules', 'n8n-workflow'),
		path.join(modules, 'n8n-workflow'),
	);

	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => entry.isFile())
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
		.map((file) => file.split(path.sep).join('/'))
		.sort();
	return {
		folder,
		tarball: path.join(home, filename),
		manifest,
		files,
		bytes: size,
		read: async (file) => await readFile(path.join(folder, file), 'utf8'),
		remove: async () => await rm(home, { recursive: true, force: true }),
	};
}
