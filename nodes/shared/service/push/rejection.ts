import type { DocumentAnswer } from '../accepted';
import { serverMessage, ServiceFailure } from '../failure';
import { isObject } from '../json';

const ADVICE = {
	push: 'Correct the document and push it again.',
	delete: 'Remove the cause that the service names, then delete the document again.',
	unknown:
		"To find out which document it means, push them again with 'Documents per Request' set to 1.",
};

/** The failure of a push or a delete that a 2xx response does not accept. */
export function rejection(
	{ entry, isUnknown }: NonNullable<DocumentAnswer['failure']>,
	request: 'push' | 'delete',
): ServiceFailure {
	const said = serverMessage(entry);
	if (isUnknown)
		return new ServiceFailure('The push service reported a failure', {
			kind: 'response',
			said,
			description: ADVICE[request === 'push' ? 'unknown' : 'delete'],
		});
	const { status, statusCode } = isObject(entry) ? entry : {};
	const code = [status, statusCode].find((one) => typeof one === 'number');
	const what = request === 'push' ? 'document' : 'delete';
	return new ServiceFailure(
		`The push service rejected the ${what}${code === undefined ? '' : ` with status ${code}`}`,
		{
			kind: 'rejected',
			said,
			...(code !== undefined && { status: code }),
			description: ADVICE[request],
		},
	);
}
