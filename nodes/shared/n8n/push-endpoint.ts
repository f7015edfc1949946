import type { Run } from './run';

import { ServiceSession } from './session';

/** Opens the push service; its credential also names the endpoint. */
export async function openPushEndpoint(
	run: Run,
): Promise<{ session: ServiceSession; endpoint: string }> {
	const session = await ServiceSession.open(run, {
		credentialType: 'pushEndpointApi',
		addressField: 'pushUrl',
		addressLabel: 'Push Service Address',
		service: 'The push service',
	});
	return { session, endpoint: String(session.fields.endpoint ?? '').trim() };
}
