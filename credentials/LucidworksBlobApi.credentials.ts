import type { ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

import { credentialHooks, TEST_STATE_FIELD } from '../nodes/shared/session/credential-hooks';
import { BLOB_SERVICE } from '../nodes/shared/service/service-definitions';
import { trimmed } from '../nodes/shared/service/strings';
import { PATHS } from '../nodes/shared/service/url';

/**
 * Credential for the blob service (docs/service-interface.md, Blobs). The interface does not specify
 * authentication, but real servers often require HTTP Basic authentication.
 */
export class LucidworksBlobApi implements ICredentialType {
	name = 'lucidworksBlobApi';

	displayName = 'Lucidworks Fusion Blobs API';

	icon = {
		light: 'file:icons/blobService.svg',
		dark: 'file:icons/blobService.dark.svg',
	} as const;

	documentationUrl =
		'https://doc.lucidworks.com/docs/4.2/fusion-server/reference/api/blob-store-api';

	properties: INodeProperties[] = [
		{
			displayName: 'Blob Service URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://fusion.example.com:8764/api',
			description: 'Part of the URL before /blobs, including any path prefix',
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
			description: 'How to authenticate with the blob service',
		},
		{
			displayName: 'User',
			name: 'user',
			type: 'string',
			default: '',
			placeholder: 'e.g. admin',
			description: 'User with permission to list and convert blobs',
			displayOptions: { show: { authentication: ['basic'] } },
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Password of the user',
			displayOptions: { show: { authentication: ['basic'] } },
		},
		TEST_STATE_FIELD,
	];

	preAuthentication = HOOKS.preAuthentication;

	authenticate = HOOKS.authenticate;

	test: ICredentialTestRequest = HOOKS.test;
}

const HOOKS = credentialHooks({
	service: BLOB_SERVICE,
	urlField: 'baseUrl',
	sign: ({ authentication, user, password }) =>
		authentication === 'basic'
			? { auth: { username: trimmed(String(user ?? '')), password: String(password ?? '') } }
			: {},
	probe: (data) => ({
		method: 'GET',
		url: `${BLOB_SERVICE.baseUrl(data)}${PATHS.blobs}`,
		headers: { Accept: 'application/json' },
	}),
});
