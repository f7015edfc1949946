import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { CredentialData } from '../support/credential-store';

/** What a service takes. */
export interface RateLimit {
	/** So many requests in each second of the clock. */
	perSecond?: number;
	/** So many requests at once. */
	atOnce?: number;
	/** Whatever else it takes, it refuses each request with a number that this divides. */
	refusesEach?: number;
	/** Seconds in `Retry-After` of a refusal. */
	retryAfter?: number;
	/** What it refuses with instead of 429. */
	status?: number;
	/** How long an accepted request takes. */
	latencyMs?: number;
}

export interface RateLimitedService {
	credentials: CredentialData;
	/** When each request was accepted, in milliseconds of `performance.now()`. */
	accepted: number[];
	refused: () => number;
	/** IDs of the documents it has received. */
	ids: Set<string>;
	close: () => Promise<void>;
}

/** Starts a push service with a rate limit on a free port of this machine. */
export async function startRateLimitedService({
	perSecond = Infinity,
	atOnce = Infinity,
	refusesEach = Infinity,
	retryAfter,
	status = 429,
	latencyMs = 20,
}: RateLimit): Promise<RateLimitedService> {
	const accepted: number[] = [];
	const ids = new Set<string>();
	let refused = 0;
	let inFlight = 0;
	let second = 0;
	let inSecond = 0;
	let requests = 0;
	const admits = (now: number): boolean => {
		if (++requests % refusesEach === 0) return false;
		if (inFlight >= atOnce) return false;
		if (Math.floor(now / 1000) !== second) inSecond = 0;
		second = Math.floor(now / 1000);
		return ++inSecond <= perSecond;
	};
	const server = createServer((request, response) => {
		const now = performance.now();
		if (!admits(now)) {
			refused++;
			request.resume();
			response.writeHead(
				status,
				retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
			);
			response.end('{}');
			return;
		}
		inFlight++;
		response.on('close', () => inFlight--);
		accepted.push(now);
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const body = JSON.parse(Buffer.concat(chunks).toString()) as Array<{ id: string }>;
			for (const { id } of [body].flat()) ids.add(id);
			setTimeout(() => response.end('{}'), latencyMs);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const pushUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		credentials: { lucidworksPushApi: { pushUrl, endpoint: 'docs', apiKey: 'a-key' } },
		accepted,
		refused: () => refused,
		ids,
		close: async () => {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}
