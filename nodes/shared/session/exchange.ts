import {
	sleep,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';

import { MAX_TIMEOUT_MS } from '../run/run';
import { ServiceFailure } from '../service/failure';
import { InputError } from '../service/input-error';
import { parseRetryAfter } from '../service/retry-after';
import type { ReadResponse } from '../service/service-definitions';
import { collectBody, MAX_BODY_BYTES, type ResponseStream } from './response-body';
import { timeoutFailure, transportFailure, type Endpoint } from './transport-failure';

export type SendOptions = Partial<IHttpRequestOptions> & { abortSignal: AbortSignal };

/**
 * Number of milliseconds by which n8n's time limit exceeds the node's own limit. n8n's limit applies only until the
 * headers arrive, but the node's limit also covers the body.
 */
const N8N_LATER_MS = 1_000;

// These errors are created only once, because recording a stack trace is slow.
const TIME_IS_UP = new Error('The time is up');
const CANCELED = new Error('The exchange was canceled');

interface Exchange {
	send(how: SendOptions): Promise<unknown>;
	/** Returns the server that error messages name. While a token is being requested, this is the token server. */
	endpoint(): Endpoint;
	timeoutMs: number;
	/** Functions that cancel the exchanges in progress. An exchange adds its own function until it ends. */
	cancels?: Set<() => void>;
}

/**
 * Sends one request, and reads the headers and body of its response within one time limit.
 *
 * @throws ServiceFailure if there is no complete response, and InputError if the credential cannot be used
 */
export async function exchange({
	send,
	endpoint,
	timeoutMs,
	cancels,
}: Exchange): Promise<ReadResponse> {
	let isAnswered = false;
	let unsuccessful: ReadResponse | undefined;
	try {
		return await withTimeLimit(timeoutMs, cancels, async (signal) => {
			const response = (await send({
				abortSignal: signal,
				encoding: 'stream',
				timeout: Math.min(Math.ceil(timeoutMs) + N8N_LATER_MS, MAX_TIMEOUT_MS),
				returnFullResponse: true,
				// One function handles all statuses, so n8n must not throw an error for any of them.
				ignoreHttpStatusErrors: true,
				// If n8n followed redirects, it would send an API key to any host that a redirect points to.
				disableFollowRedirect: true,
			})) as IN8nHttpFullResponse;
			isAnswered = true;
			const { statusCode: status, headers } = response;
			const isSuccess = status >= 200 && status < 300;
			const retryAfterMs = isSuccess ? undefined : parseRetryAfter(headers);
			if (!isSuccess) unsuccessful = { status, body: '', retryAfterMs };
			const stream = response.body as unknown as ResponseStream;
			const { isCut, ...content } = await collectBody(stream, headers, isSuccess, signal);
			if (isCut && isSuccess) throw tooLongFailure(endpoint());
			return { status, ...content, retryAfterMs };
		});
	} catch (error) {
		// The status counts even if the body is damaged, cut off or never ends.
		if (unsuccessful && error !== CANCELED) return unsuccessful;
		const endpointAtFailure = endpoint();
		if (error === TIME_IS_UP) throw timeoutFailure(endpointAtFailure, timeoutMs);
		// n8n wraps errors that the credential throws, so the cause is checked as well.
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
 * Sends a request outside a run.
 *
 * @param request a signed request
 * @param endpoint the server, and the time limit for the request
 * @throws ServiceFailure if there is no complete response
 */
export async function send(
	{ helpers }: IHttpRequestHelper,
	request: IHttpRequestOptions,
	endpoint: Endpoint & { maxTimeoutMs: number },
): Promise<ReadResponse> {
	return await exchange({
		send: async (how) => (await helpers.httpRequest({ ...request, ...how })) as unknown,
		endpoint: () => endpoint,
		timeoutMs: endpoint.maxTimeoutMs,
	});
}

/**
 * Waits until the work ends, the time is up, or the wait is canceled. Work that other runs share, such as a token
 * request, continues even if this wait ends early.
 */
async function withTimeLimit<T>(
	ms: number,
	cancels: Set<() => void> | undefined,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const ending = new AbortController();
	const { signal } = ending;
	const cancel = () => ending.abort(CANCELED);
	cancels?.add(cancel);
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
		cancels?.delete(cancel);
		// The work has ended, so this call only clears the timer.
		cancel();
	}
}

const tooLongFailure = ({ name }: Endpoint): ServiceFailure =>
	new ServiceFailure(
		`The response of ${name} is longer than ${MAX_BODY_BYTES / 1_000_000} MB and was not read to its end`,
		{
			kind: 'response',
			description:
				'No part of the response was kept. Send fewer documents or texts per request. If the response to a single document or text is too long as well, ask the operator of the service why.',
		},
	);

const unreadableFailure = ({ name }: Endpoint, error: unknown): ServiceFailure =>
	new ServiceFailure(`The response of ${name} cannot be read: ${(error as Error).message}`, {
		kind: 'response',
		description: `Report this to the operator of ${name}.`,
	});
