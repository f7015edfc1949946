import { readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(__dirname, '..');

export interface Manifest {
	name: string;
	version: string;
	license: string;
	author: { name: string; email: string };
	repository: { type: string; url: string };
	main?: string;
	files: string[];
	keywords: string[];
	scripts: Record<string, string>;
	dependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
	bundledDependencies?: string[];
	peerDependencies: Record<string, string>;
	overrides?: unknown;
	n8n: { n8nNodesApiVersion: number; nodes: string[]; credentials: string[] };
}

export const manifest = JSON.parse(
	readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
) as Manifest;

/** Returns the name of the class in a built file, e.g. `ChunkText` in `dist/nodes/ChunkText/ChunkText.node.js`. */
const classOf = (file: string): string => path.basename(file).split('.')[0];

/** Returns n8n's name for a class, e.g. `chunkText`. */
const nameOf = (className: string): string => className[0].toLowerCase() + className.slice(1);

export const nodeNames: readonly string[] = manifest.n8n.nodes.map(classOf).map(nameOf).sort();

export const credentialClasses: ReadonlyMap<string, string> = new Map(
	manifest.n8n.credentials
		.map(classOf)
		.sort()
		.map((className) => [nameOf(className), className]),
);
