import type { IExecuteFunctions } from 'n8n-workflow';

import { ServiceSession } from './session';

/** Opens the push service; its credential also names the endpoint. */
export async function openPushEndpoint(
	context: IExecuteFunctions,
): Promise<{ session: ServiceSession; endpoint: string }> {
	const session = await ServiceSession.open(context, {
		credentialType: 'pushEndpointApi',
		addressField: 'pushUrl',
		addressLabel: 'Push Service Address',
		service: 'The push service',
	});
	return { session, endpoint: String(session.fields.endpoint ?? '').trim() };
}
