import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

import { keyCredential, TEST_STATE_FIELD, type Probe } from '../nodes/shared/http/credential-test';
import { BLOB_SERVICE } from '../nodes/shared/service/services';
import { secretsOf } from '../nodes/shared/service/tokens/secrets';

/**
 * The blob service (docs/service-interface.md, Blobs). The interface declares no authentication; real
 * servers often require HTTP Basic.
 */
export class BlobServiceApi implements ICredentialType {
	name = 'blobServiceApi';

	displayName = 'Lucidworks Blob Service API';

	icon = {
		light: 'file:icons/blobService.svg',
		dark: 'file:icons/blobService.dark.svg',
	} as const;

	documentationUrl =
		'https://example.com/n8n-nodes-search-ingest/blob/main/docs/credentials.md#lucidworks-blob-service-api';

	properties: INodeProperties[] = [
		{
			displayName: 'Blob Service URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://fusion.example.com:8764/api',
			description: 'Everything before /blobs, including any path prefix',
		},
		{
			displayName: 'Authentication',
			name: 'authentication',
			type: 'options',
			options: [
				{ name: 'Basic', value: 'basic', description: 'User and password' },
				{ name: 'None', value: 'none', description: 'No credentials are sent' },
			],
			default: 'none',
			description: 'How the blob service authenticates its users',
		},
		{
			displayName: 'User',
			name: 'user',
			type: 'string',
			default: '',
			placeholder: 'e.g. admin',
			description: 'A user that may list and convert blobs',
			displayOptions: { show: { authentication: ['basic'] } },
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: "Password of 'User'",
			displayOptions: { show: { authentication: ['basic'] } },
		},
		TEST_STATE_FIELD,
	];

	preAuthentication = HOOKS.preAuthentication;

	/** Adds user and password. */
	authenticate = HOOKS.authenticate;

	/** Lists the blobs. */
	test: ICredentialTestRequest = HOOKS.test;
}

function basicAuth({ authentication, user, password }: ICredentialDataDecryptedObject) {
	if (authentication !== 'basic') return {};
	return { auth: { username: String(user ?? ''), password: String(password ?? '') } };
}

const PROBE: Probe = {
	party: BLOB_SERVICE,
	request: (credentials) => ({
		method: 'GET',
		url: `${BLOB_SERVICE.baseUrl(credentials)}/blobs`,
		headers: { Accept: 'application/json' },
	}),
	secrets: secretsOf,
};

const HOOKS = keyCredential('baseUrl', basicAuth, PROBE);
