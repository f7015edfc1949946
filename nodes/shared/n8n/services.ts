import { parseBaseUrl } from '../service/url';
import { parsePushEndpoint } from '../service/push-endpoint';
import type { Service } from './session';

/** The AI service, with a token of this scope. */
export const aiService = (scope: string): Service => ({
	name: 'the AI service',
	credentialType: 'aiServiceOAuth2Api',
	urlLabel: 'AI Service URL',
	secretLabels: "'Client ID' and 'Client Secret'",
	baseUrl: ({ aiUrl }) => parseBaseUrl(aiUrl, 'AI Service URL'),
	scope,
});

/** The push service. Its URL ends before `/api/v1/push`. */
export const PUSH_SERVICE: Service = {
	name: 'the push service',
	credentialType: 'pushEndpointApi',
	urlLabel: 'Push Service URL',
	secretLabels: "'API Key'",
	baseUrl: (fields) => parsePushEndpoint(fields).baseUrl,
};

/** The blob service. */
export const BLOB_SERVICE: Service = {
	name: 'the blob service',
	credentialType: 'blobServiceApi',
	urlLabel: 'Blob Service URL',
	secretLabels: "'Authentication', 'User' and 'Password'",
	baseUrl: ({ baseUrl }) => parseBaseUrl(baseUrl, 'Blob Service URL'),
};
