import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import type { Command } from '../shared/command';

export interface Page {
	/** Content of `main`. */
	text?: string;
	/** Content of `head`. */
	head?: string;
	status?: number;
	headers?: Record<string, string>;
	/** In place of the page that is built from `text`. */
	body?: string | Buffer;
	/** Pages without a date are not in a sitemap. */
	lastmod?: string;
}

export interface Website {
	url: string;
	/** Keyed by path. */
	pages: Map<string, Page>;
	/** Answers that replace all others, keyed by the beginning of a path. */
	faults: Map<string, Page>;
	/** Headers of all answers. */
	headers: Record<string, string>;
	/** The paths of all requests so far. */
	requests: string[];
	/** The hosts in the requests that had a password. */
	hostsWithPassword: Set<string>;
}

const PAGES_IN_ARCHIVE = 1;

/**
 * Starts a website. `/sitemap.xml` is an index of two sitemaps: `/first.xml`, and `/last.xml.gz` with a single page.
 */
export async function startWebsite(command: Command): Promise<Website> {
	const pages = new Map<string, Page>();
	const faults = new Map<string, Page>();
	const headers: Record<string, string> = {};
	const requests: string[] = [];
	const hostsWithPassword = new Set<string>();
	let url = '';

	const sitemap = (paths: string[]): string => {
		const entries = paths.map(
			(path) =>
				`<url><loc>${url}${path}</loc><lastmod>${pages.get(path)?.lastmod}</lastmod></url>`,
		);
		return xml('urlset', entries);
	};

	const sitemaps: Record<string, (paths: string[]) => Page> = {
		'/sitemap.xml': () => ({
			headers: { 'content-type': 'application/xml' },
			body: xml(
				'sitemapindex',
				['/first.xml', '/last.xml.gz'].map(
					(path) => `<sitemap><loc>${url}${path}</loc></sitemap>`,
				),
			),
		}),
		'/first.xml': (paths) => ({
			headers: { 'content-type': 'text/xml' },
			body: sitemap(paths.slice(PAGES_IN_ARCHIVE)),
		}),
		'/last.xml.gz': (paths) => ({
			headers: { 'content-type': 'application/octet-stream' },
			body: gzipSync(sitemap(paths.slice(0, PAGES_IN_ARCHIVE))),
		}),
	};

	const find = (path: string): Page => {
		const fault = [...faults].find(([start]) => path.startsWith(start))?.[1];
		if (fault) return fault;
		const listed = [...pages].filter(([, { lastmod }]) => lastmod).map(([name]) => name);
		return sitemaps[path]?.(listed) ?? pages.get(path) ?? { status: 404, text: 'Not found' };
	};

	const answer = (request: IncomingMessage, response: ServerResponse): void => {
		const path = decodeURI(request.url ?? '');
		requests.push(path);
		const { authorization, host = '' } = request.headers;
		if (authorization !== undefined) hostsWithPassword.add(host);
		const { status = 200, headers: own, body, text = '', head = '' } = find(path);
		const html = `<html><head><title>Page ${path}</title>${head}</head><body><nav>Home</nav><main>${text}</main></body></html>`;
		response
			.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers, ...own })
			.end(body ?? html);
	};

	const server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	command.onStop(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return { url, pages, faults, headers, requests, hostsWithPassword };
}

const xml = (root: string, entries: string[]): string =>
	`<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</${root}>\n`;
