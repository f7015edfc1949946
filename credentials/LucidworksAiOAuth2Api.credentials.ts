import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
	IHttpRequestHelper,
} from 'n8n-workflow';

import { withAdviceInMessage, credentialHooks } from '../nodes/shared/session/credential-hooks';
import { tokenSender } from '../nodes/shared/session/token-sender';
import { AI_SERVICE, statusAdvice } from '../nodes/shared/service/service-definitions';
import {
	DEFAULT_SCOPE,
	SCOPE_OF_NODE,
	scopeOf,
	scopeProperties,
	type ScopeData,
} from '../nodes/shared/service/tokens/scope';
import { SharedToken } from '../nodes/shared/service/tokens/shared-token';
import { parseClient, type Token } from '../nodes/shared/service/tokens/token';
import { PATHS } from '../nodes/shared/service/url';

/**
 * Credential for the AI service. It contains the service URL and the OAuth client that requests access tokens
 * (docs/service-interface.md, Access tokens). A hidden field stores one access token per scope, so that all executions
 * and workers share the tokens.
 */
export class LucidworksAiOAuth2Api implements ICredentialType {
	name = 'lucidworksAiOAuth2Api';

	displayName = 'Lucidworks AI OAuth2 API';

	icon = { light: 'file:icons/aiService.svg', dark: 'file:icons/aiService.dark.svg' } as const;

	documentationUrl = 'https://doc.lucidworks.com/docs/lw-platform/lw-platform/authentication-api';

	properties: INodeProperties[] = [
		{
			displayName: 'AI Service URL',
			name: 'aiUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder:
				'e.g. https://b7edc8f0-9d1c-4a5b-8a53-2f0c6d1e7b42.applications.lucidworks.com',
			description: 'URL of your application, shown under Models > Integrations in Lucidworks',
		},
		{
			displayName: 'Client ID',
			name: 'clientId',
			type: 'string',
			default: '',
			required: true,
			description: 'Shown under Models > Integrations in Lucidworks',
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
			description: 'ID in the token URL, which ends in /oauth2/{ID}/v1/token',
		},
		...scopeProperties(
			"Scope for the credential test and the HTTP Request node. Chunk Text has a separate 'Scope' parameter.",
		),
		{
			displayName: 'Access Tokens',
			name: 'accessTokens',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
	];

	/** n8n stores the returned token. */
	preAuthentication = HOOKS.preAuthentication;

	/**
	 * If there is no valid token, the request is sent unsigned. The service then answers with status 401, so n8n
	 * obtains a new token and repeats the request.
	 */
	authenticate = HOOKS.authenticate;

	/** Requests a token so that the token server verifies the client. Then calls the AI service with this token. */
	test: ICredentialTestRequest = HOOKS.test;
}

type Data = ICredentialDataDecryptedObject;

/** The credential test requests the results for this chunking ID, which is unknown to the service. */
const NO_CHUNKING_ID = '00000000-0000-0000-0000-000000000000';

/**
 * The credential test accepts a token up to this age. n8n requests a token for a new credential before it tests the
 * credential, so the test can use that token.
 */
const JUST_NOW_MS = 10_000;

const canChunk = (data: Data): boolean => scopeOf(data).split(/\s+/).includes(DEFAULT_SCOPE);

/** Returns the data that n8n must store, if any. */
async function obtainToken(
	helper: IHttpRequestHelper,
	data: Data & ScopeData,
	isTested: boolean,
): Promise<Data | undefined> {
	const isOfNode = data[SCOPE_OF_NODE] !== undefined;
	const client = parseClient(data);
	const shared = SharedToken.forScope(client, scopeOf(data));
	shared.adoptStored(data.accessTokens);
	// n8n calls this function if there is no token, or if the service has revoked the current token. Therefore, a token
	// that is still in the data must be the revoked token.
	const revoked = SharedToken.findIn(data);
	const accepts = ({ accessToken, issuedAt }: Token) =>
		isTested ? issuedAt > Date.now() - JUST_NOW_MS : accessToken !== revoked?.accessToken;
	await shared.obtain(tokenSender(helper), accepts);
	// If several requests from the nodes of this package wait for the same token, only the first one stores it.
	// Requests from other nodes always store the token, because n8n repeats such a request with the stored token.
	const isToStore = shared.isUnstored || !isOfNode;
	data.accessTokens = shared.mapToStore();
	if (!isToStore) return undefined;
	SharedToken.beginStoring(data);
	return { accessTokens: data.accessTokens };
}

const HOOKS = credentialHooks({
	service: AI_SERVICE,
	urlField: 'aiUrl',
	sign: (data) => {
		SharedToken.endStoring(data);
		const token = SharedToken.findIn(data);
		return token ? { headers: { Authorization: `Bearer ${token.accessToken}` } } : {};
	},
	probe: (data) => {
		const url = AI_SERVICE.baseUrl(data);
		return {
			method: 'GET',
			url: canChunk(data) ? `${url}${PATHS.chunking}/${NO_CHUNKING_ID}` : `${url}/`,
			headers: { Accept: 'application/json' },
		};
	},
	/**
	 * The service has no request that only tests a credential, and its answer to an unknown chunking ID is not
	 * documented. So the test fails in only two cases. In the first case, the status is 401 or 403. In the second case,
	 * the status is 200 or 404 and the body is a web page or plain text. A chunking service would answer with JSON or
	 * an empty body.
	 */
	advice: (response, data) => {
		const { status, body } = response;
		if (status === 401 || status === 403) return statusAdvice(response, AI_SERVICE, true);
		const isText = typeof body === 'string' && body.trim() !== '';
		if ((status === 200 || status === 404) && isText && canChunk(data))
			return "This doesn't look like a chunking service: check 'AI Service URL'";
		return undefined;
	},
	obtain: async (helper, data: Data & ScopeData, isTested) =>
		await obtainToken(helper, data, isTested).catch((error: unknown) => {
			throw data[SCOPE_OF_NODE] === undefined ? withAdviceInMessage(error) : error;
		}),
});
