import { DEMO, type Sandbox } from '../sandbox';
import type { CredentialData } from './credential-store';

export function sandboxCredentials(sandbox: Sandbox): CredentialData {
	const { authUrl, aiUrl, pushUrl, baseUrl } = sandbox.urls;
	return {
		lucidworksAiOAuth2Api: {
			authUrl,
			authorizationServerId: DEMO.authServerId,
			clientId: DEMO.clientId,
			clientSecret: DEMO.clientSecret,
			aiUrl,
			scope: 'machinelearning.predict',
		},
		lucidworksPushApi: { pushUrl, endpoint: DEMO.endpoint, apiKey: DEMO.pushKey },
		lucidworksBlobApi: { baseUrl, authentication: 'none' },
	};
}
