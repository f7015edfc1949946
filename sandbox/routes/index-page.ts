import type { FastifyInstance } from 'fastify';

import type { Context } from '../context';
import { queryValue } from '../http';

/** Number of parent documents per page. Each parent is shown with its chunks. */
const PER_PAGE = 100;

/**
 * Maximum length of a list that the page shows in full. For a longer list, such as most vectors, the page shows only
 * the length.
 */
const MAX_ENTRIES = 16;

/** Maximum length of a string. Longer strings, such as packed vectors, are truncated. */
const MAX_CHARACTERS = 1000;

const STYLE = `
	:root { color-scheme: light dark; }
	body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
	details { border-top: 1px solid #8884; padding: 0.3rem 0; } details details { margin-left: 1.5rem; }
	summary { cursor: pointer; } small { opacity: 0.65; }
	td { padding: 0 1rem 0.2rem 1.5rem; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere; }
	td:first-child { white-space: nowrap; overflow-wrap: normal; }
	input { font: inherit; width: 20rem; }`;

const ENTITIES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
};

type Fields = Record<string, unknown>;

const escape = (text: unknown): string =>
	String(text).replace(/[&<>"]/g, (character) => ENTITIES[character]);

const counted = (number: number, thing: string): string =>
	`${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;

function shown(value: unknown): string {
	if (Array.isArray(value) && value.length > MAX_ENTRIES) return counted(value.length, 'value');
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

const detailsTag = (isOpen: boolean): string => `<details${isOpen ? ' open' : ''}>`;

function hasAll(document: Fields, words: readonly string[]): boolean {
	const text = Object.values(document).map(shown).join('\n').toLowerCase();
	return words.every((word) => text.includes(word));
}

/** Groups documents by parent ID. A document without a parent is grouped under its own ID. */
function byParent(documents: Fields[]): Map<string, Fields[]> {
	const groups = new Map<string, Fields[]>();
	for (const document of documents) {
		const parent = String(document.parentId ?? document.id);
		const group = groups.get(parent);
		if (group) group.push(document);
		else groups.set(parent, [document]);
	}
	return groups;
}

function documentHtml({ id, name, ...fields }: Fields, isOpen: boolean): string {
	const rows = Object.entries(fields).map(
		([field, value]) => `<tr><td>${escape(field)}</td><td>${escape(shown(value))}</td></tr>`,
	);
	return `${detailsTag(isOpen)}<summary>${escape(name)} <small>${escape(id)}</small></summary><table>${rows.join('')}</table></details>`;
}

function groupHtml([parent, documents]: [string, Fields[]], isOpen: boolean): string {
	const chunks = documents.filter(({ parentId }) => parentId !== undefined);
	const html = (list: Fields[]) => list.map((one) => documentHtml(one, isOpen)).join('');
	const others = html(documents.filter(({ parentId }) => parentId === undefined));
	if (chunks.length === 0) return others;
	const sorted = chunks.sort((a, b) => Number(a.chunkIndex) - Number(b.chunkIndex));
	const title = `${escape(chunks[0].name)} <small>${escape(parent)}, ${counted(chunks.length, 'chunk')}</small>`;
	return `${others}${detailsTag(isOpen)}<summary>${title}</summary>${html(sorted)}</details>`;
}

/** Returns what a list contains, such as `31 documents, 143 chunks`. */
function contents(list: readonly Fields[], documents: number): string {
	const chunks = list.filter(({ parentId }) => parentId !== undefined).length;
	const all = counted(documents, 'document');
	return chunks === 0 ? all : `${all}, ${counted(chunks, 'chunk')}`;
}

function page(endpoint: string, documents: Fields[], query: string, from: number): string {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	const found =
		words.length === 0 ? documents : documents.filter((document) => hasAll(document, words));
	const groups = [...byParent(found)];
	const part = groups
		.slice(from, from + PER_PAGE)
		.map((group) => groupHtml(group, words.length > 0));
	const count = contents(documents, byParent(documents).size);
	const title =
		words.length === 0 ? count : `Found ${contents(found, groups.length)}, of ${count}`;
	const link = (start: number, text: string) =>
		`<a href="?${escape(new URLSearchParams({ endpoint, q: query, from: String(start) }))}">${text}</a> `;
	const earlier = from > 0 ? link(Math.max(0, from - PER_PAGE), 'Previous') : '';
	const later = from + PER_PAGE < groups.length ? link(from + PER_PAGE, 'Next') : '';
	return `<!doctype html><meta charset="utf-8"><title>Index ${escape(endpoint)}</title><style>${STYLE}</style>
<h1>Index ${escape(endpoint)}</h1>
<form><input type="hidden" name="endpoint" value="${escape(endpoint)}">
<input name="q" type="search" value="${escape(query)}" placeholder="Words that all occur" autofocus> <button>Search</button></form>
<p>${title}</p>
${part.join('\n')}
<p>${earlier}${later}</p>`;
}

/**
 * Adds an HTML page that shows an index. The page lists the documents with their fields and chunks, shows
 * how many documents there are, and has a search box.
 */
export function indexPage(app: FastifyInstance, { index, dataSources }: Context): void {
	app.get('/', { config: { control: true } }, async (request, reply) => {
		const endpoint = queryValue(request, 'endpoint') ?? dataSources[0]?.endpoint ?? '';
		const from = Number(queryValue(request, 'from') ?? 0);
		const html = page(
			endpoint,
			index.documents(endpoint).reverse(),
			queryValue(request, 'q') ?? '',
			from,
		);
		return reply.type('text/html; charset=utf-8').send(html);
	});
}
