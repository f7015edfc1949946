import { createHash, generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createSecureContext } from 'node:tls';

import { selfSigned } from '../../support/certificate';
import { startForwardProxy } from '../../support/forward-proxy';
import type { Command } from '../shared/command';

const HOSTS = ['www.googleapis.com', 'oauth2.googleapis.com'];

const GOOGLE = 'application/vnd.google-apps.';
const FOLDER = `${GOOGLE}folder`;

/** Small pages, so that each list has several. */
const FILES_PER_PAGE = 2;

export interface StoredFile {
	name: string;
	mimeType: string;
	parent: string;
	content?: string | Buffer;
	isTrashed?: boolean;
	/** Whether Drive leaves it out of its lists, as it may do with any file. */
	isUnlisted?: boolean;
}

export interface GoogleDrive {
	/** Keyed by ID. */
	files: Map<string, StoredFile>;
	/** Counts as a change of a file of Google. */
	edit(id: string, content: string): void;
	/** All requests so far, as `GET /path?query`. */
	requests: string[];
	/** Settings with which n8n finds this server in place of Google's. */
	settings: Record<string, string>;
	/** The private key of a service account. */
	privateKey: string;
}

/**
 * Starts a stand-in for Google Drive: lists with queries and pages, downloads and exports, as far as n8n's node uses
 * them. A proxy sends all requests for Google's hosts here.
 */
export async function startGoogleDrive(command: Command): Promise<GoogleDrive> {
	const certificates = new Map(HOSTS.map((host) => [host, selfSigned(host)]));
	const files = new Map<string, StoredFile>();
	const times = new Map<string, number>();
	const requests: string[] = [];
	const metadata = (id: string, { name, mimeType, parent, content = '' }: StoredFile) => ({
		...{ id, name, mimeType, parents: [parent], webViewLink: `https://drive.example/${id}` },
		modifiedTime: new Date(times.get(id) ?? 0).toISOString(),
		...(!mimeType.startsWith(GOOGLE) && {
			md5Checksum: createHash('md5').update(content).digest('hex'),
			size: String(Buffer.from(content).length),
		}),
	});

	const answer = (request: IncomingMessage, response: ServerResponse): void => {
		const json = (body: object, status = 200) =>
			response
				.writeHead(status, { 'content-type': 'application/json' })
				.end(JSON.stringify(body));
		const url = new URL(request.url ?? '', `https://${HOSTS[0]}`);
		requests.push(`${request.method} ${url.pathname}${decodeURIComponent(url.search)}`);
		if (url.pathname === '/token') return void json({ access_token: 'a', expires_in: 3600 });
		if (request.headers.authorization !== 'Bearer a') return void json({}, 401);
		if (url.pathname === '/drive/v3/files') return void json(page(url.searchParams));
		const [, id = '', action] =
			/^\/drive\/v3\/files\/([^/]+)(\/export)?$/.exec(url.pathname) ?? [];
		const file = files.get(id);
		const isAsked = !action && url.searchParams.get('alt') !== 'media';
		if (id === 'root') return void json({ id });
		if (!file || (file.isTrashed && !isAsked)) {
			return void json({ error: { code: 404, message: `File not found: ${id}.` } }, 404);
		}
		if (isAsked) {
			const { name, mimeType, parent, isTrashed: trashed = false } = file;
			const fields = { id, name, mimeType, parents: [parent], trashed };
			const wanted = url.searchParams.get('fields')?.split(',');
			const shown = Object.entries(fields).filter(([key]) => wanted?.includes(key));
			return void json(wanted ? Object.fromEntries(shown) : { name, mimeType });
		}
		const type = url.searchParams.get('mimeType') ?? file.mimeType;
		response.writeHead(200, { 'content-type': type }).end(file.content);
	};

	const page = (query: URLSearchParams): object => {
		const q = query.get('q') ?? '';
		const [, parent] = /^'(.*)' in parents/.exec(q) ?? [];
		const isWanted = (file: StoredFile) =>
			!file.isTrashed &&
			!file.isUnlisted &&
			(parent === undefined
				? file.mimeType === FOLDER
				: file.parent === parent && file.mimeType !== FOLDER);
		const all = [...files].filter(([, file]) => isWanted(file));
		const from = Number(query.get('pageToken') ?? 0);
		const to = from + FILES_PER_PAGE;
		const isComplete = query.get('fields')?.includes('files(*)');
		const shown = all
			.slice(from, to)
			.map(([id, file]) => (isComplete ? metadata(id, file) : { id, name: file.name }));
		return { files: shown, ...(to < all.length && { nextPageToken: String(to) }) };
	};

	const server = createServer(
		{
			...certificates.get(HOSTS[0]),
			SNICallback: (host, done) => done(null, createSecureContext(certificates.get(host))),
		},
		answer,
	);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	command.onStop(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	const proxy = await startForwardProxy(undefined, (server.address() as AddressInfo).port);
	command.onStop(async () => await proxy.close());
	const trusted = path.join(await command.temporaryFolder('drive'), 'trusted.pem');
	await writeFile(trusted, [...certificates.values()].map(({ cert }) => cert).join(''));
	const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
	return {
		...{ files, requests },
		edit: (id, content) => {
			const file = files.get(id);
			if (!file) throw new Error(`there is no file '${id}'`);
			files.set(id, { ...file, content });
			times.set(id, (times.get(id) ?? 0) + 1000);
		},
		settings: { HTTPS_PROXY: proxy.url, https_proxy: proxy.url, NODE_EXTRA_CA_CERTS: trusted },
		privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
	};
}
