/**
 * n8n is installed with --legacy-peer-deps, which leaves out peer dependencies: a node of n8n whose
 * library needs one fails only when it is run.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';

/** Needed by nothing that n8n imports: other providers of a library, types, a build tool. */
const NEVER_IMPORTED = [
	'@browserbasehq/stagehand',
	'@ibm-cloud/watsonx-ai',
	'@vue/language-core',
	'ibm-cloud-sdk-core',
	'ts-toolbelt',
];

interface LockedPackage {
	peerDependencies?: Record<string, string>;
	peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

type Packages = Record<string, LockedPackage>;

/** Whether Node.js finds a package from another one: below it, or below a folder above it. */
function isFound(packages: Packages, from: string, name: string): boolean {
	const { dirname, join } = path.posix;
	for (let folder = from; ; folder = dirname(folder)) {
		if (join(folder, 'node_modules', name) in packages) return true;
		if (folder === '.') return false;
	}
}

it('e2e locks the peers that n8n needs to run', () => {
	const file = path.join(ROOT, 'e2e', 'package-lock.json');
	const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Packages };
	const lacking = Object.entries(packages).flatMap(([place, locked]) =>
		Object.keys(locked.peerDependencies ?? {})
			.filter((name) => locked.peerDependenciesMeta?.[name]?.optional !== true)
			.filter((name) => !isFound(packages, place, name))
			.filter((name) => !NEVER_IMPORTED.includes(name))
			.map((name) => `${place} needs ${name}`),
	);
	expect(lacking).toEqual([]);
});
