import type { ICredentialTestRequest, ICredentialType, INodeProperties } from 'n8n-workflow';

import { credentialHooks, TEST_STATE_FIELD } from '../nodes/shared/session/credential-hooks';
import { trimmed } from '../nodes/shared/service/strings';
import { PUSH_SERVICE } from '../nodes/shared/service/service-definitions';

/**
 * Credential for a single data source in the push service. It contains the URL of the data source and one of
 * the keys that the data source accepts (docs/service-interface.md, Push). The two are stored together, so that
 * a key is never sent to another data source.
 */
export class LucidworksPushApi implements ICredentialType {
	name = 'lucidworksPushApi';

	displayName = 'Lucidworks Push Endpoint API';

	icon = {
		light: 'file:icons/pushEndpoint.svg',
		dark: 'file:icons/pushEndpoint.dark.svg',
	} as const;

	documentationUrl =
		'https://doc.lucidworks.com/lucidworks-cloud/site-search/development/data-sources/push-endpoint.html';

	properties: INodeProperties[] = [
		{
			displayName: 'Push Service URL',
			name: 'pushUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://acme.lucidworks.cloud/site/api/v1/push/docs',
			description:
				'Paste the complete push URL. Or enter only the part before /api/v1/push, and enter the endpoint identifier below.',
		},
		{
			displayName: 'Endpoint Identifier',
			name: 'endpoint',
			type: 'string',
			default: '',
			placeholder: 'e.g. docs',
			// This field is optional, because a complete push URL already contains the endpoint.
			description:
				"Last part of the push URL. It identifies the data source. Leave this field empty if 'Push Service URL' is the complete push URL.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'Push API key for this data source. To manage its keys, select the data source in the administration UI.',
		},
		TEST_STATE_FIELD,
	];

	preAuthentication = HOOKS.preAuthentication;

	authenticate = HOOKS.authenticate;

	/** Tests the credential by pushing an empty list, because the interface has no read-only request. */
	test: ICredentialTestRequest = HOOKS.test;
}

const HOOKS = credentialHooks({
	service: PUSH_SERVICE,
	urlField: 'pushUrl',
	sign: ({ apiKey }) => ({ headers: { 'X-API-Key': trimmed(String(apiKey ?? '')) } }),
	probe: (data) => ({
		method: 'POST',
		url: PUSH_SERVICE.baseUrl(data),
		headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
		// The body is a string, because n8n drops an empty list.
		body: '[]',
	}),
});
