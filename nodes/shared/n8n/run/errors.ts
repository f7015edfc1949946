import {
	NodeApiError,
	NodeOperationError,
	type IExecuteFunctions,
	type JsonObject,
} from 'n8n-workflow';

import { causeOf } from '../../service/cause';
import { ServiceFailure } from '../../service/failure';
import { InputError, messageOf } from '../../service/input-error';

/** The two error classes of n8n that a node may throw. */
export type NodeFailure = NodeApiError | NodeOperationError;

/** Is thrown when a person or the workflow's timeout stops the execution. It must never become an item. */
export class Canceled extends Error {
	override readonly name = 'Canceled';

	/** @param progress what the run has done so far */
	constructor(progress = '') {
		// The word "canceled" makes n8n record the execution as canceled and not as failed.
		super(['The execution was canceled', progress].filter(Boolean).join('. '));
	}
}

/** Details of a node's error besides its cause. */
interface ErrorWords {
	itemIndex?: number | undefined;
	/** Replaces the message of the original error. */
	message?: string | undefined;
	/** Is added to the description: what to do, or what has been done so far. */
	advice?: string | undefined;
}

/**
 * Returns what to do about an error, or '' if nothing is known.
 *
 * @param further advice that is added to the advice of the error
 */
export function adviceOf(error: unknown, further?: string): string {
	const advice =
		error instanceof ServiceFailure || error instanceof InputError
			? error.description
			: undefined;
	return [advice, further].filter(Boolean).join(' ');
}

/**
 * Turns any error into an error of n8n: a NodeApiError if it comes from a service, otherwise a NodeOperationError. The
 * result does not contain the original error, because that may contain the request with its credentials.
 */
export function nodeError(
	context: IExecuteFunctions,
	error: unknown,
	{ itemIndex, message = messageOf(error), advice }: ErrorWords = {},
): NodeFailure {
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
	// n8n replaces messages that contain an error code. The ID 'preexisting', for example, contains EEXIST.
	failure.message = message;
	return failure;
}
