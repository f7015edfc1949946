import { serverMessage, ServiceFailure } from './failure';
import { isRecord } from './json';
import { denialIn } from './success';

/** Path of a migration of blob manifests (docs/service-interface.md, Blobs). */
export const CONVERT_PATH = '/blobs/convert';

/**
 * A 2xx response to a migration that says that it was no success (docs/service-interface.md, Failures).
 *
 * @returns undefined for any other body
 */
export function deniedMigration(body: unknown): ServiceFailure | undefined {
	if (!isRecord(body) || denialIn(body) === undefined) return undefined;
	return new ServiceFailure('The blob service reported no success', {
		kind: 'response',
		said: serverMessage(body),
		description:
			'Check its log and the manifests before you run the node again: some may have been migrated.',
	});
}
