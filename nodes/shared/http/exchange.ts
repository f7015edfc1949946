import {
	sleep,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { InputError } from '../service/input-error';
import { parseRetryAfter } from '../service/retry-after';
import type { ReadResponse } from '../service/service-definitions';
import { collectBody, MAX_BODY_BYTES, type ResponseStream } from './response-body';
import { timeoutFailure, transportFailure, type Endpoint } from './transport-failure';

/** What n8n is told with each request. */
export type SendOptions = Partial<IHttpRequestOptions> & { abortSignal: AbortSignal };

/** About 24 days: Node.js treats a longer timer as zero. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** n8n's own timeout ends with the headers, so ours comes first. */
const N8N_LATER_MS = 1_000;

// Made once, since an error with its stack is slow.
const TIME_IS_UP = new Error('The time is up');
const CANCELED = new Error('The exchange was canceled');

/**
 * Sends one request and reads its response, headers and body within one time limit.
 *
 * @param endpoint returns the server that was being called when the exchange failed, which may be the token server
 * @param cancels gets what ends the exchange at once, for as long as it lasts
 * @throws ServiceFailure without a complete response, InputError for an unusable credential
 */
export async function exchange(
	send: (how: SendOptions) => Promise<unknown>,
	endpoint: () => Endpoint,
	timeoutMs: number,
	cancels = new Set<() => void>(),
): Promise<ReadResponse> {
	let isAnswered = false;
	try {
		return await withTimeLimit(timeoutMs, cancels, async (signal) => {
			const response = (await send({
				abortSignal: signal,
				encoding: 'stream',
				timeout: Math.min(Math.ceil(timeoutMs) + N8N_LATER_MS, MAX_TIMEOUT_MS),
				returnFullResponse: true,
				// Every status is handled here: there is no second path for some of them.
				ignoreHttpStatusErrors: true,
				// n8n would send an API key to whatever host a redirect names.
				disableFollowRedirect: true,
			})) as IN8nHttpFullResponse;
			isAnswered = true;
			const { statusCode: status, headers } = response;
			const isSuccess = status >= 200 && status < 300;
			const stream = response.body as unknown as ResponseStream;
			const { body, isCut } = await collectBody(stream, isSuccess, signal);
			if (isCut && isSuccess) throw tooLongFailure(endpoint());
			return { status, body, retryAfterMs: parseRetryAfter(headers) };
		});
	} catch (error) {
		const endpointAtFailure = endpoint();
		if (error === TIME_IS_UP) throw timeoutFailure(endpointAtFailure, timeoutMs);
		// What the credential throws, n8n wraps.
		for (const thrown of [error, (error as Error | undefined)?.cause]) {
			if (thrown instanceof ServiceFailure || thrown instanceof InputError) throw thrown;
		}
		const failure = transportFailure(error, endpointAtFailure);
		throw isAnswered && failure.kind === 'transport' && failure.wasNeverSent
			? unreadableFailure(endpointAtFailure, error)
			: failure;
	}
}

/**
 * Sends a request that belongs to no run.
 *
 * @param request signed
 * @param endpoint the server, and within which time
 * @throws ServiceFailure if there is no complete response
 */
export async function send(
	{ helpers }: IHttpRequestHelper,
	request: IHttpRequestOptions,
	endpoint: Endpoint & { maxTimeoutMs: number },
): Promise<ReadResponse> {
	return await exchange(
		async (how) => (await helpers.httpRequest({ ...request, ...how })) as unknown,
		() => endpoint,
		endpoint.maxTimeoutMs,
	);
}

/**
 * Ends with its work, its time limit or a cancel, whichever comes first. Shared work, such as requesting a
 * token, goes on.
 */
async function withTimeLimit<T>(
	ms: number,
	cancels: Set<() => void>,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const ending = new AbortController();
	const { signal } = ending;
	const cancel = () => ending.abort(CANCELED);
	cancels.add(cancel);
	sleep(Math.min(ms, MAX_TIMEOUT_MS), signal).then(
		() => ending.abort(TIME_IS_UP),
		() => {},
	);
	try {
		return await new Promise<T>((resolve, reject) => {
			signal.addEventListener('abort', () => reject(signal.reason as Error));
			work(signal).then(resolve, reject);
		});
	} finally {
		cancels.delete(cancel);
		cancel(); // Clears the timer.
	}
}

const tooLongFailure = ({ name }: Endpoint): ServiceFailure =>
	new ServiceFailure(
		`The response of ${name} is longer than ${MAX_BODY_BYTES / 1_000_000} MB and was not read to its end`,
		{
			kind: 'response',
			description:
				'Nothing of it was kept. Send fewer documents or texts per request. If the response to a single one is too long as well, ask the operator of the service why.',
		},
	);

/** The response could not be read for a reason that has nothing to do with the connection. */
const unreadableFailure = ({ name }: Endpoint, error: unknown): ServiceFailure =>
	new ServiceFailure(`The response of ${name} cannot be read: ${(error as Error).message}`, {
		kind: 'response',
		description: `Report this to the operator of ${name}.`,
	});
