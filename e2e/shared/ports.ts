import { createServer } from 'node:net';

/*
 * Written here because `get-port` would resolve to another major version as soon as n8n is
 * installed in e2e/node_modules.
 */

/** The port, when nothing listens on it; 0 asks the system for any free one. */
async function tryPort(port: number): Promise<number | undefined> {
	return await new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(undefined));
		// No host: the port must be free on IPv4 and IPv6, as n8n listens on both.
		server.listen(port, () => {
			const address = server.address();
			const found = typeof address === 'object' ? address?.port : undefined;
			server.close(() => resolve(found));
		});
	});
}

/** A free port: the preferred one, else one of the next hundred, else any. */
export async function freePort(preferred?: number): Promise<number> {
	if (preferred !== undefined) {
		for (let port = preferred; port < preferred + 100; port++) {
			if ((await tryPort(port)) !== undefined) return port;
		}
	}
	const port = await tryPort(0);
	if (port === undefined) throw new Error('This machine has no free port');
	return port;
}
