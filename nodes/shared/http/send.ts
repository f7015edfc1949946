import type { IHttpRequestHelper, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { MAX_ERROR_BODY_BYTES, readBody, type ResponseStream } from './response-body';
import { TimeLimit } from './time-limit';
import { transportFailure, type Party } from './transport-failure';

/** A response, whatever its status, its body read. */
interface ReadResponse {
	status: number;
	headers: IN8nHttpFullResponse['headers'];
	/** Parsed JSON, or the text if it is not JSON. */
	body: unknown;
}

/**
 * Sends a request that belongs to no run, so that no run can cancel it.
 *
 * @param request signed; redirects are not followed
 * @param how.party who is to answer
 * @param how.kind of a failure
 * @param how.timeoutMs for headers and body
 * @throws ServiceFailure if there is no complete response
 */
export async function send(
	{ helpers }: IHttpRequestHelper,
	request: IHttpRequestOptions,
	{ party, kind, timeoutMs }: { party: Party; kind: 'token' | 'transport'; timeoutMs: number },
): Promise<ReadResponse> {
	const limit = new TimeLimit(timeoutMs);
	try {
		const response = (await helpers.httpRequest({
			...request,
			encoding: 'stream',
			// Ours comes first and covers the body as well.
			timeout: timeoutMs + 1_000,
			abortSignal: limit.signal,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
		})) as IN8nHttpFullResponse;
		const stream = response.body as unknown as ResponseStream;
		const body = await readBody(stream, MAX_ERROR_BODY_BYTES);
		return { status: response.statusCode, headers: response.headers, body };
	} catch (error) {
		const facts = { kind, url: request.url, ...(limit.isOver && { timedOutMs: timeoutMs }) };
		const failure = transportFailure(error, { ...party, maxTimeoutMs: timeoutMs }, facts);
		throw failure.description === undefined ? notSent(failure, party) : failure;
	} finally {
		limit.end();
	}
}

/** n8n refused to send it, e.g. because the credential allows other domains only. */
function notSent({ message, kind }: ServiceFailure, { urlLabel }: Party): ServiceFailure {
	const description = `If the credential restricts 'Allowed HTTP Request Domains', add the host of '${urlLabel}'.`;
	return kind === 'token'
		? new ServiceFailure(`The token request was not sent: ${message}`, { kind, description })
		: new ServiceFailure(message, { kind, description });
}
