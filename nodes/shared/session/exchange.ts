import {
	sleep,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type IN8nHttpFullResponse,
} from 'n8n-workflow';

import { MAX_TIMEOUT_MS } from '../run/run';
import { isPage } from '../service/page';
import { ServiceFailure } from '../service/failure';
import { InputError } from '../service/input-error';
import { parseRetryAfter } from '../service/retry-after';
import type { ReadResponse } from '../service/service-definitions';
import { timeoutFailure, transportFailure, type Endpoint } from './transport-failure';

export type SendOptions = Partial<IHttpRequestOptions> & { abortSignal: AbortSignal };

/**
 * Number of milliseconds by which n8n's time limit exceeds the node's own limit. n8n's limit applies only until the
 * headers arrive, but the node's limit also covers the body.
 */
const N8N_LATER_MS = 1_000;

/**
 * Maximum size of a response, in bytes. The largest documented results are one sixth of this size
 * (docs/service-interface.md, Limits).
 */
const MAX_BODY_BYTES = 64_000_000;

/**
 * Maximum size of an error response, in bytes. Only the message in the response is shown. A broken server might never
 * stop sending data.
 */
const MAX_ERROR_BODY_BYTES = 1_000_000;

// These errors are created only once, because recording a stack trace is slow.
const TIME_IS_UP = new Error('The time is up');
const CANCELED = new Error('The exchange was canceled');

type ResponseStream = AsyncIterable<Uint8Array>;

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

/**
 * Collects the body of a response and parses it once.
 *
 * @param headers the headers of the response. Their names are in lowercase
 * @param isSuccess whether the response is a success. The size limit for error responses is much lower
 * @param signal signal that is aborted once nothing is waiting for the body anymore
 * @returns the body as parsed JSON, or as a string if it is not JSON. `isCut` is true if the body exceeds the size
 *   limit
 * @throws the error that interrupts the stream, or a TypeError if the body is compressed in a way that n8n does not
 *   support
 */
async function collectBody(
	stream: ResponseStream,
	headers: Readonly<Record<string, unknown>>,
	isSuccess: boolean,
	signal: AbortSignal,
): Promise<{ body: unknown; isPage: boolean; isCut: boolean }> {
	const maxBytes = isSuccess ? MAX_BODY_BYTES : MAX_ERROR_BODY_BYTES;
	const pieces: Uint8Array[] = [];
	let bytes = 0;
	for await (const piece of stream) {
		signal.throwIfAborted();
		pieces.push(piece);
		bytes += piece.length;
		if (bytes > maxBytes) break;
	}
	const isCut = bytes > maxBytes;
	// Many services answer without a body. Trying to parse an empty string is slow, because the parser throws an error.
	if (bytes === 0) return { body: '', isPage: false, isCut };
	// n8n removes this header when it decompresses the body. Some servers write other words here, such as 'utf-8'.
	const fatal = (headers['content-encoding'] ?? 'identity') !== 'identity';
	const decoder = new TextDecoder('utf-8', { fatal });
	const text = isCut && isSuccess ? '' : decoder.decode(Buffer.concat(pieces));
	try {
		return { body: JSON.parse(text) as unknown, isPage: false, isCut };
	} catch {
		return { body: text, isPage: isPage(text, String(headers['content-type'] ?? '')), isCut };
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
