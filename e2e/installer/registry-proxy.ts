/**
 * The registry that n8n's installer names, played by a registry on this machine. n8n passes the
 * registry to npm itself (another one needs a license), so a proxy leads that host here, with a
 * certificate of its own. Every other host is refused.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createTls } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';

import { selfSigned } from '../../support/certificate';
import type { Registry } from '../../support/registry';
import type { Command } from '../shared/command';
import { N8N_FOLDER } from '../shared/paths';

const INSTALLER = 'node_modules/n8n/dist/modules/community-packages/community-packages.service.js';

/** A running proxy. */
export interface RegistryProxy {
	/** n8n's environment: the proxy, and the certificate to trust. */
	settings: Record<string, string>;
	/** Whether hosts can be reached; without, every connection is refused. */
	isOnline: boolean;
}

/** The host of the registry, of n8n's own code. */
function registryHost(): string {
	const code = readFileSync(path.join(N8N_FOLDER, INSTALLER), 'utf8');
	const [, url] = /DEFAULT_REGISTRY = '([^']+)'/.exec(code) ?? [];
	if (url === undefined) throw new Error(`${INSTALLER} names no registry`);
	return new URL(url).hostname;
}

/**
 * Starts the proxy; it ends with the command.
 * @param folder where its certificate goes
 */
export async function startRegistryProxy(
	command: Command,
	registry: Registry,
	folder: string,
): Promise<RegistryProxy> {
	const host = registryHost();
	const certificate = selfSigned(host);
	const file = path.join(folder, 'registry.pem');
	writeFileSync(file, certificate.cert);

	const sockets = new Set<Socket>();
	const tls = createTls(certificate, registry.handle);
	tls.on('connection', (socket: Socket) => sockets.add(socket));
	await new Promise<void>((done) => tls.listen(0, '127.0.0.1', done));

	const proxy = createServer((_request, response) => response.writeHead(403).end());
	const state = { isOnline: true };
	proxy.on('connect', (request, client: Socket) => {
		sockets.add(client);
		client.on('error', () => client.destroy());
		if (!state.isOnline || request.url !== `${host}:443`) {
			client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
			return;
		}
		const upstream = connect((tls.address() as AddressInfo).port, '127.0.0.1', () => {
			client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			upstream.pipe(client).pipe(upstream);
		});
		upstream.on('error', () => client.destroy());
	});
	await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
	command.onStop(async () => {
		for (const socket of sockets) socket.destroy();
		await Promise.all(
			[proxy, tls].map(async (server) => await new Promise((done) => server.close(done))),
		);
	});

	const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	return Object.assign(state, {
		settings: {
			HTTP_PROXY: url,
			HTTPS_PROXY: url,
			http_proxy: url,
			https_proxy: url,
			NODE_EXTRA_CA_CERTS: file,
			// npm: this certificate only, and nothing of this machine's settings.
			NPM_CONFIG_CAFILE: file,
			npm_config_cafile: file,
			npm_config_userconfig: path.join(folder, '.npmrc'),
			// npm would wait minutes for hosts that it cannot reach.
			npm_config_fetch_retries: '0',
			npm_config_cache: path.join(folder, 'npm-cache'),
		},
	});
}
