import {
	NodeApiError,
	NodeOperationError,
	type IExecuteFunctions,
	type JsonObject,
} from 'n8n-workflow';

import { ServiceFailure } from '../service/failure';
import { InputError } from '../service/input-error';

export type NodeFailure = NodeApiError | NodeOperationError;

type FailureOption = NonNullable<
	NonNullable<ConstructorParameters<typeof NodeOperationError>[2]>['failure']
>;

/** n8n's own words for why it failed, from which its retries and messages can tell what helps. */
function cause(error: ServiceFailure): FailureOption | undefined {
	const { httpStatus: status, retryAfterMs } = error;
	const wait = retryAfterMs !== undefined && { retryAfterMs };
	if (status === 429) return { cause: 'rate-limited', ...wait };
	if (status !== undefined && status >= 500) return { cause: 'temporarily-unavailable', ...wait };
	if (error.kind === 'token' && !error.transient) return { cause: 'credential-invalid' };
	if (status === 401 || status === 403) return { cause: 'credential-invalid' };
	if (error.kind === 'transport') return { cause: 'temporarily-unavailable' };
	return undefined;
}

/** What is said about an error: what could not be done, and why. */
export function failureMessage(error: unknown, prefix = ''): string {
	const said = error instanceof Error ? error.message : String(error);
	return prefix === '' || isNodeFailure(error) ? said : `${prefix}: ${said}`;
}

const isNodeFailure = (error: unknown): error is NodeFailure =>
	error instanceof NodeApiError || error instanceof NodeOperationError;

/**
 * Turns any error into n8n's own: NodeApiError where the service was asked, else NodeOperationError.
 *
 * @param prefix what could not be done, e.g. `Document "a1" was not pushed`; put before the message
 * @param advice added to the description
 */
export function nodeError(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex?: number,
	prefix = '',
	advice = '',
): NodeFailure {
	if (isNodeFailure(error)) return error;
	const node = context.getNode();
	const message = failureMessage(error, prefix);
	const own =
		error instanceof ServiceFailure || error instanceof InputError
			? error.description
			: undefined;
	const description = [own, advice].filter(Boolean).join(' ');
	const options = { message, description, ...(itemIndex !== undefined && { itemIndex }) };

	if (!(error instanceof ServiceFailure)) {
		return worded(new NodeOperationError(node, message, options), message);
	}
	const failure = cause(error);
	// Only plain facts go in: the original holds the request with its credentials.
	const apiError = new NodeApiError(node, { message } as JsonObject, {
		...options,
		...(error.httpStatus !== undefined && { httpCode: String(error.httpStatus) }),
		...(failure && { failure }),
	});
	return worded(apiError, message);
}

/**
 * Gives an error our words back: n8n replaces a message that holds the letters of an error code, as
 * the ID "preexisting" holds EEXIST.
 */
function worded<E extends NodeFailure>(error: E, message: string): E {
	error.message = message;
	return error;
}
