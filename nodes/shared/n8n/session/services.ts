import { parseBaseUrl } from '../../service/url';
import { parsePushEndpoint } from '../../service/push/push-endpoint';
import {
	AI_SERVICE,
	BLOB_SERVICE as KNOWN_BLOB_SERVICE,
	PUSH_SERVICE as KNOWN_PUSH_SERVICE,
} from '../../service/services';
import type { Service } from './session';

/** The AI service, with a token of this scope. */
export const aiService = (scope: string): Service => ({
	...AI_SERVICE,
	credentialType: 'aiServiceOAuth2Api',
	baseUrl: ({ aiUrl }) => parseBaseUrl(aiUrl, AI_SERVICE.urlLabel),
	scope,
});

/** The push service. Its URL ends before `/api/v1/push`. */
export const PUSH_SERVICE: Service = {
	...KNOWN_PUSH_SERVICE,
	credentialType: 'pushEndpointApi',
	baseUrl: (fields) => parsePushEndpoint(fields).baseUrl,
};

/** The blob service. */
export const BLOB_SERVICE: Service = {
	...KNOWN_BLOB_SERVICE,
	credentialType: 'blobServiceApi',
	baseUrl: ({ baseUrl }) => parseBaseUrl(baseUrl, KNOWN_BLOB_SERVICE.urlLabel),
};
