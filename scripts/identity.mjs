/**
 * Writes who owns this package everywhere it is stated. package.json holds the values; all other
 * places (PLACES below) are derived from it.
 *
 *   npm run owner -- --repository OWNER/NAME --author "Full Name" --email you@your.domain
 *   npm run owner                   writes all places again from package.json
 *   npm run owner -- --check        exit code 1 if a place differs from package.json
 *   npm run owner -- --publishable  exit code 1 while the owner is still the neutral one
 *
 * `--folder PATH` works on a copy of the repository instead.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { format, resolveConfig } from 'prettier';

/**
 * @typedef {object} Identity
 * @property {string} repository URL of the repository, without `.git`
 * @property {string} author name of the copyright holder
 * @property {string} email
 */

const COMMAND =
	'npm run owner -- --repository OWNER/NAME --author "Full Name" --email you@your.domain';

/** Domains nobody can own (RFC 2606): the neutral owner uses them. */
const RESERVED = /(^|[@/.])(example\.(com|org|net)|[\w-]+\.(example|invalid|test))(\/|$)/;

/** @type {Array<{ files: RegExp, pattern: RegExp, value: (identity: Identity) => string }>} */
const PLACES = [
	{
		files: /^LICENSE$/,
		pattern: /(?<=^Copyright \(c\) \d{4} ).+$/gm,
		value: ({ author }) => author,
	},
	{
		files: /^CHANGELOG\.md$/,
		pattern: /(?<=^\[\d[^\]]*\]: ).+(?=\/releases\/tag\/)/gm,
		value: ({ repository }) => repository,
	},
	{
		files: /^(nodes\/\w+\/\w+\.node\.json|credentials\/\w+\.credentials\.ts)$/,
		pattern: /https?:\/\/[^\s"']+(?=\/blob\/main\/docs\/)/g,
		value: ({ repository }) => repository,
	},
];

/** Ends the process with a message for whoever ran the command. */
function fail(/** @type {string} */ message) {
	console.error(message);
	process.exit(1);
}

/**
 * Reads and writes files below the repository's folder.
 *
 * @param {string} folder
 */
function repositoryAt(folder) {
	const file = (/** @type {string} */ name) => path.join(folder, name);
	const names = ['', 'nodes', 'credentials'].flatMap((part) =>
		readdirSync(file(part), { recursive: part !== '' }).map((name) =>
			path.posix.join(part, String(name).split(path.sep).join('/')),
		),
	);
	return {
		read: (/** @type {string} */ name) => readFileSync(file(name), 'utf8'),
		write: (/** @type {string} */ name, /** @type {string} */ text) =>
			writeFileSync(file(name), text),
		/** @type {(pattern: RegExp) => string[]} */
		find: (pattern) => names.filter((name) => pattern.test(name)),
	};
}

/**
 * The manifest with this identity in it; all other fields stay as they are.
 *
 * @param {Record<string, any>} manifest
 * @param {Identity} identity
 */
function withIdentity(manifest, identity) {
	const { repository, author, email } = identity;
	const { name, version, private: _, ...rest } = manifest;
	return {
		name,
		version,
		// npm itself refuses to publish this folder, also where its scripts are switched off. The copy
		// that `npm run release` publishes is not private.
		private: true,
		...rest,
		homepage: `${repository}#readme`,
		author: { name: author, email },
		repository: { type: 'git', url: `${repository}.git` },
		bugs: { url: `${repository}/issues` },
	};
}

/** @type {(identity: Identity) => boolean} */
function isNeutral({ repository, email }) {
	return RESERVED.test(repository) || RESERVED.test(email);
}

/**
 * Every file that states the identity, as it should be.
 *
 * @param {ReturnType<typeof repositoryAt>} repository
 * @param {Identity} identity
 */
async function expectedFiles({ read, find }, identity) {
	const manifest = JSON.parse(read('package.json'));
	const expected = new Map([
		['package.json', `${JSON.stringify(withIdentity(manifest, identity), null, '\t')}\n`],
	]);
	for (const { files, pattern, value } of PLACES) {
		const names = find(files);
		if (names.length === 0) fail(`No file matches ${files}`);
		for (const name of names) {
			const text = expected.get(name) ?? read(name);
			if (text.search(pattern) < 0) fail(`${name} does not state the owner: ${pattern}`);
			const written = text.replace(pattern, () => value(identity));
			expected.set(name, await formatted(name, written));
		}
	}
	return expected;
}

/**
 * A longer or shorter URL may have to break its line elsewhere.
 *
 * @param {string} name
 * @param {string} text
 */
async function formatted(name, text) {
	if (!name.endsWith('.ts')) return text;
	const options = await resolveConfig(path.resolve('package.json'), { editorconfig: true });
	return await format(text, { ...options, filepath: name });
}

/** @type {(manifest: Record<string, any>) => Identity} */
function readIdentity({ author, repository }) {
	return {
		repository: repository.url.replace(/\.git$/, ''),
		author: author.name,
		email: author.email,
	};
}

/**
 * The identity the command line asks for; what it leaves open stays as it is.
 *
 * @param {Identity} current
 * @param {{ repository?: string, author?: string, email?: string }} given
 * @returns {Identity}
 */
function applyArguments(current, { repository, author, email }) {
	if (repository !== undefined && !/^[\w-]+\/[\w.-]+$/.test(repository)) {
		fail(`--repository must be OWNER/NAME on GitHub, such as acme/n8n-nodes-search-ingest`);
	}
	if (email !== undefined && !/^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(email)) {
		fail('--email must be an email address');
	}
	if (author?.trim() === '') fail('--author must not be empty');
	return {
		repository:
			repository === undefined ? current.repository : `https://github.com/${repository}`,
		author: author ?? current.author,
		email: email ?? current.email,
	};
}

const { values } = parseArgs({
	options: {
		repository: { type: 'string' },
		author: { type: 'string' },
		email: { type: 'string' },
		check: { type: 'boolean' },
		publishable: { type: 'boolean' },
		folder: { type: 'string', default: '.' },
	},
});

const repository = repositoryAt(path.resolve(values.folder));
const identity = applyArguments(readIdentity(JSON.parse(repository.read('package.json'))), values);
const expected = await expectedFiles(repository, identity);
const stale = [...expected].filter(([name, text]) => repository.read(name) !== text);

if (values.check || values.publishable) {
	if (stale.length > 0) {
		fail(
			`Not in sync with package.json: ${stale.map(([name]) => name).join(', ')}. Run: npm run owner`,
		);
	}
	if (values.publishable && isNeutral(identity)) {
		fail(
			`The owner of this package is not set, so it cannot be published. Set it first:\n${COMMAND}`,
		);
	}
} else {
	for (const [name, text] of stale) repository.write(name, text);
	console.log(
		stale.length === 0
			? 'Nothing to change'
			: `Written: ${stale.map(([name]) => name).join(', ')}`,
	);
	if (isNeutral(identity)) console.log(`The owner is neutral. To set it: ${COMMAND}`);
}
