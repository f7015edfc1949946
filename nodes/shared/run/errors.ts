import {
	NodeApiError,
	NodeOperationError,
	type IExecuteFunctions,
	type Failure as FailureOfN8n,
	type JsonObject,
} from 'n8n-workflow';

import { isTransientStatus, ServiceFailure } from '../service/failure';
import { InputError, messageOf } from '../service/input-error';

export type NodeError = NodeApiError | NodeOperationError;

/** Thrown when a user or the workflow's timeout stops the execution. This error must never become an item. */
export class Canceled extends Error {
	override readonly name = 'Canceled';

	constructor(progress = '') {
		// The word "canceled" makes n8n record the execution as canceled instead of failed.
		super(['The execution was canceled', progress].filter(Boolean).join('. '));
	}
}

interface ErrorWords {
	itemIndex?: number | undefined;
	message?: string | undefined;
	/** Text to add to the description. The text contains advice, or says what the run has done so far. */
	advice?: string | undefined;
}

/**
 * Returns what to do about an error, or '' if there is no advice.
 *
 * @param further advice that is appended to the error's own advice
 */
export function adviceOf(error: unknown, further?: string): string {
	const advice =
		error instanceof ServiceFailure || error instanceof InputError
			? error.description
			: undefined;
	return [advice, further].filter(Boolean).join(' ');
}

/**
 * Converts any error to an n8n error. An error from a service becomes a NodeApiError, and any other error becomes a
 * NodeOperationError. The result does not contain the original error, because the original may contain the request and
 * the request's credentials.
 */
export function nodeError(
	context: IExecuteFunctions,
	error: unknown,
	{ itemIndex, message = messageOf(error), advice }: ErrorWords = {},
): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	const node = context.getNode();
	const isOfService = error instanceof ServiceFailure;
	const description = adviceOf(error, advice);
	const cause = isOfService ? causeOf(error) : undefined;
	const options = {
		message,
		description,
		...(itemIndex !== undefined && { itemIndex }),
		...(cause && { failure: cause }),
	};
	const httpCode = isOfService && error.httpStatus !== undefined && String(error.httpStatus);
	const failure = isOfService
		? new NodeApiError(node, { message } as JsonObject, {
				...options,
				...(httpCode && { httpCode }),
			})
		: new NodeOperationError(node, message, options);
	// n8n replaces a message that contains an error code, even inside a word. For example, 'preexisting' contains
	// EEXIST. Therefore, the original message is restored.
	failure.message = message;
	return failure;
}

/**
 * Returns the cause of a failure, in n8n's terms. An error workflow or an agent can use it to decide what to do.
 *
 * @returns undefined if there are several possible causes. For example, status 403 may mean that a firewall rejected
 *   one document, or that the key belongs to another data source.
 */
export function causeOf(failure: ServiceFailure): FailureOfN8n | undefined {
	const { kind, httpStatus = 0, isTransient, actionableCause } = failure;
	if (actionableCause !== undefined) return { cause: actionableCause };
	switch (kind) {
		case 'status':
			return causeOfStatus(httpStatus, failure);
		case 'token':
			return isTransient
				? (causeOfStatus(httpStatus, failure) ?? { cause: 'temporarily-unavailable' })
				: { cause: 'configuration-invalid' };
		case 'transport':
			return { cause: isTransient ? 'temporarily-unavailable' : 'configuration-invalid' };
		default:
			return undefined;
	}
}

function causeOfStatus(status: number, { retryAfterMs }: ServiceFailure): FailureOfN8n | undefined {
	const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
	if (status === 429) return { cause: 'rate-limited', ...wait };
	if (isTransientStatus(status)) return { cause: 'temporarily-unavailable', ...wait };
	if (status === 401) return { cause: 'credential-invalid' };
	const isRedirect = status >= 300 && status < 400;
	return isRedirect || status === 407 ? { cause: 'configuration-invalid' } : undefined;
}
