import { createServer } from 'node:net';

/* The package `get-port` does this too, but n8n installs another version of it in e2e/node_modules. */

/** Returns the port if it is free, or undefined. For 0, returns any free port. */
async function tryPort(port: number): Promise<number | undefined> {
	return await new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(undefined));
		// Without a host, the port must be free for IPv4 and IPv6. n8n uses both.
		server.listen(port, () => {
			const address = server.address();
			const found = typeof address === 'object' ? address?.port : undefined;
			server.close(() => resolve(found));
		});
	});
}

/** Returns the preferred port, or else one of the next hundred ports, or else any free port. */
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
