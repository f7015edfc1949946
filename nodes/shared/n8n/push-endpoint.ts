import type { Run } from './run';
import { ServiceSession } from './session';

/** An open push endpoint. */
export interface PushEndpoint {
	session: ServiceSession;
	/** Identifier of the data source. */
	endpoint: string;
}

/** Opens the push service; its credential also names the endpoint. */
export async function openPushEndpoint(run: Run): Promise<PushEndpoint> {
	const session = await ServiceSession.open(run, {
		credentialType: 'pushEndpointApi',
		addressField: 'pushUrl',
		addressLabel: 'Push Service Address',
		secretLabels: "'API Key' in the credential",
		service: 'The push service',
	});
	return { session, endpoint: String(session.fields.endpoint ?? '').trim() };
}
