import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { scopeProperties } from '../nodes/shared/service/scope';
import { parseClient, tokenRequest } from '../nodes/shared/service/token';
import { heldToken, issueToken, scopeOf } from '../nodes/shared/service/token-issuer';
import { tokenSender } from '../nodes/shared/service/token-sender';

/**
 * Client of the token server, and the address of the AI service its tokens are for (spec,
 * Authentication 1 to 3). Tokens are kept in the hidden field, one for each scope, so that all
 * executions and workers share them.
 */
export class AiServiceOAuth2Api implements ICredentialType {
	name = 'aiServiceOAuth2Api';

	displayName = 'AI Service OAuth2 API';

	icon = { light: 'file:icons/aiService.svg', dark: 'file:icons/aiService.dark.svg' } as const;

	documentationUrl =
		'https://example.com/n8n-nodes-search-ingest/blob/main/docs/credentials.md#ai-service-oauth2-api';

	properties: INodeProperties[] = [
		{
			displayName: 'AI Service Address',
			name: 'aiUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://APPLICATION_ID.applications.lucidworks.com',
			description: 'Address of the AI service, without a path below it',
		},
		{
			displayName: 'Client ID',
			name: 'clientId',
			type: 'string',
			default: '',
			required: true,
		},
		{
			displayName: 'Client Secret',
			name: 'clientSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
		},
		{
			displayName: 'Token Server Address',
			name: 'authUrl',
			type: 'string',
			default: 'https://identity.lucidworks.com',
			required: true,
			placeholder: 'e.g. https://identity.example.com',
			description: 'Address of the server that issues access tokens',
		},
		{
			displayName: 'Authorization Server ID',
			name: 'authorizationServerId',
			type: 'string',
			default: 'ausao8uveaPmyhv0v357',
			required: true,
			placeholder: 'e.g. default',
			description: 'Part of the token address: /oauth2/{ID}/v1/token',
		},
		...scopeProperties(
			"What the credential test and the HTTP Request node ask for. Chunk Text has a 'Scope' of its own.",
		),
		{
			displayName: 'Access Tokens',
			name: 'accessTokens',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
	];

	/**
	 * Issues a token for the scope that is asked for; n8n stores what is returned. Of requests that
	 * wait for the same token with the same data, one has it stored.
	 */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const send = tokenSender(this);
		const accessTokens = JSON.stringify(await issueToken(credentials, send, Date.now));
		if (credentials.accessTokens === accessTokens) return {};
		credentials.accessTokens = accessTokens;
		return { accessTokens };
	}

	/**
	 * Signs a request with the stored token. Without a living one it goes unsigned: upon the 401
	 * n8n has a new one issued and repeats it.
	 */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		if (isTokenAddress(requestOptions, credentials)) {
			const { qs, headers, auth } = tokenRequest(
				parseClient(credentials),
				scopeOf(credentials),
			);
			// An empty form: without any body the Content-Type header would be dropped.
			return { ...requestOptions, qs, headers, auth, body: new URLSearchParams() };
		}
		const token = heldToken(credentials, Date.now());
		if (token === undefined) return requestOptions;
		const Authorization = `Bearer ${token.accessToken}`;
		return { ...requestOptions, headers: { ...requestOptions.headers, Authorization } };
	};

	/** Endpoint 1 itself: only a token that was issued proves the client ID and the secret. */
	test: ICredentialTestRequest = {
		request: {
			method: 'POST',
			url: '={{ $credentials.authUrl.trim().replace(/\\/+$/, "") }}/oauth2/{{ encodeURIComponent($credentials.authorizationServerId.trim()) }}/v1/token',
			disableFollowRedirect: true,
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message:
						"No token endpoint there: check 'Token Server Address' and 'Authorization Server ID'",
				},
			},
			{
				// Mostly `preAuthentication` says so, but not where it takes a token of this process.
				type: 'responseCode',
				properties: {
					value: 401,
					message:
						"The token server refused the client: check 'Client ID' and 'Client Secret'",
				},
			},
		],
	};
}

/** Whether a request goes to endpoint 1 of this very client, as the credential test's does. */
function isTokenAddress(
	{ url }: IHttpRequestOptions,
	credentials: ICredentialDataDecryptedObject,
): boolean {
	if (typeof url !== 'string' || !url.endsWith('/v1/token') || !URL.canParse(url)) return false;
	return new URL(url).href === tokenRequest(parseClient(credentials), '').url;
}
