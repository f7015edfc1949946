import type { IHttpRequestHelper, IN8nHttpFullResponse } from 'n8n-workflow';

import { parseRetryAfter } from './retry-after';
import { ServiceFailure } from './failure';
import { secretsOf, withoutSecrets } from './secrets';
import type { SendTokenRequest } from './token-issuer';

const TOKEN_TIMEOUT_MS = 30_000;

/**
 * Sends endpoint 1 with n8n's own client.
 *
 * @throws ServiceFailure of kind `token` where no answer came; the original holds the secret and
 * stays here
 */
export function tokenSender({ helpers }: IHttpRequestHelper): SendTokenRequest {
	return async ({ url, qs, headers, auth }) => {
		const response = (await helpers
			.httpRequest({
				method: 'POST',
				url,
				qs,
				headers,
				auth,
				// An empty form: without any body the Content-Type header would be dropped.
				body: new URLSearchParams(),
				timeout: TOKEN_TIMEOUT_MS,
				disableFollowRedirect: true,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
			})
			.catch((error: unknown) => {
				throw unreachable(error);
			})) as IN8nHttpFullResponse;
		const { statusCode: status, body } = response;
		const isRefusal = status < 200 || status > 299;
		const secrets = secretsOf({ clientId: auth.username, clientSecret: auth.password });
		return {
			status,
			body: isRefusal ? withoutSecrets(body, secrets) : body,
			retryAfterMs: parseRetryAfter(response.headers['retry-after'], Date.now()),
		};
	};
}

function unreachable(error: unknown): ServiceFailure {
	const { code, message } = error as { code?: unknown; message?: unknown };
	if (typeof code === 'string') {
		return new ServiceFailure('The token server did not answer', {
			kind: 'token',
			code,
			transient: true,
			description: `Check 'Token Server Address' in the credential and whether the server is up (code ${code}).`,
		});
	}
	// n8n itself refused to send it, e.g. because the credential allows other domains only.
	return new ServiceFailure(`The token server was not asked: ${String(message)}`, {
		kind: 'token',
		description:
			"If the credential restricts 'Allowed HTTP Request Domains', add the host of 'Token Server Address'.",
	});
}
