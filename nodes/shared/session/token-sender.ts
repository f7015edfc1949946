import type { IHttpRequestHelper } from 'n8n-workflow';

import type { SendTokenRequest } from '../service/tokens/shared-token';
import { Masker, secretsOf } from '../service/tokens/secrets';
import { send } from './exchange';
import type { Endpoint } from './transport-failure';

/** A run might stop waiting for a token before `maxTimeoutMs` has elapsed. */
export const TOKEN_SERVER = {
	name: 'the token server',
	urlLabel: 'Token Server URL',
	kind: 'token',
	maxTimeoutMs: 30_000,
} satisfies Endpoint;

/**
 * Returns a function that sends token requests with n8n's HTTP helper. The function throws a ServiceFailure of kind
 * `token` if there is no complete response.
 *
 * @param helper the HTTP helper that n8n passes to `preAuthentication`
 */
export function tokenSender(helper: IHttpRequestHelper): SendTokenRequest {
	return async (request) => {
		const response = await send(
			helper,
			// n8n drops the Content-Type header from a request without a body, so an empty form is sent.
			{ method: 'POST', ...request, body: new URLSearchParams() },
			TOKEN_SERVER,
		);
		const { username, password } = request.auth;
		const secrets = secretsOf({ clientId: username, clientSecret: password });
		return { ...response, body: new Masker(secrets).mask(response.body) };
	};
}
