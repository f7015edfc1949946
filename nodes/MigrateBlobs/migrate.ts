import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { DEFAULT_RETRY_POLICY } from '../shared/flow/backoff';
import { addHint } from '../shared/n8n/hints';
import type { Results } from '../shared/n8n/results';
import { executionClock, isCancel } from '../shared/n8n/run';
import { ServiceSession } from '../shared/n8n/session';
import { CONVERT_PATH } from '../shared/service/blobs';
import { InputError } from '../shared/service/input-error';
import { DEFAULT_MIGRATION_TIMEOUT_SECONDS } from './properties';

/**
 * Migrates blob manifests (spec, endpoint 5), once however many items came in, unless the option
 * asks for once per item. A request that may have arrived is never sent again.
 */
export async function migrateBlobs(context: IExecuteFunctions, results: Results): Promise<void> {
	const options = context.getNodeParameter('options', 0, {}) as {
		oncePerItem?: boolean;
		timeoutSeconds?: number;
	};
	if (context.getNodeParameter('confirm', 0) !== true) {
		throw new InputError(
			"'Confirm Migration' is off, so nothing was migrated",
			'Turn it on when the manifests may be converted. There is no way back.',
		);
	}
	const session = await ServiceSession.open(context, {
		credentialType: 'blobServiceApi',
		addressField: 'baseUrl',
		addressLabel: 'Blob Service Address',
		service: 'The blob service',
	});
	const migrate = async (): Promise<IDataObject> => {
		const reply = await session.requestWithRetry(
			{
				method: 'PUT',
				path: CONVERT_PATH,
				timeoutMs: (options.timeoutSeconds ?? DEFAULT_MIGRATION_TIMEOUT_SECONDS) * 1000,
			},
			{ idempotent: false, policy: DEFAULT_RETRY_POLICY, clock: executionClock(context) },
		);
		return { migrated: true, status: reply.status, reply: reply.body as IDataObject };
	};

	addHint(
		context,
		'The service has marked the migration of blob manifests as deprecated',
		'info',
	);
	const items = context.getInputData().map((_item, itemIndex) => itemIndex);
	if (!options.oncePerItem) return results.add(0, await migrate(), items);

	for (const itemIndex of items) {
		await migrate().then(
			(json) => results.add(itemIndex, json),
			(error: unknown) => {
				if (isCancel(error)) throw error;
				results.fail(itemIndex, error);
			},
		);
		results.throwIfStopping();
	}
}
