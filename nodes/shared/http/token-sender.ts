import type { IHttpRequestHelper } from 'n8n-workflow';

import type { SendTokenRequest } from '../service/tokens/shared-token';
import { Masker, secretsOf } from '../service/tokens/secrets';
import { send } from './exchange';
import type { Endpoint } from './transport-failure';

/** The token server in messages, whoever waits for it; a run may stop waiting earlier. */
export const TOKEN_SERVER = {
	name: 'the token server',
	urlLabel: 'Token Server URL',
	kind: 'token',
	maxTimeoutMs: 30_000,
} satisfies Endpoint;

/**
 * Sends token requests with n8n's HTTP helper, as `preAuthentication` provides it. Several runs may wait
 * for the same one.
 *
 * @returns a function that throws ServiceFailure of kind `token` if there is no complete response
 */
export function tokenSender(helper: IHttpRequestHelper): SendTokenRequest {
	return async (request) => {
		const response = await send(
			helper,
			// An empty form: without a body n8n drops the Content-Type header.
			{ method: 'POST', ...request, body: new URLSearchParams() },
			TOKEN_SERVER,
		);
		const { username, password } = request.auth;
		const secrets = secretsOf({ clientId: username, clientSecret: password });
		return { ...response, body: new Masker(secrets).mask(response.body) };
	};
}
