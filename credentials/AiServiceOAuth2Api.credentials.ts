import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import {
	advised,
	credentialTest,
	isBeingTested,
	isTest,
	runProbe,
	testRequest,
	type Probe,
} from '../nodes/shared/http/credential-test';
import { tokenSender } from '../nodes/shared/http/token-sender';
import { DEFAULT_SCOPE, scopeOf, scopeProperties } from '../nodes/shared/service/tokens/scope';
import { processTokens } from '../nodes/shared/service/tokens/process-tokens';
import { AI_SERVICE, statusAdvice } from '../nodes/shared/service/services';
import { secretsOf } from '../nodes/shared/service/tokens/secrets';
import { parseClient, parseTokenMap, validToken } from '../nodes/shared/service/tokens/token';
import { attachTokenUse, TokenUse, tokenUseOf } from '../nodes/shared/service/tokens/token-use';

/**
 * Client of the token server, and the URL of the AI service its tokens are for
 * (docs/service-interface.md, Access tokens). Tokens are kept in the hidden field, one for each scope,
 * so that all executions and workers share them.
 */
export class AiServiceOAuth2Api implements ICredentialType {
	name = 'aiServiceOAuth2Api';

	displayName = 'Lucidworks AI Service OAuth2 API';

	icon = { light: 'file:icons/aiService.svg', dark: 'file:icons/aiService.dark.svg' } as const;

	documentationUrl =
		'https://example.com/n8n-nodes-search-ingest/blob/main/docs/credentials.md#lucidworks-ai-service-oauth2-api';

	properties: INodeProperties[] = [
		{
			displayName: 'AI Service URL',
			name: 'aiUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://APPLICATION_ID.applications.lucidworks.com',
			description: 'Lucidworks shows the URL of your application under Models > Integrations',
		},
		{
			displayName: 'Client ID',
			name: 'clientId',
			type: 'string',
			default: '',
			required: true,
			description: 'ID of your client at the token server',
		},
		{
			displayName: 'Client Secret',
			name: 'clientSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Issued together with the client ID',
		},
		{
			displayName: 'Token Server URL',
			name: 'authUrl',
			type: 'string',
			default: 'https://identity.lucidworks.com',
			required: true,
			placeholder: 'e.g. https://identity.example.com',
			description: 'URL of the server that issues access tokens',
		},
		{
			displayName: 'Authorization Server ID',
			name: 'authorizationServerId',
			type: 'string',
			default: 'ausao8uveaPmyhv0v357',
			required: true,
			placeholder: 'e.g. default',
			description: 'Part of the token URL: /oauth2/{ID}/v1/token',
		},
		...scopeProperties(
			"Scope for the credential test and the HTTP Request node. Chunk Text has its own 'Scope'.",
		),
		{
			displayName: 'Access Tokens',
			name: 'accessTokens',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
	];

	/** Obtains a token for the scope that is requested; n8n stores what is returned. */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const isTested = isBeingTested(credentials);
		// The URL is checked first: no token is requested in vain.
		if (isTested) PROBE.request(credentials);
		const use = useFor(credentials, isTested);
		const tokens =
			isTested && use.isProven
				? undefined
				: await use.obtain(tokenSender(this)).catch((error: unknown) => {
						throw use.isOfNode ? error : advised(error);
					});
		if (isTested) await runProbe(this, credentials, PROBE);
		return tokens === undefined ? {} : { accessTokens: JSON.stringify(tokens) };
	}

	/**
	 * Signs a request with its token. Without a valid one the request goes unsigned: after the 401 n8n
	 * has a new one issued and repeats it.
	 */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		if (isTest(requestOptions)) return testRequest(credentials, requestOptions, PROBE);
		const { token } = tokenUseOf(credentials) ?? ownUse(credentials, 'credential');
		if (token === undefined) return requestOptions;
		const Authorization = `Bearer ${token.accessToken}`;
		return { ...requestOptions, headers: { ...requestOptions.headers, Authorization } };
	};

	/** Issues a token, which proves the client, and calls the AI service with it. */
	test: ICredentialTestRequest = credentialTest('aiUrl');
}

/**
 * The use that a node has attached, or one of the credential's own. In a test n8n may have requested a
 * token before the test could be recognized: that token proves as much.
 */
function useFor(credentials: ICredentialDataDecryptedObject, isTested: boolean): TokenUse {
	const attached = tokenUseOf(credentials);
	if (attached?.isOfNode || (isTested && attached?.isProven)) return attached;
	const use = ownUse(credentials, isTested ? 'test' : 'credential');
	attachTokenUse(credentials, use);
	return use;
}

/** For requests of n8n's HTTP Request node and the credential test: the credential's own scope. */
function ownUse(
	credentials: ICredentialDataDecryptedObject,
	origin: 'credential' | 'test',
): TokenUse {
	const client = parseClient(credentials);
	const scope = scopeOf(credentials);
	const stored = parseTokenMap(credentials.accessTokens);
	processTokens.offer(client, stored);
	const token = validToken(stored, scope, client.identity, Date.now());
	return new TokenUse({ client, scope, origin, token, mayStore: true });
}

/** No chunking request has this ID. */
const NO_CHUNKING_ID = '00000000-0000-0000-0000-000000000000';

/** Whether the scope allows to ask for the results of a chunking request. */
const canChunk = (credentials: ICredentialDataDecryptedObject): boolean =>
	scopeOf(credentials).split(/\s+/).includes(DEFAULT_SCOPE);

/**
 * The interface has no request that only tests. So every response counts as success, except a refusal
 * and, where a chunking service answers with JSON or nothing, a page or plain text.
 */
const PROBE: Probe = {
	party: AI_SERVICE,
	request: (credentials) => {
		const url = AI_SERVICE.baseUrl(credentials);
		const { token } = tokenUseOf(credentials) ?? ownUse(credentials, 'test');
		return {
			method: 'GET',
			url: canChunk(credentials) ? `${url}/ai/async-chunking/${NO_CHUNKING_ID}` : `${url}/`,
			headers: {
				Accept: 'application/json',
				...(token && { Authorization: `Bearer ${token.accessToken}` }),
			},
		};
	},
	advice: (status, body, credentials) => {
		if (status === 401 || status === 403)
			return statusAdvice(status, AI_SERVICE, { isTest: true });
		const isText = typeof body === 'string' && body.trim() !== '';
		if ((status === 200 || status === 404) && isText && canChunk(credentials))
			return "No chunking service answers like this: check 'AI Service URL'";
		return undefined;
	},
	secrets: (credentials) => [
		...secretsOf(credentials),
		tokenUseOf(credentials)?.token?.accessToken,
	],
};
