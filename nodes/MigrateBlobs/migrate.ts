import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { DEFAULT_RETRY_POLICY } from '../shared/flow/backoff';
import { timeoutMs } from '../shared/n8n/bulk-requests';
import { replyJson } from '../shared/n8n/fields';
import { addHint, count } from '../shared/n8n/hints';
import { readOptions } from '../shared/n8n/options';
import type { Results } from '../shared/n8n/results';
import { executionClock, isCancel } from '../shared/n8n/run';
import { BLOB_SERVICE } from '../shared/n8n/services';
import { ServiceSession, sessionRun } from '../shared/n8n/service-session';
import { CONVERT_PATH } from '../shared/service/blobs';
import { mayBeGoingOn, ServiceFailure } from '../shared/service/failure';
import { InputError } from '../shared/service/input-error';
import { properties } from './properties';

interface MigrateOptions {
	oncePerItem?: boolean;
	timeoutSeconds: number;
}

const MAY_BE_GOING_ON =
	'The migration may be going on in the service: look there before you run it again.';

/**
 * Migrates blob manifests (spec, endpoint 5), once however many items came in, unless the option
 * asks for once per item. A request that may have arrived is never sent again.
 *
 * @param results gets one answer for each migration, or an error for each item it was for
 * @throws InputError unless the migration is confirmed, and for an unusable credential; the first
 * failure where the node is set to stop; Cancelled when the execution was stopped
 */
export async function migrateBlobs(context: IExecuteFunctions, results: Results): Promise<void> {
	const options = readOptions<MigrateOptions>(context, properties);
	if (context.getNodeParameter('confirm', 0) !== true) {
		throw new InputError(
			"'Confirm Migration' is off, so nothing was migrated",
			'Turn it on when the manifests may be converted. There is no way back.',
		);
	}
	const session = await ServiceSession.open(sessionRun(context), BLOB_SERVICE);
	const migrate = async (): Promise<IDataObject> => {
		const reply = await session.requestWithRetry(
			{
				method: 'PUT',
				path: CONVERT_PATH,
				timeoutMs: timeoutMs(options),
			},
			{ idempotent: false, policy: DEFAULT_RETRY_POLICY, clock: executionClock(context) },
		);
		return { migrated: true, status: reply.status, ...replyJson(reply.body) };
	};

	addHint(
		context,
		'The service has marked the migration of blob manifests as deprecated',
		'info',
	);
	const items = context.getInputData().map((_item, itemIndex) => itemIndex);
	const rounds = options.oncePerItem ? items.map((itemIndex) => [itemIndex]) : [items];
	let migrated = 0;
	const before = () =>
		migrated === 0
			? ''
			: `Before that, ${count(migrated, 'migration')} of ${rounds.length.toLocaleString('en-US')} had been carried out.`;
	for (const round of rounds) {
		const [first = 0] = round;
		// For a run that is canceled meanwhile.
		results.progress = () => [MAY_BE_GOING_ON, before()].filter(Boolean).join(' ');
		await migrate().then(
			(json) => {
				results.add(first, json, round);
				migrated++;
			},
			(error: unknown) => {
				if (isCancel(error)) throw error;
				const prefix = 'The blob manifests were not migrated';
				for (const itemIndex of round) results.fail(itemIndex, advised(error), { prefix });
			},
		);
		results.progress = before;
		results.throwIfStopping();
	}
}

/** A failure that does not invite to migrate again what may be going on. */
function advised(error: unknown): unknown {
	if (!mayBeGoingOn(error)) return error;
	const { kind, httpStatus: status, transportCode: code, description } = error;
	// The advice for a lost connection says what was lost, the one for a status to try again.
	const advice =
		kind === 'transport' ? `${description ?? ''} ${MAY_BE_GOING_ON}` : MAY_BE_GOING_ON;
	return new ServiceFailure(error.message, {
		kind,
		...(status !== undefined && { status }),
		...(code !== undefined && { code }),
		description: advice.trim(),
	});
}
