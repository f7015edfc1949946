import path from 'node:path';

import type { Sandbox } from '../../sandbox';
import { DEMO, startSandbox } from '../../sandbox';
import { freePort } from '../shared/ports';

/** The port that the examples use. If this port is taken, the sandbox uses another port. */
const SANDBOX_PORT = 4321;

export const TEMPLATE_URL = `http://localhost:${SANDBOX_PORT}`;

/** Long enough for the node to poll twice: at once and after a second. */
const CHUNK_DELAY_MS = 300;

/** Starts the demo's local service. Its index is stored in the folder. */
export async function startDemoSandbox(folder: string): Promise<Sandbox> {
	return await startSandbox({
		port: await freePort(SANDBOX_PORT),
		dataFile: path.join(folder, 'sandbox.jsonl'),
		authServerId: DEMO.authServerId,
		clients: [{ id: DEMO.clientId, secret: DEMO.clientSecret }],
		dataSources: [{ endpoint: DEMO.endpoint, keys: [DEMO.pushKey] }],
		settings: {
			chunkDelayMs: CHUNK_DELAY_MS,
			models: ['e5-small-v2', 'gte-small'],
			vectorsFromWords: true,
		},
	});
}

/** Returns the index's documents with this prefix, each as `id=text`, in alphabetical order. */
export const indexedIn = (sandbox: Sandbox, prefix = ''): string[] =>
	sandbox
		.documents(DEMO.endpoint)
		.map(({ id, text }) => `${String(id)}=${String(text).trim()}`)
		.filter((entry) => entry.startsWith(prefix))
		.sort();
