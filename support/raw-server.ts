import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RawRequest {
	method: string;
	path: string;
	headers: IncomingHttpHeaders;
	body: string;
	/** Position of the request, counted from 0. */
	index: number;
}

/** The bytes of a response. `hang` keeps the connection open after them, and `reset` breaks it. */
export type RawAnswer = string | Buffer | { bytes: string | Buffer; then: 'hang' | 'reset' };

/** Builds the bytes of a response with a correct Content-Length, unless the headers contain another one. */
export function response(
	status: number,
	headers: Record<string, string> = {},
	body: string | Buffer = '',
): Buffer {
	const bytes = Buffer.from(body as string);
	const all = { 'Content-Length': String(bytes.length), Connection: 'close', ...headers };
	const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
	return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n`), bytes]);
}

const bodyOf = async (request: IncomingMessage): Promise<string> =>
	Buffer.concat((await request.toArray()) as Buffer[]).toString();

/** Provides a server that sends exactly the bytes that a test chooses, even if they are not valid HTTP. */
export function useRawServer() {
	const requests: RawRequest[] = [];
	let answer: (request: RawRequest) => RawAnswer = () => response(200);
	const server = createServer((incoming) => {
		const { socket } = incoming;
		void bodyOf(incoming).then((body) => {
			const { method = '', url: path = '', headers } = incoming;
			const request = { method, path, headers, body, index: requests.length };
			requests.push(request);
			const bytes = answer(request);
			if (typeof bytes === 'string' || Buffer.isBuffer(bytes)) {
				socket.end(bytes);
				return;
			}
			const { then } = bytes;
			socket.write(bytes.bytes, () => {
				// The client must receive these bytes before the reset.
				if (then === 'reset') setTimeout(() => socket.resetAndDestroy(), 20);
			});
		});
	});
	beforeAll(async () => {
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	});
	beforeEach(() => {
		requests.length = 0;
	});
	afterAll(async () => {
		server.closeAllConnections();
		await new Promise((done) => server.close(done));
	});
	return {
		requests,
		url: (protocol = 'http') =>
			`${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`,
		answers: (next: RawAnswer | ((request: RawRequest) => RawAnswer)) => {
			answer = typeof next === 'function' ? next : () => next;
		},
	};
}
