import type { IHttpRequestHelper } from 'n8n-workflow';

import type { SendTokenRequest } from '../service/tokens/shared-token';
import { Masker, secretsOf } from '../service/tokens/secrets';
import { send } from './exchange';
import type { Party } from './transport-failure';

/** Maximum time of a token request, headers and body; a run may stop waiting earlier. */
const TOKEN_TIMEOUT_MS = 30_000;

/** The token server in messages, whoever waits for it. */
export const TOKEN_SERVER: Party = {
	name: 'the token server',
	urlLabel: 'Token Server URL',
	maxTimeoutMs: TOKEN_TIMEOUT_MS,
};

/**
 * Sends token requests with n8n's HTTP helper, as `preAuthentication` provides it. Several runs may wait
 * for the same one.
 *
 * @param timeoutMs limit of one request
 * @returns a function that throws ServiceFailure of kind `token` if there is no complete response
 */
export function tokenSender(
	helper: IHttpRequestHelper,
	timeoutMs = TOKEN_TIMEOUT_MS,
): SendTokenRequest {
	return async (request) => {
		const response = await send(
			helper,
			// An empty form: without a body n8n drops the Content-Type header.
			{ method: 'POST', ...request, body: new URLSearchParams() },
			{ party: TOKEN_SERVER, kind: 'token', timeoutMs },
		);
		const { username, password } = request.auth;
		const secrets = secretsOf({ clientId: username, clientSecret: password });
		return { ...response, body: new Masker(secrets).mask(response.body) };
	};
}
