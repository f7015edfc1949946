import { Readable } from 'node:stream';

import type { IHttpRequestHelper, IHttpRequestOptions } from 'n8n-workflow';

import { ServiceFailure } from '../../../nodes/shared/service/failure';
import { tokenRequest } from '../../../nodes/shared/service/tokens/token';
import { tokenSender } from '../../../nodes/shared/session/token-sender';

const request = tokenRequest(
	{
		authUrl: 'https://identity.example',
		authorizationServerId: 'aus1',
		clientId: 'me',
		clientSecret: 'client-s3cret',
		identity: 'me',
	},
	'machinelearning.predict',
);

/** Sends a token request, with `client` in place of n8n's HTTP client. */
async function sendWith(client: (options: IHttpRequestOptions) => Promise<unknown>) {
	const helper = { helpers: { httpRequest: client } } as IHttpRequestHelper;
	return await tokenSender(helper)(request);
}
const bodyOf = (value: unknown) => Readable.from([Buffer.from(JSON.stringify(value))]);

test('sends the request that the interface describes, and follows no redirect with the secret', async () => {
	let sent: IHttpRequestOptions | undefined;
	const reply = await sendWith(async (options) => {
		sent = options;
		return {
			statusCode: 429,
			headers: { 'retry-after': '7' },
			body: bodyOf({ error: 'busy' }),
		};
	});
	expect(reply).toMatchObject({ status: 429, body: { error: 'busy' }, retryAfterMs: 7000 });
	expect(sent).toMatchObject({
		...request,
		method: 'POST',
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	});
	expect(String(sent?.body)).toBe('');
});

test.each([
	[
		'no answer may pass',
		Object.assign(new Error('connect refused for client-s3cret'), {
			code: 'ECONNREFUSED',
			syscall: 'connect',
		}),
		{
			message: 'The token server could not be reached: the connection was refused',
			isTransient: true,
			wasNeverSent: true,
		},
	],
	[
		'a connection that breaks may pass, and nothing was sent to the service',
		Object.assign(new Error('socket hang up for client-s3cret'), { code: 'ECONNRESET' }),
		{
			message: 'The connection to the token server closed before the response was complete',
			isTransient: true,
			wasNeverSent: true,
		},
	],
	[
		'what n8n refuses to send will not pass',
		new Error('Domain not allowed'),
		{ message: 'The token request was not sent: Domain not allowed', isTransient: false },
	],
])('%s', async (_, thrown, expected) => {
	const config = { auth: request.auth };
	const error: unknown = await sendWith(
		async () => await Promise.reject(Object.assign(thrown, { config })),
	).catch((failure: unknown) => failure);
	expect(error).toBeInstanceOf(ServiceFailure);
	expect(error).toMatchObject({ kind: 'token', ...expected });
	// The error from n8n's client contains the request with its secret, so the failure must not keep that error.
	const { message, description, cause } = error as ServiceFailure;
	expect(JSON.stringify([error, message, description])).not.toContain('client-s3cret');
	expect(cause).toBeUndefined();
});
