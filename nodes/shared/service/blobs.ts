import { answersIn } from './accepted';
import { serverMessage, ServiceFailure } from './failure';

/** Path of a migration of blob manifests (docs/service-interface.md, Blobs). */
export const CONVERT_PATH = '/blobs/convert';

/**
 * A 2xx response to a migration that says that it failed (docs/service-interface.md, Responses).
 *
 * @returns undefined for any other body
 */
export function deniedMigration(body: unknown): ServiceFailure | undefined {
	const failure = answersIn(body, [{ id: '' }]).get('')?.failure;
	if (!failure) return undefined;
	return new ServiceFailure('The blob service reported a failure', {
		kind: 'response',
		said: serverMessage(failure.entry),
		description:
			'Check its log and the manifests before you run the node again: some may have been migrated.',
	});
}
