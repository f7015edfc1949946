/** Links of documents, and Docs links of nodes and credentials, lead to a file and to a heading in it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';

// Those that were not committed yet too, so that a new page is not left out.
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
	cwd: ROOT,
	encoding: 'utf8',
})
	.split('\n')
	.filter((file) => existsSync(path.join(ROOT, file)));

const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const withoutCode = (markdown: string) => markdown.replace(/```[\s\S]*?```/g, '');

/** The anchors that GitHub gives the headings of a document. */
const anchorsOf = (file: string): string[] =>
	(withoutCode(textOf(file)).match(/^#+ .+$/gm) ?? []).map((heading) =>
		heading
			.replace(/^#+ /, '')
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replace(/\s/g, '-'),
	);

/** The links that lead to no file or no heading. */
const broken = (links: string[], from: string): string[] =>
	links.filter((link) => {
		const [target, anchor] = link.split('#');
		const file = target === '' ? from : path.join(path.dirname(from), target);
		if (!existsSync(path.join(ROOT, file))) return true;
		return anchor !== undefined && !anchorsOf(file).includes(anchor);
	});

it.each(files.filter((file) => file.endsWith('.md')))('links of %s', (file) => {
	const links = [...withoutCode(textOf(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(
		([, link]) => link,
	);
	const local = links.filter((link) => !/^[a-z]+:/.test(link));
	expect(broken(local, file)).toEqual([]);
});

it('Docs links of nodes and credentials', () => {
	const sources = files.filter((file) => /^(nodes|credentials)\/.+\.(ts|json)$/.test(file));
	const links = sources.flatMap((file) =>
		[...textOf(file).matchAll(/https:\/\/[^\s"']+\/blob\/main\/(docs\/[^\s"']+)/g)].map(
			([, link]) => link,
		),
	);
	expect(links.length).toBeGreaterThan(6);
	expect(broken(links, 'README.md')).toEqual([]);
});
