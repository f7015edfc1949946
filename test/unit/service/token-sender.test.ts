import type { IHttpRequestHelper, IHttpRequestOptions } from 'n8n-workflow';

import { ServiceFailure } from '../../../nodes/shared/service/failure';
import { tokenRequest } from '../../../nodes/shared/service/token';
import { tokenSender } from '../../../nodes/shared/service/token-sender';

const request = tokenRequest(
	{
		authUrl: 'https://identity.example',
		authorizationServerId: 'aus1',
		clientId: 'me',
		clientSecret: 's3cret',
	},
	'machinelearning.predict',
);

/** Sends the request with a client of n8n that does this. */
async function sendWith(client: (options: IHttpRequestOptions) => Promise<unknown>) {
	return await tokenSender({ helpers: { httpRequest: client } } as IHttpRequestHelper)(request);
}

test('sends the request of the interface and follows no redirect with the secret', async () => {
	let sent: IHttpRequestOptions | undefined;
	const reply = await sendWith(async (options) => {
		sent = options;
		return { statusCode: 429, headers: { 'retry-after': '7' }, body: { error: 'busy' } };
	});
	expect(reply).toEqual({ status: 429, body: { error: 'busy' }, retryAfterMs: 7000 });
	expect(sent).toMatchObject({
		...request,
		method: 'POST',
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		returnFullResponse: true,
	});
	expect(String(sent?.body)).toBe('');
});

test('a secret that a refusal repeats is taken out of it', async () => {
	const reply = await sendWith(async () => ({
		statusCode: 401,
		headers: {},
		body: {
			error: 'invalid_client',
			error_description: `Wrong secret s3cret in Basic ${btoa('me:s3cret')}`,
		},
	}));
	expect(reply.body).toEqual({
		error: 'invalid_client',
		error_description: 'Wrong secret *** in Basic ***',
	});
});

test.each([
	[
		'no answer may pass',
		Object.assign(new Error('connect refused for s3cret'), { code: 'ECONNREFUSED' }),
		{ message: 'The token server did not answer', transient: true },
	],
	[
		'what n8n refuses to send will not pass',
		new Error('Domain not allowed'),
		{ message: 'The token server was not asked: Domain not allowed', transient: false },
	],
])('%s', async (_, thrown, expected) => {
	const config = { auth: request.auth };
	const error: unknown = await sendWith(
		async () => await Promise.reject(Object.assign(thrown, { config })),
	).catch((failure: unknown) => failure);
	expect(error).toBeInstanceOf(ServiceFailure);
	expect(error).toMatchObject({ kind: 'token', ...expected });
	// The error of n8n's client holds the request with its secret.
	const { message, description, cause } = error as ServiceFailure;
	expect(JSON.stringify([error, message, description])).not.toContain('s3cret');
	expect(cause).toBeUndefined();
});
