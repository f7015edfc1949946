/** What may be published, and what may not. */
import { DEMO } from '../../sandbox';
import type { PackedPackage } from '../../support/packed-package';

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

/** Files without which n8n or npm would lack something. */
const NEEDED = [
	'LICENSE',
	'README.md',
	'package.json',
	'dist/known/nodes.json',
	'dist/known/credentials.json',
	'dist/types/nodes.json',
	'dist/types/credentials.json',
];

const MAX_BYTES = 250_000;

/** Modules that n8n's own scan allows. */
const MODULES = ['n8n-workflow', 'crypto', 'node:crypto'];

/** Secrets of tests and demo, and what secrets of others look like. */
const SECRETS: Array<[string, RegExp]> = [
	['a secret of the demo', new RegExp(`\\b(${DEMO.clientSecret}|${DEMO.pushKey})\\b`)],
	['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
	['an npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
	['a GitHub token', /\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{40,})\b/],
	['an AWS key', /\bAKIA[0-9A-Z]{16}\b/],
	['a JSON Web Token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+/],
];

/** What was packed, as far as it matters here. */
type Packed = Pick<PackedPackage, 'files' | 'bytes' | 'manifest' | 'read'>;

/** The secrets in a text, by what they are. */
export function secretsIn(text: string): string[] {
	return SECRETS.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
}

/** What is wrong with the files of a tarball and its size, one text per fault. */
export function contentFaults({ files, bytes }: Packed): string[] {
	const foreign = files.filter((file) => !KINDS.some((kind) => kind.test(file)));
	const missing = NEEDED.filter((file) => !files.includes(file));
	return [
		...foreign.map((file) => `${file} has no business in the package`),
		...missing.map((file) => `${file} is missing in the package`),
		...(bytes > MAX_BYTES
			? [`the package has ${bytes} bytes, at most ${MAX_BYTES} are right`]
			: []),
	];
}

/** Dependencies that users would have to install, and modules that n8n's scan forbids. */
export async function dependencyFaults({ manifest, files, read }: Packed): Promise<string[]> {
	const faults = (['dependencies', 'optionalDependencies', 'bundledDependencies'] as const)
		.filter((field) => manifest[field] !== undefined)
		.map((field) => `package.json has ${field}`);
	for (const file of files.filter((name) => name.endsWith('.js'))) {
		for (const [, name] of (await read(file)).matchAll(/\brequire\(["']([^"']+)["']\)/g)) {
			if (!name.startsWith('.') && !MODULES.includes(name))
				faults.push(`${file} requires ${name}`);
		}
	}
	return faults;
}

/** The package is under MIT in full, in the name of its author. */
export async function licenseFaults({ manifest, files, read }: Packed): Promise<string[]> {
	const text = files.includes('LICENSE') ? await read('LICENSE') : '';
	const author = manifest.author.name;
	return [
		...(manifest.license === 'MIT'
			? []
			: [`the license is ${manifest.license}, n8n asks for MIT`]),
		...(text.startsWith('MIT License') ? [] : ['LICENSE is not the MIT license']),
		...(text.includes(author) ? [] : [`LICENSE does not name ${author}: npm run owner`]),
	];
}

/** Secrets in the files of a tarball, one text per fault. */
export async function secretFaults({ files, read }: Packed): Promise<string[]> {
	const faults: string[] = [];
	for (const file of files) {
		faults.push(...secretsIn(await read(file)).map((secret) => `${file} has ${secret}`));
	}
	return faults;
}
