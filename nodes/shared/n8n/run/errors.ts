import {
	NodeApiError,
	NodeOperationError,
	type IExecuteFunctions,
	type JsonObject,
} from 'n8n-workflow';

import { causeOf } from '../../service/cause';
import { ServiceFailure } from '../../service/failure';
import { InputError, messageOf } from '../../service/input-error';

/** n8n's own errors. */
export type NodeFailure = NodeApiError | NodeOperationError;

/** The execution was stopped, by a person or by the workflow's timeout: never turned into an item. */
export class Canceled extends Error {
	override readonly name = 'Canceled';

	/** @param progress what had been done by then */
	constructor(progress = '') {
		// By this very word n8n records an execution as canceled rather than failed.
		super(['The execution was canceled', progress].filter(Boolean).join('. '));
	}
}

/** What a node's error says beside its cause. */
interface ErrorWords {
	itemIndex?: number | undefined;
	/** Instead of the error's own message. */
	message?: string | undefined;
	/** Added to the description: what to do, or what had been done. */
	advice?: string | undefined;
}

/**
 * Returns what to do about an error, '' if nothing is known.
 *
 * @param further what to do beyond what the error says
 */
export function adviceOf(error: unknown, further?: string): string {
	const advice =
		error instanceof ServiceFailure || error instanceof InputError
			? error.description
			: undefined;
	return [advice, further].filter(Boolean).join(' ');
}

/**
 * Turns any error into n8n's own: NodeApiError if a service was involved, else NodeOperationError.
 * The original never goes in, because it may hold the request with its credentials.
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
	// n8n replaces a message that contains an error code, as the ID 'preexisting' contains EEXIST.
	failure.message = message;
	return failure;
}
