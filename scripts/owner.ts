/**
 * Replaces the package's owner throughout the repository. The current values are read from package.json.
 *
 *   npx tsx scripts/owner.ts OWNER/NAME "Full Name" you@your.domain
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Owner {
	repository: string;
	author: string;
	email: string;
}

export function ownerOf(root: string): Owner {
	const { repository, author } = JSON.parse(
		readFileSync(path.join(root, 'package.json'), 'utf8'),
	) as { repository: { url: string }; author: { name: string; email: string } };
	return {
		repository: repository.url.replace(/\.git$/, ''),
		author: author.name,
		email: author.email,
	};
}

const CREDENTIAL_PAGES = {
	LucidworksAiOAuth2Api: 'docs/credentials.md#lucidworks-ai-oauth2-api',
	LucidworksPushApi: 'docs/credentials.md#lucidworks-push-endpoint-api',
	LucidworksBlobApi: 'docs/credentials.md#lucidworks-fusion-blobs-api',
};

/**
 * The pages that n8n's Docs links open. As long as the repository has no address, these links open pages of
 * Lucidworks. Each list is in the order of the links in the file.
 */
const DOCS_LINKS: Readonly<Record<string, string[]>> = {
	'nodes/ChunkText/ChunkText.node.json': [
		'docs/chunk-text.md',
		CREDENTIAL_PAGES.LucidworksAiOAuth2Api,
	],
	'nodes/PushDocuments/PushDocuments.node.json': [
		'docs/push-documents.md',
		CREDENTIAL_PAGES.LucidworksPushApi,
	],
	'nodes/DeleteDocument/DeleteDocument.node.json': [
		'docs/delete-document.md',
		CREDENTIAL_PAGES.LucidworksPushApi,
	],
	'nodes/MigrateBlobs/MigrateBlobs.node.json': [
		'docs/migrate-blobs.md',
		CREDENTIAL_PAGES.LucidworksBlobApi,
	],
	...Object.fromEntries(
		Object.entries(CREDENTIAL_PAGES).map(([name, page]) => [
			`credentials/${name}.credentials.ts`,
			[page],
		]),
	),
};

const VENDOR_LINK = /https:\/\/doc\.lucidworks\.com\/[^'"]+/g;

/** Replaces Lucidworks' pages in the Docs links of a file by pages of the repository. */
export function ownDocsLinks(file: string, text: string, repository: string): string {
	const pages = DOCS_LINKS[file]?.values();
	return text.replace(VENDOR_LINK, (link) => {
		const page = pages?.next().value;
		return page === undefined ? link : `${repository}/blob/main/${page}`;
	});
}

/** Replaces the owner in all files in the repository, and returns the files that changed. */
export function replaceOwner(root: string, owner: Owner): string[] {
	const before = ownerOf(root);
	const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
		.split('\n')
		.filter((file) => file !== '' && !/\.(png|svg)$|package-lock\.json$/.test(file));
	return files.filter((file) => {
		const text = readFileSync(path.join(root, file), 'utf8');
		let written = ownDocsLinks(file, text, owner.repository);
		written = written.replaceAll(before.repository, owner.repository);
		// In other files, the author's name can occur as an ordinary word.
		if (['LICENSE', 'package.json'].includes(file)) {
			written = written
				.replaceAll(before.author, owner.author)
				.replaceAll(before.email, owner.email);
		}
		if (written === text) return false;
		writeFileSync(path.join(root, file), written);
		return true;
	});
}

if (process.argv[1]?.endsWith('owner.ts')) {
	const [repository = '', author = '', email = ''] = process.argv.slice(2);
	if (!/^[\w-]+\/[\w.-]+$/.test(repository) || author === '' || !/^\S+@\S+\.\S+$/.test(email)) {
		console.error('npx tsx scripts/owner.ts OWNER/NAME "Full Name" you@your.domain');
		process.exit(1);
	}
	const owner = { repository: `https://github.com/${repository}`, author, email };
	console.log(`Written: ${replaceOwner(process.cwd(), owner).join(', ') || 'nothing'}`);
	console.log('Now run npm run format: longer lines may break elsewhere.');
}
