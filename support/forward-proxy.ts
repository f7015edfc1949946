import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface ForwardProxy {
	url: string;
	/** All requests so far: `GET http://host/path` for plain requests, `CONNECT host:port` for tunnels. */
	seen: string[];
	close: () => Promise<void>;
}

/**
 * Starts a forward proxy on a free port on this machine.
 *
 * @param login the `user:password` that the proxy requires. By default, the proxy requires no login
 * @param tunnelsTo a port of this machine to which all tunnels lead. By default, they lead to the host in the request
 */
export async function startForwardProxy(login?: string, tunnelsTo?: number): Promise<ForwardProxy> {
	const seen: string[] = [];
	const tunnels = new Set<Socket>();
	const isAllowed = ({ headers }: IncomingMessage) => {
		const expected = `Basic ${Buffer.from(login ?? '').toString('base64')}`;
		return login === undefined || headers['proxy-authorization'] === expected;
	};
	const server = createServer((incoming, response) => {
		seen.push(`${incoming.method} ${incoming.url}`);
		if (!isAllowed(incoming)) {
			response.writeHead(407, { 'Proxy-Authenticate': 'Basic realm="proxy"' }).end();
			return;
		}
		const { method, headers, url = '' } = incoming;
		const { 'proxy-authorization': _login, ...passedOn } = headers;
		const outgoing = httpRequest(url, { method, headers: passedOn, agent: false }, (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(response);
		});
		outgoing.on('error', () => response.writeHead(502).end());
		incoming.pipe(outgoing);
	});
	server.on('connect', (incoming: IncomingMessage, socket) => {
		seen.push(`CONNECT ${incoming.url}`);
		if (!isAllowed(incoming)) {
			socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
			return;
		}
		const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(incoming.url ?? '') ?? [];
		const target =
			tunnelsTo === undefined
				? { port: Number(port), host }
				: { port: tunnelsTo, host: '127.0.0.1' };
		const tunnel = connect(target, () => {
			socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			tunnel.pipe(socket).pipe(tunnel);
		});
		tunnels.add(tunnel).add(socket as Socket);
		tunnel.on('error', () => socket.destroy());
		socket.on('error', () => tunnel.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		seen,
		close: async () => {
			server.closeAllConnections();
			for (const tunnel of tunnels) tunnel.destroy();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}
