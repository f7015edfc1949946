import type { IExecuteFunctions } from 'n8n-workflow';

import { parsePushEndpoint } from '../service/push-endpoint';
import { PUSH_SERVICE } from './services';
import { ServiceSession, sessionRun } from './service-session';

/** Opens the push service; its credential also names the endpoint. */
export async function openPushEndpoint(
	context: IExecuteFunctions,
): Promise<{ session: ServiceSession; endpoint: string }> {
	const session = await ServiceSession.open(sessionRun(context), PUSH_SERVICE);
	return { session, endpoint: parsePushEndpoint(session.fields).endpoint };
}
