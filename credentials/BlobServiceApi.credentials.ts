import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import { parseAddress } from '../nodes/shared/service/address';

/** The blob service. The interface declares no sign-in; real servers often want HTTP Basic. */
export class BlobServiceApi implements ICredentialType {
	name = 'blobServiceApi';

	displayName = 'Blob Service API';

	icon = {
		light: 'file:icons/blobService.svg',
		dark: 'file:icons/blobService.dark.svg',
	} as const;

	documentationUrl =
		'https://example.com/n8n-nodes-search-ingest/blob/main/docs/credentials.md#blob-service-api';

	properties: INodeProperties[] = [
		{
			displayName: 'Blob Service Address',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://fusion.example.com:8764/api',
			description: 'With its fixed path prefix: all that stands before /blobs',
		},
		{
			displayName: 'Authentication',
			name: 'authentication',
			type: 'options',
			options: [
				{ name: 'Basic', value: 'basic', description: 'User and password' },
				{ name: 'None', value: 'none', description: 'As the interface declares it' },
			],
			default: 'none',
		},
		{
			displayName: 'User',
			name: 'user',
			type: 'string',
			default: '',
			displayOptions: { show: { authentication: ['basic'] } },
		},
		{
			displayName: 'Password',
			name: 'password',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			displayOptions: { show: { authentication: ['basic'] } },
		},
	];

	/** Adds the sign-in, after a look at the address: the test is to say what is wrong with it. */
	authenticate = async (
		{ baseUrl, authentication, user, password }: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => {
		parseAddress(baseUrl, 'Blob Service Address');
		if (authentication !== 'basic') return requestOptions;
		const auth = { username: String(user ?? ''), password: String(password ?? '') };
		return { ...requestOptions, auth };
	};

	/** Lists the blobs: reads only. */
	test: ICredentialTestRequest = {
		request: {
			method: 'GET',
			url: '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "") }}/blobs',
			headers: { Accept: 'application/json' },
			disableFollowRedirect: true,
		},
		rules: [
			{
				type: 'responseCode',
				properties: {
					value: 401,
					message:
						"The service refused the sign-in: check 'Authentication', 'User' and 'Password'",
				},
			},
			{
				type: 'responseCode',
				properties: { value: 404, message: "No blobs there: check 'Blob Service Address'" },
			},
		],
	};
}
