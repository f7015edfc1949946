import type { IDataObject } from 'n8n-workflow';

import { deliver, type Failed, type Outcome } from '../shared/flow/deliver';
import { isCanceled } from '../shared/n8n/run/errors';
import { responseJson } from '../shared/n8n/run/response-json';
import { count, figure } from '../shared/n8n/run/hints';
import { Parameters } from '../shared/n8n/parameters/parameters';
import { requestLine } from '../shared/n8n/session/request-options';
import type { Run } from '../shared/n8n/run/run';
import { Session } from '../shared/n8n/session/session';
import { CONVERT_PATH, deniedMigration } from '../shared/service/blobs';
import { ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import { BLOB_SERVICE } from '../shared/service/services';
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
	run.hint('The service has marked the migration of blob manifests as deprecated', 'info');
	const migrate = migration(run, session, options.timeoutSeconds * 1000);
	const { maxRefusedSeconds } = options;
	const line = requestLine(run, session, { maxRefusedSeconds }, { idempotent: false });
	// With Retry On Fail, a migration of an earlier try is not started again.
	const before = run.previousTries.kept<Outcome<IDataObject>>('migrations');
	const items = [...run.items.keys()];
	const rounds = options.oncePerItem ? items.map((itemIndex) => [itemIndex]) : [items];
	const report = new MigrationReport(run, rounds.length);
	for (const round of rounds) {
		const [first = 0] = round;
		if (options.oncePerItem && !run.ended && !parameters.boolean('confirm', first)) {
			run.refuse(first, new InputError("'Confirm Migration' is off for this item", CONFIRM));
			continue;
		}
		const name = String(first);
		const outcome = before.get(name) ?? (await deliver(migrate, line));
		if (isLasting(outcome)) before.set(name, outcome);
		if (outcome.ok) report.done(round, outcome.response);
		else await report.failed(round, outcome);
	}
}

/** Sends the request of a migration. */
const migration =
	(run: Run, session: Session, timeoutMs: number) =>
	async (attempt: number): Promise<IDataObject> => {
		if (attempt === 1) run.stats.requests++;
		const response = await session.request({ method: 'PUT', path: CONVERT_PATH, timeoutMs });
		const failure = deniedMigration(response.body);
		if (failure) throw failure;
		return { migrated: true, status: response.status, ...responseJson(response.body) };
	};

/** Returns the outcome of each migration to the items it is for. */
class MigrationReport {
	private migrated = 0;
	/** A migration was canceled, and may have been carried out. */
	private isUnknown = false;
	/** An item before the next one migrated the manifests, or may have. */
	private isRepeated = false;

	constructor(
		private readonly run: Run,
		private readonly rounds: number,
	) {
		run.progress = () => this.progress();
	}

	done(items: number[], response: IDataObject): void {
		this.migrated++;
		this.run.stats.done++;
		this.isRepeated = true;
		this.run.done(items[0] ?? 0, [response], items);
	}

	async failed(items: number[], { reason, skipped }: Failed): Promise<void> {
		// A run that was canceled meanwhile cannot tell how its request ended.
		if (isCanceled(reason) && !skipped) this.isUnknown = true;
		const action = this.isRepeated ? MIGRATING_AGAIN : MIGRATING;
		const message = outcomeMessage(action, reason, { attempted: !skipped });
		this.isRepeated ||= !skipped && reason instanceof ServiceFailure && reason.outcomeUnknown;
		for (const itemIndex of items) {
			await this.run.breathe();
			this.run.fail(itemIndex, reason, { message, skipped });
		}
		// Two migrations must not run at the same time.
		if (mayBeRunning(reason)) this.run.stop(reason);
	}

	private progress(): string {
		const { migrated, rounds, isUnknown } = this;
		const before = `Before that, ${count(migrated, 'migration')} of ${figure(rounds)} had been carried out.`;
		return [isUnknown && MIGRATING.repeating, migrated > 0 && before].filter(Boolean).join(' ');
	}
}

const CONFIRM = 'Turn it on if the manifests may be converted now. This cannot be undone.';

/** Whether the migration may still be running. After a 500 it is not: the service itself has answered. */
const mayBeRunning = (reason: unknown): boolean =>
	reason instanceof ServiceFailure && reason.outcomeUnknown && reason.httpStatus !== 500;

/** Whether a migration was carried out or may still be running. */
const isLasting = (outcome: Outcome<IDataObject>): boolean =>
	outcome.ok || (!outcome.skipped && mayBeRunning(outcome.reason));
