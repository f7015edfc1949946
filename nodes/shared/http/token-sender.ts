import type { IHttpRequestHelper, IN8nHttpFullResponse } from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { parseRetryAfter } from '../service/retry-after';
import { secretsOf, withoutSecrets } from '../service/tokens/secrets';
import type { SendTokenRequest } from '../service/tokens/process-tokens';
import { transportFacts } from '../service/transport';
import { MAX_ERROR_BODY_BYTES, readBody, type ResponseStream } from './response-body';
import { TimeLimit } from './time-limit';
import { transportFailure, type Party } from './transport-failure';

/** Maximum time of a token request, headers and body; a run may stop waiting earlier. */
const TOKEN_TIMEOUT_MS = 30_000;

/** The token server in messages, whoever waits for it. */
export const TOKEN_SERVER: Party = {
	name: 'the token server',
	urlLabel: 'Token Server URL',
	maxTimeoutMs: TOKEN_TIMEOUT_MS,
};

/**
 * Sends token requests with n8n's HTTP helper, as `preAuthentication` provides it. It belongs to no run,
 * so no run can cancel the request: others may be waiting for it too.
 *
 * @param timeoutMs limit of one request
 * @returns a function that throws ServiceFailure of kind `token` if there is no complete response
 */
export function tokenSender(
	{ helpers }: IHttpRequestHelper,
	timeoutMs = TOKEN_TIMEOUT_MS,
): SendTokenRequest {
	return async ({ url, qs, headers, auth }) => {
		const limit = new TimeLimit(timeoutMs);
		try {
			const response = (await helpers.httpRequest({
				method: 'POST',
				url,
				qs,
				headers,
				auth,
				// An empty form: without a body n8n drops the Content-Type header.
				body: new URLSearchParams(),
				encoding: 'stream',
				// Ours comes first and covers the body as well.
				timeout: timeoutMs + 1_000,
				abortSignal: limit.signal,
				disableFollowRedirect: true,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
			})) as IN8nHttpFullResponse;
			const { statusCode: status } = response;
			const body = await readBody(
				response.body as unknown as ResponseStream,
				MAX_ERROR_BODY_BYTES,
			);
			const isRefusal = status < 200 || status > 299;
			const secrets = secretsOf({ clientId: auth.username, clientSecret: auth.password });
			return {
				status,
				body: isRefusal ? withoutSecrets(body, secrets) : body,
				retryAfterMs: parseRetryAfter(response.headers['retry-after'], Date.now()),
			};
		} catch (error) {
			throw noResponse(error, url, limit.isOver ? timeoutMs : undefined);
		} finally {
			limit.end();
		}
	};
}

function noResponse(error: unknown, url: string, timedOutMs: number | undefined): ServiceFailure {
	const { code, isBlocked } = transportFacts(error);
	if (timedOutMs === undefined && code === undefined && !isBlocked) {
		// n8n refused to send it, e.g. because the credential allows other domains only.
		const reason = error instanceof Error ? error.message : String(error);
		return new ServiceFailure(`The token request was not sent: ${reason}`, {
			kind: 'token',
			description:
				"If the credential restricts 'Allowed HTTP Request Domains', add the host of 'Token Server URL'.",
		});
	}
	return transportFailure(error, TOKEN_SERVER, {
		kind: 'token',
		url,
		...(timedOutMs !== undefined && { timedOutMs }),
	});
}
