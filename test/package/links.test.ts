/** Links of this repository's documents lead somewhere: to a file, and to a heading in it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';

const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const withoutCode = (markdown: string) => markdown.replace(/```[\s\S]*?```/g, '');

/** The anchors that GitHub gives the headings of a document. */
function anchorsOf(file: string): string[] {
	const headings = withoutCode(read(file)).match(/^#+ .+$/gm) ?? [];
	return headings.map((heading) =>
		heading
			.replace(/^#+ /, '')
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replace(/\s/g, '-'),
	);
}

/** What is wrong with a link from a document, if anything is. */
function problemOf(link: string, from: string): string[] {
	const [target, anchor] = link.split('#');
	const file = target === '' ? from : path.join(path.dirname(from), target);
	if (!existsSync(path.join(ROOT, file))) return [`${link}: no such file`];
	const isFound = anchor === undefined || anchorsOf(file).includes(anchor);
	return isFound ? [] : [`${link}: no such heading`];
}

const documents = tracked.filter(
	(file) => file.endsWith('.md') && existsSync(path.join(ROOT, file)),
);

it.each(documents)('links of %s lead to files and headings', (file) => {
	const links = withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g);
	const local = [...links].map(([, link]) => link).filter((link) => !/^[a-z]+:/.test(link));
	expect(local.flatMap((link) => problemOf(link, file))).toEqual([]);
});

const linking = tracked.filter((file) => /^(nodes|credentials)\/.+\.(ts|json)$/.test(file));

it('Docs links of nodes and credentials lead to headings', () => {
	const links = linking.flatMap((file) => [
		...read(file).matchAll(/https:\/\/[^\s"']+\/blob\/main\/(docs\/[^\s"']+)/g),
	]);
	expect(links.length).toBeGreaterThan(6);
	expect(links.flatMap(([, link]) => problemOf(link, 'README.md'))).toEqual([]);
});
