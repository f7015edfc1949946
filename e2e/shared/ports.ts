import { createServer } from 'node:net';

/*
 * This code replaces the `get-port` package, because n8n installs a different major version of that package in
 * e2e/node_modules.
 */

/** Returns the port if nothing is listening on it. If the port is 0, the system chooses a free port. */
async function tryPort(port: number): Promise<number | undefined> {
	return await new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(undefined));
		// No host is passed, so the port must be free on IPv4 and IPv6. n8n listens on both.
		server.listen(port, () => {
			const address = server.address();
			const found = typeof address === 'object' ? address?.port : undefined;
			server.close(() => resolve(found));
		});
	});
}

/**
 * Returns the preferred port if it is free. Otherwise, returns a free port among the next hundred ports. If none of
 * them is free, returns any free port.
 */
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
