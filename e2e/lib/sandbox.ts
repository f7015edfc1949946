import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import { DEMO, startSandbox } from '../../sandbox';
import { freePort } from './ports';

/** Where the sandbox listens if it can; the example workflow of the rules names this port. */
export const SANDBOX_PORT = 4321;

/** Long enough that the node has to ask again, short enough for a demo. */
const CHUNK_DELAY_MS = 1500;

/** Starts the service the demo talks to; its index stays in the folder. */
export async function startDemoSandbox(folder: string): Promise<Sandbox> {
	return await startSandbox({
		port: await freePort(SANDBOX_PORT),
		dataFile: path.join(folder, 'sandbox.db'),
		authServerId: DEMO.authServerId,
		clients: [{ id: DEMO.clientId, secret: DEMO.clientSecret }],
		dataSources: [{ endpoint: DEMO.endpoint, keys: [DEMO.pushKey] }],
		settings: { chunkDelayMs: CHUNK_DELAY_MS },
	});
}
