import type { IDataObject } from 'n8n-workflow';

import { deliver, type Outcome } from '../shared/flow/deliver';
import { isCanceled } from '../shared/n8n/run/errors';
import { responseJson } from '../shared/n8n/run/fields';
import { count } from '../shared/n8n/run/hints';
import { Parameters } from '../shared/n8n/parameters/parameters';
import { requestLine } from '../shared/n8n/session/request-options';
import type { Run } from '../shared/n8n/run/run';
import { BLOB_SERVICE } from '../shared/n8n/session/services';
import { Session } from '../shared/n8n/session/session';
import { CONVERT_PATH, deniedMigration } from '../shared/service/blobs';
import { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import { MIGRATING, MIGRATING_AGAIN, outcomeMessage } from '../shared/service/wording';
import { migrateProperties } from './properties';

/**
 * Migrates blob manifests (docs/service-interface.md, Blobs), once however many items there are, unless
 * the option asks for once per item. A request that may have reached the service is never repeated.
 *
 * @throws InputError unless the migration is confirmed, and for an unusable credential
 */
export async function migrateBlobs(run: Run): Promise<void> {
	const parameters = new Parameters(run.context, migrateProperties);
	const options = parameters.collection('options');
	if (!options.oncePerItem && !parameters.boolean('confirm')) {
		throw new InputError("'Confirm Migration' is off, so nothing was migrated", CONFIRM);
	}
	const session = await Session.open(run, BLOB_SERVICE);
	const migrate = async (attempt: number): Promise<IDataObject> => {
		if (attempt === 1) run.stats.requests++;
		const timeoutMs = options.timeoutSeconds * 1000;
		const response = await session.request({ method: 'PUT', path: CONVERT_PATH, timeoutMs });
		const failure = deniedMigration(response.body);
		if (failure) throw failure;
		return { migrated: true, status: response.status, ...responseJson(response.body) };
	};
	run.hint('The service has marked the migration of blob manifests as deprecated', 'info');

	const line = requestLine(
		run,
		session,
		{ maxRefusedSeconds: options.maxRefusedSeconds },
		{ idempotent: false },
	);
	const items = [...run.items.keys()];
	const rounds = options.oncePerItem ? items.map((itemIndex) => [itemIndex]) : [items];
	// With Retry On Fail, a migration of an earlier try is not started again.
	const before = run.previousTries.kept<Outcome<IDataObject>>('migrations');
	let migrated = 0;
	let isUnknown = false;
	// An item before this one migrated the manifests, or may have.
	let isRepeated = false;
	run.progress = () => {
		const before = `Before that, ${count(migrated, 'migration')} of ${rounds.length.toLocaleString('en-US')} had been carried out.`;
		return [isUnknown && MIGRATING.repeating, migrated > 0 && before].filter(Boolean).join(' ');
	};
	for (const round of rounds) {
		const [first = 0] = round;
		if (options.oncePerItem && !run.ended && !parameters.boolean('confirm', first)) {
			run.refuse(first, new InputError("'Confirm Migration' is off for this item", CONFIRM));
			continue;
		}
		const name = String(first);
		const outcome = before.get(name) ?? (await deliver(migrate, line));
		if (isLasting(outcome)) before.set(name, outcome);
		if (outcome.ok) {
			migrated++;
			run.stats.done++;
			isRepeated = true;
			run.done(first, [outcome.response], round);
			continue;
		}
		const { reason, skipped } = outcome;
		// A run that was canceled meanwhile cannot tell how its request ended.
		if (isCanceled(reason) && !skipped) isUnknown = true;
		const action = isRepeated ? MIGRATING_AGAIN : MIGRATING;
		const message = outcomeMessage(action, reason, { attempted: !skipped });
		isRepeated ||= !skipped && reason instanceof ServiceFailure && reason.outcomeUnknown;
		for (const itemIndex of round) {
			await run.breathe();
			run.fail(itemIndex, reason, { message, skipped });
		}
		// Two migrations must not run at the same time.
		if (mayBeRunning(reason)) run.stop(reason);
	}
}

const CONFIRM = 'Turn it on if the manifests may be converted now. This cannot be undone.';

/** Whether the migration may still be running. After a 500 it is not: the service itself has answered. */
const mayBeRunning = (reason: unknown): boolean =>
	reason instanceof ServiceFailure && reason.outcomeUnknown && reason.httpStatus !== 500;

/** Whether a migration was carried out or may still be running. */
const isLasting = (outcome: Outcome<IDataObject>): boolean =>
	outcome.ok || (!outcome.skipped && mayBeRunning(outcome.reason));
