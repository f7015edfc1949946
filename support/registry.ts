/** A package registry on this machine: what `npm publish`, `npm view` and `npm install` need, in memory. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a registry says about a package: its versions, tags and tarballs. */
export interface Packument {
	name: string;
	'dist-tags': Record<string, string>;
	versions: Record<string, { dist: { tarball: string; integrity: string }; private?: boolean }>;
	_attachments?: Record<string, { data: string }>;
}

/** A running registry. */
export interface Registry {
	/** With a slash at the end, as npm has it. */
	url: string;
	/** What npm needs to publish here, as the text of an `.npmrc`. */
	npmrc: string;
	/** The token that may publish. */
	token: string;
	/** All packages by name. */
	packages: Map<string, Packument>;
	/** Method and path of every request. */
	requests: string[];
	/** Answers one request; a proxy can pass those that it intercepted. */
	handle: (request: IncomingMessage, response: ServerResponse) => void;
	close: () => Promise<void>;
}

const TOKEN = 'local-registry-token';

/** Starts a registry on a free port of 127.0.0.1. */
export async function startRegistry(): Promise<Registry> {
	const packages = new Map<string, Packument>();
	const tarballs = new Map<string, Buffer>();
	const requests: string[] = [];

	const handle = (request: IncomingMessage, response: ServerResponse): void => {
		const { pathname } = new URL(request.url ?? '/', 'http://localhost');
		requests.push(`${request.method} ${pathname}`);
		const send = (status: number, body: unknown) => {
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(body));
		};
		const [name, ...rest] = pathname.slice(1).split('/').map(decodeURIComponent);
		const found = packages.get(name);
		if (request.method === 'PUT') {
			void readBody(request).then((body) => {
				if (request.headers.authorization !== `Bearer ${TOKEN}`) {
					send(401, { error: 'authentication required' });
				} else {
					send(...publish(JSON.parse(body.toString()) as Packument));
				}
			});
		} else if (tarballs.has(pathname)) {
			response.end(tarballs.get(pathname));
		} else if (!found) {
			send(404, { error: 'Not found' });
		} else if (rest.length === 0) {
			send(200, withUrls(found, request));
		} else {
			const version = withUrls(found, request).versions[
				found['dist-tags'][rest[0]] ?? rest[0]
			];
			send(version ? 200 : 404, version ?? { error: 'version not found' });
		}
	};

	/** Tarballs are where the client found the registry: it may have come through a proxy. */
	const withUrls = (packument: Packument, request: IncomingMessage): Packument => {
		const scheme = 'encrypted' in request.socket ? 'https' : 'http';
		const copy = structuredClone(packument);
		for (const { dist } of Object.values(copy.versions)) {
			dist.tarball = new URL(
				new URL(dist.tarball).pathname,
				`${scheme}://${request.headers.host}`,
			).href;
		}
		return copy;
	};

	const publish = (sent: Packument): [number, unknown] => {
		const { name, versions, _attachments = {} } = sent;
		const existing = packages.get(name) ?? { name, 'dist-tags': {}, versions: {} };
		for (const [version, manifest] of Object.entries(versions)) {
			if (version in existing.versions)
				return [403, { error: `cannot publish over ${version}` }];
			existing.versions[version] = manifest;
			const [attachment] = Object.values(_attachments);
			tarballs.set(
				new URL(manifest.dist.tarball).pathname,
				Buffer.from(attachment.data, 'base64'),
			);
		}
		Object.assign(existing['dist-tags'], sent['dist-tags']);
		packages.set(name, existing);
		return [201, { success: true }];
	};

	const server: Server = createServer(handle);
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
	return {
		url,
		npmrc: `registry=${url}\n${url.replace('http:', '')}:_authToken=${TOKEN}\n`,
		token: TOKEN,
		packages,
		requests,
		handle,
		close: async () => {
			server.closeAllConnections();
			await new Promise((done) => server.close(done));
		},
	};
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
	const parts: Buffer[] = [];
	for await (const part of request) parts.push(part as Buffer);
	return Buffer.concat(parts);
}
