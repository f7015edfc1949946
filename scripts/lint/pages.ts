/**
 * Checks that the target of each link in a page exists. If a comment names a section of the interface, also checks that
 * this section exists.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';

const INTERFACE = 'docs/service-interface.md';

const textOf = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const withoutCode = (markdown: string) => markdown.replace(/```[\s\S]*?```/g, '');
const headingsOf = (file: string): string[] =>
	(withoutCode(textOf(file)).match(/^#+ .+$/gm) ?? []).map((line) => line.replace(/^#+ /, ''));

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

/** Finds links to missing files or headings. Checks pages and the Docs links of nodes, credentials and examples. */
export function brokenLinks(files: readonly string[]): string[] {
	const pages = files.filter((file) => file.endsWith('.md'));
	const sources = files.filter((file) =>
		/^(?:(?:nodes|credentials)\/.+\.(?:ts|json)|examples\/[^/]+\.json)$/.test(file),
	);
	const linksIn = (file: string, pattern: RegExp) =>
		[...withoutCode(textOf(file)).matchAll(pattern)].map(([, link = '']) => link);
	const ofPages = pages.flatMap((file) =>
		linksIn(file, /\]\(([^)\s]+)\)/g)
			.filter((link) => !/^[a-z]+:/.test(link) && isBroken(link, file))
			.map((link) => `${file}: ${link} leads nowhere`),
	);
	const ofSources = sources.flatMap((file) =>
		linksIn(file, /https:\/\/[^\s"']+\/blob\/main\/(docs\/[^\s"')\\]+)/g)
			.filter((link) => isBroken(link, 'README.md'))
			.map((link) => `${file}: ${link} leads nowhere`),
	);
	return [...ofPages, ...ofSources];
}

/** Finds interface sections that comments refer to but that are missing from docs/service-interface.md. */
export function unknownSections(files: readonly string[]): string[] {
	const titles = new Set(headingsOf(INTERFACE));
	return files
		.filter((file) => file.endsWith('.ts'))
		.flatMap((file) => {
			const text = textOf(file).replace(/\n\s*(?:\*|\/\/) ?/g, ' ');
			// A title consists of letters and spaces, so it ends at the first character of any other kind.
			return [...text.matchAll(/docs\/service-interface\.md, ([A-Z][a-zA-Z ]+)/g)]
				.map(([, title = '']) => title.trim())
				.filter((title) => !titles.has(title))
				.map((title) => `${file}: ${INTERFACE} has no section ${title}`);
		});
}

const STEP = /`(\w+)` \(`([\w./-]+\.ts)`\)/g;
const PATH = /`((?:[\w.-]+\/)+[\w.-]+\.\w+)`/g;
/** Pages for maintainers. Each path in these pages is relative to one of the `FOLDERS`. */
const MAINTAINERS_PAGES = ['AGENTS.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'STYLE.md'];
const FOLDERS = ['nodes/shared', 'nodes', ''];
/**
 * Matches files that a build or a command writes. Also matches names that contain a placeholder in capitals, such as
 * `ENDPOINT.STATUS.json`.
 */
const NOT_THERE = /^(?:dist|\.cache|\.data)\/|[A-Z]{4,}\.[A-Z]/;

const sourceOf = (file: string): string | undefined =>
	FOLDERS.map((folder) => path.join(folder, file)).find((source) =>
		existsSync(path.join(ROOT, source)),
	);

/**
 * Finds nonexistent paths in the maintainers' pages. If a page names a function together with a file, also checks that
 * the file contains this function.
 */
export function wrongSteps(): string[] {
	return MAINTAINERS_PAGES.flatMap((page) => {
		const text = textOf(page);
		const paths = [...text.matchAll(PATH)].map(([, file = '']) => file);
		const missing = paths
			.filter((file) => !NOT_THERE.test(file) && sourceOf(file) === undefined)
			.map((file) => `${page}: there is no ${file}`);
		const undeclared = [...text.matchAll(STEP)].flatMap(([, name = '', file = '']) => {
			const source = sourceOf(file);
			if (source === undefined) return [];
			const declared = new RegExp(
				`(?:(?:function\\*? |const |class |interface |type )${name}\\b|^\t(?:private |async |static |\\*)*${name}[(<])`,
				'm',
			);
			return declared.test(textOf(source)) ? [] : [`${page}: ${source} has no ${name}`];
		});
		return [...missing, ...undeclared];
	});
}
