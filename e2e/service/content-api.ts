import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Command } from '../shared/command';

/** The systems whose responses are known, and where their sites are. */
export const SYSTEMS = { WordPress: '', Zendesk: '', Confluence: '/wiki' };

export type System = keyof typeof SYSTEMS;

export interface Article {
	/** HTML. */
	title: string;
	/** HTML. Undefined if the entry has no such field. */
	html: string | undefined;
	isDraft?: boolean;
}

interface Answer {
	status?: number;
	headers?: Record<string, string>;
	/** Text, or an object that becomes JSON. */
	body: unknown;
}

export interface ContentApi {
	url: string;
	articles: Map<number, Article>;
	/** Entries that are missing from the list, although they are counted in its total. */
	lost: Set<number>;
	/** Answers that replace all others, keyed by the number of a page. */
	faults: Map<number, Answer>;
	/** The pages that were requested, and the host in the request. */
	requests: Array<{ page: number; host: string }>;
}

/** The example asks for more. The systems, too, may return fewer entries per page. */
const PER_PAGE = 5;

interface Page {
	number: number;
	entries: Array<[id: number, article: Article]>;
	total: number;
	pages: number;
	url: string;
}

/** The shapes and fields of the responses are taken from the documentation of the systems. */
const ANSWERS: Record<System, (page: Page) => Answer> = {
	WordPress: ({ number, entries, total, pages, url }) => {
		if (number > pages) {
			const message =
				'The page number requested is larger than the number of pages available.';
			const code = 'rest_post_invalid_page_number';
			return { status: 400, body: { code, message, data: { status: 400 } } };
		}
		return {
			headers: { 'x-wp-total': String(total), 'x-wp-totalpages': String(pages) },
			body: entries.map(([id, { title, html }]) => ({
				...{ id, link: `${url}/?page_id=${id}`, title: { rendered: title } },
				content: { rendered: html, protected: false },
			})),
		};
	},
	Zendesk: ({ number, entries, total, pages, url }) => ({
		body: {
			...{ count: total, page: number, page_count: pages, per_page: PER_PAGE },
			next_page: number < pages ? `${url}/next` : null,
			previous_page: number > 1 ? `${url}/previous` : null,
			articles: entries.map(([id, { title, html, isDraft = false }]) => ({
				...{ id, title, body: html, draft: isDraft, locale: 'en-us' },
				html_url: `${url}/hc/en-us/articles/${id}`,
			})),
		},
	}),
	Confluence: ({ number, entries, pages, url }) => ({
		body: {
			results: entries.map(([id, { title, html }]) => ({
				...{ id: String(id), type: 'page', status: 'current', title },
				body: { view: { value: html, representation: 'view' } },
				_links: { webui: `/spaces/DOCS/pages/${id}` },
			})),
			...{ start: (number - 1) * PER_PAGE, limit: PER_PAGE, size: entries.length },
			_links: {
				...{ base: `${url}/wiki`, context: '/wiki' },
				...(number < pages && {
					next: `/rest/api/content/search?next=true&cursor=${number + 1}&expand=body.view&cql=type%3Dpage`,
				}),
			},
		},
	}),
};

const PATHS: Array<[start: string, system: System]> = [
	['/wp-json/wp/v2/pages', 'WordPress'],
	['/api/v2/help_center/articles.json', 'Zendesk'],
	['/wiki/rest/api/content/search', 'Confluence'],
	['/rest/api/content/search', 'Confluence'],
];

/** Starts a server that lists articles as WordPress, Zendesk Help Center and Confluence do. */
export async function startContentApi(command: Command): Promise<ContentApi> {
	const api: ContentApi = {
		...{ url: '', articles: new Map(), lost: new Set(), faults: new Map(), requests: [] },
	};

	const find = (path: string, number: number): Answer => {
		const system = PATHS.find(([start]) => start === path)?.[1];
		if (!system) return { status: 404, body: '<h1>Not found</h1>' };
		const fault = api.faults.get(number);
		if (fault) return fault;
		const total = api.articles.size;
		const pages = Math.ceil(total / PER_PAGE);
		const from = (number - 1) * PER_PAGE;
		const entries = [...api.articles]
			.slice(from, from + PER_PAGE)
			.filter(([id]) => !api.lost.has(id));
		return ANSWERS[system]({ number, entries, total, pages, url: api.url });
	};

	const answer = (request: IncomingMessage, response: ServerResponse): void => {
		const { host = '' } = request.headers;
		const { pathname, searchParams } = new URL(request.url ?? '', api.url);
		const page = Number(searchParams.get('page') ?? searchParams.get('cursor') ?? 1);
		api.requests.push({ page, host });
		const { status = 200, headers, body } = find(pathname, page);
		const isText = typeof body === 'string';
		const type = isText ? 'text/html; charset=utf-8' : 'application/json';
		response
			.writeHead(status, { 'content-type': type, ...headers })
			.end(isText ? body : JSON.stringify(body));
	};

	const server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	command.onStop(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return api;
}
