import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { startSandbox, type SandboxSettings } from '../sandbox';
import type { ServiceKind } from './service';

/** Starts a server that does as little as possible. It accepts any body and answers with status 200 and no body. */
async function startSink(): Promise<string> {
	const server: Server = createServer((request, response) => {
		request.resume();
		request.on('end', () => response.end());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function main(): Promise<void> {
	const [kind, settings] = process.argv.slice(2) as [ServiceKind, string];
	const url =
		kind === 'sink'
			? await startSink()
			: (await startSandbox({ settings: JSON.parse(settings) as Partial<SandboxSettings> }))
					.url;
	process.send?.({ url });
	// The parent process has ended or no longer needs the service.
	process.once('disconnect', () => process.exit(0));
}

void main();
