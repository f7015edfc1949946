/** Links of documents, and Docs links of nodes and credentials: to a file, and to a heading in it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const withoutCode = (markdown: string) => markdown.replace(/```[\s\S]*?```/g, '');

/** The anchors that GitHub gives the headings of a document. */
function anchorsOf(file: string): string[] {
	const headings = withoutCode(readFileSync(file, 'utf8')).match(/^#+ .+$/gm) ?? [];
	return headings.map((heading) =>
		heading
			.replace(/^#+ /, '')
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replace(/\s/g, '-'),
	);
}

/** What is wrong with a link from a document, if anything is. */
function problemOf(root: string, link: string, from: string): string[] {
	const [target, anchor] = link.split('#');
	const file = path.join(root, target === '' ? from : path.join(path.dirname(from), target));
	if (!existsSync(file)) return [`${from}: ${link}: no such file`];
	const isFound = anchor === undefined || anchorsOf(file).includes(anchor);
	return isFound ? [] : [`${from}: ${link}: no such heading`];
}

/**
 * The documents of a repository, and the files that link to them.
 * @param root its folder
 */
export function linkingFiles(root: string): { documents: string[]; sources: string[] } {
	// Those that were not committed yet too, so that a new page is not left out.
	const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
	const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' })
		.split('\n')
		.filter((file) => existsSync(path.join(root, file)));
	return {
		documents: files.filter((file) => file.endsWith('.md')),
		sources: files.filter((file) => /^(nodes|credentials)\/.+\.(ts|json)$/.test(file)),
	};
}

/** What is wrong with the links of a document, one text per fault. */
export function documentLinkFaults(root: string, document: string): string[] {
	const text = withoutCode(readFileSync(path.join(root, document), 'utf8'));
	const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link);
	const local = links.filter((link) => !/^[a-z]+:/.test(link));
	return local.flatMap((link) => problemOf(root, link, document));
}

/** The Docs links of a source, from the repository's folder. */
export function docsLinksOf(root: string, source: string): string[] {
	const text = readFileSync(path.join(root, source), 'utf8');
	return [...text.matchAll(/https:\/\/[^\s"']+\/blob\/main\/(docs\/[^\s"']+)/g)].map(
		([, link]) => link,
	);
}

/** What is wrong with the links of a repository, one text per fault. */
export function linkFaults(root: string): string[] {
	const { documents, sources } = linkingFiles(root);
	return [
		...documents.flatMap((file) => documentLinkFaults(root, file)),
		...sources
			.flatMap((file) => docsLinksOf(root, file))
			.flatMap((link) => problemOf(root, link, 'README.md')),
	];
}
