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
	credentialTest,
	generalAdvice,
	isBeingTested,
	isTest,
	runProbe,
	TEST_STATE_FIELD,
	testRequest,
	type Probe,
} from '../nodes/shared/http/credential-test';
import { pathSegment } from '../nodes/shared/service/url';
import { parsePushEndpoint } from '../nodes/shared/service/push-endpoint';
import { secretsOf } from '../nodes/shared/service/secrets';

/**
 * One push endpoint data source with one of its keys (docs/service-interface.md, Push): kept together,
 * so that a key is never sent to another data source.
 */
export class PushEndpointApi implements ICredentialType {
	name = 'pushEndpointApi';

	displayName = 'Lucidworks Push Endpoint API';

	icon = {
		light: 'file:icons/pushEndpoint.svg',
		dark: 'file:icons/pushEndpoint.dark.svg',
	} as const;

	documentationUrl =
		'https://example.com/n8n-nodes-search-ingest/blob/main/docs/credentials.md#lucidworks-push-endpoint-api';

	properties: INodeProperties[] = [
		{
			displayName: 'Push Service URL',
			name: 'pushUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://subdomain.lucidworks.cloud/pathname',
			description:
				'Everything before /api/v1/push. You can also paste the complete push URL: it names the endpoint.',
		},
		{
			displayName: 'Endpoint Identifier',
			name: 'endpoint',
			type: 'string',
			default: '',
			placeholder: 'e.g. docs',
			// Not required: a complete push URL names it.
			description:
				"Last part of the push URL, which identifies the data source. Leave it empty if 'Push Service URL' is the complete push URL.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'A push API key of this data source. Keys are managed in the administration UI, by selecting the data source.',
		},
		{
			displayName:
				'The test pushes an empty list of documents, so it writes nothing. A service that rejects an empty list fails the test even though the key is right.',
			name: 'testNotice',
			type: 'notice',
			default: '',
		},
		TEST_STATE_FIELD,
	];

	/** Only for the credential test. */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		if (isBeingTested(credentials)) await runProbe(this, credentials, PROBE);
		return {};
	}

	/** Adds the key, without spaces pasted around it. */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		if (isTest(requestOptions)) return testRequest(credentials, requestOptions, PROBE);
		const headers = { ...requestOptions.headers, 'X-API-Key': keyOf(credentials) };
		return { ...requestOptions, headers };
	};

	/** Pushes no document: the interface has no request that only reads. */
	test: ICredentialTestRequest = credentialTest('pushUrl');
}

const keyOf = ({ apiKey }: ICredentialDataDecryptedObject): string => String(apiKey ?? '').trim();

const PROBE: Probe = {
	party: { name: 'the push service', urlLabel: 'Push Service URL' },
	request: (credentials) => {
		const { baseUrl, endpoint } = parsePushEndpoint(credentials);
		return {
			method: 'POST',
			url: `${baseUrl}/api/v1/push/${pathSegment(endpoint, 'Endpoint Identifier')}`,
			headers: {
				Accept: 'application/json',
				'Content-Type': 'application/json',
				'X-API-Key': keyOf(credentials),
			},
			// As text, since n8n drops an empty list.
			body: '[]',
		};
	},
	advice: (status) => {
		if (status === 401) return "Check 'API Key'";
		if (status === 403) {
			return "The key is not for this data source: check 'Endpoint Identifier' and 'API Key'";
		}
		if (status === 404) return "Check 'Push Service URL' and 'Endpoint Identifier'";
		if (status === 400 || status === 422) {
			return 'It rejects the empty list that this test pushes. The URL and the key may still be right: push a document to find out';
		}
		return generalAdvice(status, PROBE.party);
	},
	secrets: secretsOf,
};
