import { parsePushEndpoint } from '../../service/push/push-endpoint';
import { PUSH_SERVICE } from '../../service/services';
import type { Run } from '../run/run';
import { Session } from './session';

/** An open push endpoint. */
export interface PushEndpoint {
	session: Session;
	/** Identifier of the data source. */
	endpoint: string;
}

/** Opens the push service; its credential also names the endpoint. */
export async function openPushEndpoint(run: Run): Promise<PushEndpoint> {
	const session = await Session.open(run, PUSH_SERVICE);
	return { session, endpoint: parsePushEndpoint(session.fields).endpoint };
}
