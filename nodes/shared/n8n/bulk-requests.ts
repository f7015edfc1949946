import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../flow/backoff';
import { runBulk, type BulkJob, type BulkStats } from '../flow/bulk';
import { judge } from '../service/failure';
import type { Results } from './results';
import { executionClock, isCancel } from './run';

/** Settings of every node that sends many requests, as its Options collection holds them. */
export interface RequestOptions {
	concurrency: number;
	maxAttempts: number;
	timeoutSeconds: number;
}

const DEFAULT_MAX_ATTEMPTS = DEFAULT_RETRY_POLICY.maxAttempts;

/**
 * The option Concurrency.
 *
 * @param concurrency the node's default, chosen by measurement (bench/README.md)
 * @returns a field of the Options collection
 */
export const concurrencyProperty = (concurrency: number): INodeProperties => ({
	displayName: 'Concurrency',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 64 },
	default: concurrency,
	description:
		'How many requests of a kind may be under way at once. Halves by itself while the service answers 429.',
});

/** The option Max Attempts. */
export const maxAttemptsProperty: INodeProperties = {
	displayName: 'Max Attempts',
	name: 'maxAttempts',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 20 },
	default: DEFAULT_MAX_ATTEMPTS,
	description:
		'How often a request is sent before it counts as failed. Only faults that may pass are repeated, after growing waits.',
};

/** The option Request Timeout. */
export const timeoutProperty: INodeProperties = {
	displayName: 'Request Timeout',
	name: 'timeoutSeconds',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 60,
	description: 'Seconds to wait for the reply to one request',
};

/** What the execution and the options give, so that a node does not have to. */
type OwnMembers = 'policy' | 'clock' | 'judge' | 'isFatal' | 'stopOnFailure' | 'concurrency';

/**
 * Runs the bulk engine within an execution: its clock, its cancel, its way to treat failures.
 *
 * @param options the node's, with all numbers in their bounds
 * @param job what to send, and what to do with the outcome of each entry
 * @param idempotent whether a request may be carried out twice without harm
 * @returns counters of the run
 * @throws Cancelled when the execution was stopped, once all requests under way have ended
 */
export async function runRequests<E, R>(
	context: IExecuteFunctions,
	results: Results,
	options: RequestOptions,
	job: Omit<BulkJob<E, R>, OwnMembers>,
	idempotent = true,
): Promise<BulkStats> {
	return await runBulk({
		...job,
		concurrency: options.concurrency,
		policy: retryPolicy(options),
		clock: executionClock(context),
		judge: (error) => judge(error, idempotent),
		isFatal: isCancel,
		stopOnFailure: results.stopsOnFailure,
	});
}

/** How attempts follow each other, and how many there are. */
export const retryPolicy = ({ maxAttempts }: RequestOptions): RetryPolicy => ({
	...DEFAULT_RETRY_POLICY,
	maxAttempts,
});

/** Time-out of one request in ms. */
export const timeoutMs = ({ timeoutSeconds }: Pick<RequestOptions, 'timeoutSeconds'>): number =>
	timeoutSeconds * 1000;
