import type { Sandbox } from '../../sandbox';
import { DEMO } from '../../sandbox';
import type { CredentialValues } from '../n8n/workflow';

/** The header that the webhooks of the examples require. */
export const WEBHOOK_HEADER = { name: 'X-Webhook-Key', value: 'demo-webhook-key' };

/**
 * The credentials that the example workflows name, filled in for the running sandbox.
 * @param chatModelUrl the stand-in for a chat model, if there is one
 */
export function demoCredentials(
	sandbox: Sandbox,
	chatModelUrl?: string,
): Array<Omit<CredentialValues, 'id'>> {
	const { authUrl, aiUrl, pushUrl, baseUrl } = sandbox.urls;
	const aiService = (name: string, scope: string) => ({
		name,
		type: 'lucidworksAiOAuth2Api',
		data: {
			authUrl,
			authorizationServerId: DEMO.authServerId,
			clientId: DEMO.clientId,
			clientSecret: DEMO.clientSecret,
			aiUrl,
			scope,
		},
	});
	return [
		aiService('Demo AI Service', 'machinelearning.predict'),
		aiService('Demo AI Service (Rules)', 'merchandising.rules'),
		{
			name: 'Demo Push Endpoint',
			type: 'lucidworksPushApi',
			data: { pushUrl, endpoint: DEMO.endpoint, apiKey: DEMO.pushKey },
		},
		{
			name: 'Demo Blob Service',
			type: 'lucidworksBlobApi',
			data: { baseUrl, authentication: 'none' },
		},
		{ name: 'Demo Webhook', type: 'httpHeaderAuth', data: WEBHOOK_HEADER },
		...(chatModelUrl === undefined
			? []
			: [
					{
						name: 'Demo Chat Model',
						type: 'openAiApi',
						data: { apiKey: 'none', url: chatModelUrl },
					},
				]),
	];
}
