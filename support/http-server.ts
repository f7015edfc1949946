import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A host that does not exist. Its name is too long to ask a name server for, which may take its time. */
export const NO_HOST = `${'a'.repeat(64)}.invalid`;

/** One request a test server saw. */
export interface SeenRequest {
	method: string;
	url: string;
	headers: IncomingHttpHeaders;
	body: string;
}

export interface TestServer {
	url: string;
	/** Every request so far, in order of arrival. */
	requests: SeenRequest[];
	/** Resolves as soon as that many requests have arrived. */
	arrived: (count: number) => Promise<void>;
	close: () => Promise<void>;
}

type Handler = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** Starts a small HTTP server on a free port of this machine. */
export async function startServer(handler: Handler): Promise<TestServer> {
	const requests: SeenRequest[] = [];
	const waiting: Array<{ count: number; resolve: () => void }> = [];
	const server = createServer((incoming, response) => {
		const chunks: Buffer[] = [];
		incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
		incoming.on('end', () => {
			const request: SeenRequest = {
				method: incoming.method ?? '',
				url: incoming.url ?? '',
				headers: incoming.headers,
				body: Buffer.concat(chunks).toString(),
			};
			requests.push(request);
			for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
			void handler(request, response);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		requests,
		arrived: async (count) => {
			if (requests.length >= count) return;
			await new Promise<void>((resolve) => waiting.push({ count, resolve }));
		},
		close: async () => {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

/** Sends a JSON response. */
export function reply(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'Content-Type': 'application/json' });
	response.end(JSON.stringify(body));
}
