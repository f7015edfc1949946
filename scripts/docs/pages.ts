/**
 * The parts of the guides that are made from the code: `npm run docs` writes them, and
 * test/package/docs.test.ts fails if they are not current. A part begins with a comment that says what
 * it is, such as `<!-- options: ChunkText.options -->`, and ends with `<!-- end -->`.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../../support/manifest';
import { linkingFiles } from '../release/links';
import { connectionTable, messageTable, statusTable } from './message-tables';
import { allProperties, tableOf, type TableOf } from './property-tables';

const PART = /(<!-- (\w+): ([^>]*?)-->\n)[\s\S]*?(<!-- end -->)/g;

/** What makes a part of each kind. */
const KINDS: Record<string, (argument: string) => Promise<string>> = {
	options: async (argument) => tableOf(await allProperties(), parseTable(argument)),
	messages: async (argument) => await messageTable(ROOT, argument.trim()),
	statuses: async () => await statusTable(),
	connections: async () => await connectionTable(),
};

/**
 * Reads what a table of options is to have.
 *
 * @param argument `Class` or `Class.collection`, then ` only ` or ` except ` and `property=value`, if it
 *   does not have all of them; on further lines `property: link`
 * @throws Error for anything else
 */
export function parseTable(argument: string): TableOf {
	const [first, ...others] = argument.trim().split('\n');
	const parts = /^(\w+)(?:\.(\w+))?(?: (only|except) (\w+)=(\w+))?$/.exec(first.trim());
	if (parts === null) throw new Error(`'${first}' does not say what table it is`);
	const [, className, collection, kind, name, value] = parts;
	const links = others.map((line): [string, string] => {
		const [property, link] = line.split(': ');
		return [property.trim(), link.trim()];
	});
	return {
		className,
		...(collection !== undefined && { collection }),
		...(kind !== undefined && { filter: { isOnly: kind === 'only', name, value } }),
		links: new Map(links),
	};
}

/** The tables of options in a page. */
export const tablesIn = (text: string): TableOf[] =>
	[...text.matchAll(PART)]
		.filter(([, , kind]) => kind === 'options')
		.map(([, , , argument]) => parseTable(argument));

/** The pages that have such parts, by their path in the repository. */
export function generatedPages(root: string): Map<string, string> {
	const texts = linkingFiles(root).documents.map((page): [string, string] => [
		page,
		readFileSync(path.join(root, page), 'utf8'),
	]);
	return new Map(texts.filter(([, text]) => text.search(PART) >= 0));
}

/** A page with all its parts made anew, not formatted. */
export async function made(page: string, text: string): Promise<string> {
	const parts: string[] = [];
	for (const [, , kind, argument] of text.matchAll(PART)) {
		if (!Object.hasOwn(KINDS, kind)) throw new Error(`${page}: unknown part '${kind}'`);
		parts.push(await KINDS[kind](argument));
	}
	return text.replace(
		PART,
		(...[, begin, , , end]: string[]) => `${begin}\n${parts.shift() ?? ''}\n\n${end}`,
	);
}
