import { DEFAULT_RETRY_POLICY } from '../../flow/limits/backoff';
import type { Line } from '../../flow/deliver';
import { Limiter } from '../../flow/limits/limiter';
import { judge, ServiceFailure } from '../../service/failure';
import { properties, property } from '../parameters/properties';
import type { Run } from '../run/run';
import type { Session } from './session';
import { joinThrottle } from './throttles';

const DEFAULT_MAX_ATTEMPTS = DEFAULT_RETRY_POLICY.maxAttempts;

/** The option Max Wait for Rate Limit. */
export const maxRefusedProperty = property({
	displayName: 'Max Wait for Rate Limit (Seconds)',
	name: 'maxRefusedSeconds',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 1 },
	default: 300,
	description:
		'How long a request is sent again while the service answers with 429, or with 503 and Retry-After, before it counts as failed. Counted from its first such answer.',
});

/**
 * The options of all nodes that send many requests, in the order in which they are used.
 *
 * @param concurrency default of the option, each node's own, chosen by measurement (bench/README.md)
 */
export const requestProperties = (concurrency: number) =>
	properties([
		{
			displayName: 'Concurrency',
			name: 'concurrency',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 64 },
			default: concurrency,
			description:
				'Maximum number of concurrent requests. Fewer, and with pauses, while the service answers with 429.',
		},
		{
			displayName: 'Max Requests per Minute',
			name: 'maxRequestsPerMinute',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description:
				'Limit of requests in any minute, or 0 for none. They are sent evenly at 95% of it. All executions of a worker with the same credential share the lowest limit. With several workers, divide it by their number.',
		},
		{
			displayName: 'Max Attempts',
			name: 'maxAttempts',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: 20 },
			default: DEFAULT_MAX_ATTEMPTS,
			description:
				'How often a request is sent before it counts as failed. Only transient errors are retried, after growing delays. Requests that the service refused with 429 do not count.',
		},
		{
			displayName: 'Request Timeout (Seconds)',
			name: 'timeoutSeconds',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 3 },
			default: 60,
			description: 'How long to wait for the complete response to one request',
		},
		maxRefusedProperty,
	]);

/** What the requests of one kind in a run share. */
export type RequestLine = Line & { concurrency: number };

/**
 * What the requests of one kind in a run share: its limiter, its retries, and what follows from a
 * failure. To be made once for each kind. What the service can take is shared by all runs with its credential.
 *
 * @param kind whether a request may take effect twice without harm, and whether these requests come before
 *   others to the service
 */
export function requestLine(
	run: Run,
	session: Session | undefined,
	{
		concurrency = 1,
		maxAttempts = DEFAULT_MAX_ATTEMPTS,
		maxRefusedSeconds,
		maxRequestsPerMinute,
	}: {
		concurrency?: number;
		maxAttempts?: number;
		maxRefusedSeconds: number;
		maxRequestsPerMinute?: number;
	},
	{ idempotent, comeFirst }: { idempotent: boolean; comeFirst?: boolean },
): RequestLine {
	const { throttle, pace, leave } = joinThrottle(
		session?.throttleKey,
		concurrency,
		maxRequestsPerMinute,
		run.now(),
	);
	run.onOver(leave);
	const maxRefusedMs = maxRefusedSeconds * 1000;
	return {
		run,
		concurrency,
		limiter: new Limiter(concurrency, run, throttle, pace, comeFirst),
		retryPolicy: { ...DEFAULT_RETRY_POLICY, maxAttempts, maxRefusedMs },
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
