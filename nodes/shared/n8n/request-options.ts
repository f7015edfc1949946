import { DEFAULT_RETRY_POLICY } from '../flow/backoff';
import type { Line } from '../flow/deliver';
import { Limiter } from '../flow/limiter';
import { judge, ServiceFailure } from '../service/failure';
import { property } from './properties';
import type { Run } from './run';

const DEFAULT_MAX_ATTEMPTS = DEFAULT_RETRY_POLICY.maxAttempts;

/** The option Concurrency; its default is each node's own, chosen by measurement (bench/README.md). */
export const concurrencyProperty = (concurrency: number) => ({
	...CONCURRENCY,
	default: concurrency,
});

const CONCURRENCY = property({
	displayName: 'Concurrency',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 64 },
	default: 1,
	description:
		'Maximum number of concurrent requests. Reduced automatically while the service answers with 429.',
});

/** The option Max Attempts. */
export const maxAttemptsProperty = property({
	displayName: 'Max Attempts',
	name: 'maxAttempts',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 20 },
	default: DEFAULT_MAX_ATTEMPTS,
	description:
		'How often a request is sent before it counts as failed. Only transient errors are retried, after growing delays.',
});

/** The option Request Timeout. */
export const timeoutProperty = property({
	displayName: 'Request Timeout (Seconds)',
	name: 'timeoutSeconds',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 3 },
	default: 60,
	description: 'How long to wait for the complete response to one request',
});

/**
 * What the requests of a run share: its limiter, its retries, and what follows from a failure.
 *
 * @param idempotent whether a request may take effect twice without harm
 */
export function requestLine(
	run: Run,
	{ concurrency = 1, maxAttempts }: { concurrency?: number; maxAttempts: number },
	idempotent: boolean,
): Line & { concurrency: number } {
	return {
		run,
		concurrency,
		limiter: new Limiter(concurrency, run),
		retryPolicy: { ...DEFAULT_RETRY_POLICY, maxAttempts },
		judge: (error) => judge(error, { idempotent }),
		withHistory: (reason, earlier) =>
			// A refused connection says nothing about an earlier attempt that may have taken effect.
			reason instanceof ServiceFailure &&
			earlier instanceof ServiceFailure &&
			earlier.outcomeUnknown
				? reason.afterUnknownOutcome()
				: reason,
	};
}
