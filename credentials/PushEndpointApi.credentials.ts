import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { parseAddress } from '../nodes/shared/service/address';

/**
 * One push endpoint data source with one of its keys (spec, Push API key): held together, so that a
 * key can never meet the endpoint of another data source.
 */
export class PushEndpointApi implements ICredentialType {
	name = 'pushEndpointApi';

	displayName = 'Push Endpoint API';

	icon = {
		light: 'file:icons/pushEndpoint.svg',
		dark: 'file:icons/pushEndpoint.dark.svg',
	} as const;

	documentationUrl =
		'https://example.com/n8n-nodes-search-ingest/blob/main/docs/credentials.md#push-endpoint-api';

	properties: INodeProperties[] = [
		{
			displayName: 'Push Service Address',
			name: 'pushUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://subdomain.lucidworks.cloud/pathname',
			description: 'With its path prefix: all that stands before /api/v1/push',
		},
		{
			displayName: 'Endpoint Identifier',
			name: 'endpoint',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. docs',
			description: 'Last part of the push address: names the data source',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'A push key of this data source',
		},
		{
			displayName:
				'The test sends an empty list of documents, so it writes nothing. Success means that the address answers and takes the key; a service that refuses an empty list fails the test though the key is right.',
			name: 'testNotice',
			type: 'notice',
			default: '',
		},
	];

	/** Adds the key, without blanks pasted around it, after a look at the address: the test is to say what is wrong with it. */
	authenticate = async (
		{ pushUrl, apiKey }: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		parseAddress(pushUrl, 'Push Service Address');
		const headers = { ...requestOptions.headers, 'X-API-Key': String(apiKey ?? '').trim() };
		return { ...requestOptions, headers };
	};

	/** Endpoint 3 with no document: the interface has no request that only reads. */
	test: ICredentialTestRequest = {
		request: {
			method: 'POST',
			url: '={{ $credentials.pushUrl.trim().replace(/\\/+$/, "") }}/api/v1/push/{{ encodeURIComponent($credentials.endpoint.trim()) }}',
			headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
			// As text, since n8n would drop an empty list.
			body: '[]',
			disableFollowRedirect: true,
		},
		rules: [
			{
				type: 'responseCode',
				properties: { value: 401, message: "The service refused the key: check 'API Key'" },
			},
			{
				type: 'responseCode',
				properties: {
					value: 403,
					message:
						"The key is not for this data source: check 'Endpoint Identifier' and 'API Key'",
				},
			},
			{
				type: 'responseCode',
				properties: {
					value: 404,
					message:
						"No push endpoint there: check 'Push Service Address' and 'Endpoint Identifier'",
				},
			},
		],
	};
}
