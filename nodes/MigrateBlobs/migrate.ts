import type { IDataObject } from 'n8n-workflow';

import { sendOne } from '../shared/sending/one-each';
import type { Failed, Outcome } from '../shared/sending/outcome';
import { Canceled } from '../shared/run/errors';
import { Parameters } from '../shared/parameters/parameters';
import { requestSettings } from '../shared/session/request-settings';
import type { Run } from '../shared/run/run';
import { Session } from '../shared/session/session';
import { migrationFailure } from '../shared/service/accepted';
import { InputError } from '../shared/service/input-error';
import { isNullOrEmptyText } from '../shared/service/json';
import { BLOB_SERVICE } from '../shared/service/service-definitions';
import { PATHS } from '../shared/service/url';
import { MIGRATE_ACTION, outcomeMessage } from '../shared/service/outcome-messages';
import { migrateProperties } from './properties';

/**
 * Retry budget, in seconds, for a service that cannot be reached. The budget is small because a person is
 * waiting for the migration.
 */
const RETRY_FOR_SECONDS = 10;

/**
 * Migrates blob manifests (docs/service-interface.md, Blobs). The node sends one request, regardless of the number of
 * input items. The request is repeated only if it is certain that the request had no effect. This is the case if the
 * request never reached the service, or if the service refused it with status 429.
 *
 * @throws InputError if the migration is not confirmed, Retry On Fail is on, or the credential is invalid
 */
export async function migrateBlobs(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, migrateProperties);
	if (!parameters.get('confirm', 0)) {
		throw new InputError(
			"'Confirm Migration' is off, so nothing was migrated",
			"Turn it on to convert all blob manifests. This can't be undone.",
		);
	}
	if (run.context.getNode().retryOnFail === true) {
		throw new InputError(
			"'Retry On Fail' is on, so nothing was migrated",
			"Turn it off in the node's settings, because n8n would start the migration again while it may still be running.",
		);
	}
	const { timeoutSeconds } = parameters.collection('options');
	const session = await Session.open(run, BLOB_SERVICE);
	const settings = requestSettings(
		run,
		session,
		{ retryForSeconds: RETRY_FOR_SECONDS },
		{ idempotent: false },
	);
	const migrate = migration(session, timeoutSeconds * 1000);
	const outcome = await sendOne(settings, migrate);
	run.progress = () => progressOf(outcome);
	if (!outcome.ok) return await reportFailure(run, outcome);
	run.stats.increment('done');
	run.results.give(0, [outcome.response], { items: [...run.items.keys()] });
	run.hint("The migration was accepted. Turn off 'Confirm Migration' again.", 'info');
}

const migration = (session: Session, timeoutMs: number) => async (): Promise<IDataObject> => {
	const response = await session.request({ method: 'PUT', path: PATHS.convert, timeoutMs });
	const failure = migrationFailure(response.body);
	if (failure) throw failure;
	const { status, body } = response;
	return {
		accepted: true,
		status,
		...(!isNullOrEmptyText(body) && { response: body as IDataObject }),
	};
};

async function reportFailure(run: Run, { reason, skipped }: Failed): Promise<void> {
	const message = outcomeMessage(MIGRATE_ACTION, reason, skipped);
	for (const itemIndex of run.items.keys()) {
		await run.yieldToOthers();
		run.fail(itemIndex, { reason, message, skipped });
	}
}

function progressOf(outcome: Outcome<IDataObject>): string {
	if (outcome.ok) return 'The migration had been accepted.';
	return outcome.reason instanceof Canceled && !outcome.skipped ? MIGRATE_ACTION.repeating : '';
}
