/** Links of pages, and sections of the interface that comments name, lead to something that exists. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';

const INTERFACE = 'docs/service-interface.md';

const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const withoutCode = (markdown: string) => markdown.replace(/```[\s\S]*?```/g, '');
const headingsOf = (file: string): string[] =>
	(withoutCode(textOf(file)).match(/^#+ .+$/gm) ?? []).map((line) => line.replace(/^#+ /, ''));

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
	heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}\s_-]/gu, '')
		.replace(/\s/g, '-');

function isBroken(link: string, from: string): boolean {
	const [target = '', anchor] = link.split('#');
	const file = target === '' ? from : path.join(path.dirname(from), target);
	if (!existsSync(path.join(ROOT, file))) return true;
	return anchor !== undefined && !headingsOf(file).map(anchorOf).includes(anchor);
}

/** Finds links of pages, and Docs links of nodes and credentials, that lead to no file or no heading. */
export function brokenLinks(files: readonly string[]): string[] {
	const pages = files.filter((file) => file.endsWith('.md'));
	const sources = files.filter((file) => /^(nodes|credentials)\/.+\.(ts|json)$/.test(file));
	const linksIn = (file: string, pattern: RegExp) =>
		[...withoutCode(textOf(file)).matchAll(pattern)].map(([, link = '']) => link);
	const ofPages = pages.flatMap((file) =>
		linksIn(file, /\]\(([^)\s]+)\)/g)
			.filter((link) => !/^[a-z]+:/.test(link) && isBroken(link, file))
			.map((link) => `${file}: ${link} leads nowhere`),
	);
	const ofSources = sources.flatMap((file) =>
		linksIn(file, /https:\/\/[^\s"']+\/blob\/main\/(docs\/[^\s"']+)/g)
			.filter((link) => isBroken(link, 'README.md'))
			.map((link) => `${file}: ${link} leads nowhere`),
	);
	return [...ofPages, ...ofSources];
}

/** Finds sections of the interface that comments name and the page does not have. */
export function unknownSections(files: readonly string[]): string[] {
	const titles = new Set(headingsOf(INTERFACE));
	return files
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => {
			const text = textOf(file).replace(/\n\s*(?:\*|\/\/) ?/g, ' ');
			// As far as the first word that is in no title.
			return [...text.matchAll(/docs\/service-interface\.md, ([A-Z][a-zA-Z ]+)/g)]
				.map(([, title = '']) => title.trim())
				.filter((title) => !titles.has(title))
				.map((title) => `${file}: ${INTERFACE} has no section ${title}`);
		});
}

const STEP = /`(\w+)` \(`([\w/-]+\.ts)`\)/g;

/** Finds steps in ARCHITECTURE.md whose function or class is not in the file that they name. */
export function wrongSteps(): string[] {
	return [...textOf('ARCHITECTURE.md').matchAll(STEP)].flatMap(([, name = '', file = '']) => {
		const isShared = /^(?:n8n|flow|http|records|service)\//.test(file);
		const source = path.join(isShared ? 'nodes/shared' : 'nodes', file);
		if (!existsSync(path.join(ROOT, source))) return [`ARCHITECTURE.md: there is no ${source}`];
		const declared = new RegExp(
			`(?:(?:function\\*? |const |class )${name}\\b|^\\t(?:private |async |static |\\*)*${name}[(<])`,
			'm',
		);
		return declared.test(textOf(source)) ? [] : [`ARCHITECTURE.md: ${source} has no ${name}`];
	});
}
