import { properties } from './property';

export const RETRY_FOR_SECONDS = 60;

/** AI agents wait for their tools, so a tool must not keep retrying for long. */
export const RETRY_FOR_SECONDS_IN_TOOLS = 10;

/**
 * Returns the options shared by all nodes that send many requests.
 *
 * @param concurrency default for the Concurrency option. Each node's default was determined by benchmarks
 *   (bench/README.md)
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
				'Maximum number of requests at a time. The node slows down automatically when the service returns 429.',
		},
		{
			displayName: 'Max Requests per Minute',
			name: 'maxRequestsPerMinute',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description:
				'Maximum number of requests per minute, or 0 for no limit. If you have several workers, divide the limit by the number of workers.',
		},
		{
			displayName: 'Retry For (Seconds)',
			name: 'retryForSeconds',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: RETRY_FOR_SECONDS,
			description:
				'How long to keep retrying a request after temporary errors. The pauses between attempts grow. The node retries at least once. At most 10 seconds in tools of an AI agent.',
		},
		{
			displayName: 'Request Timeout (Seconds)',
			name: 'timeoutSeconds',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 60,
			description: 'How long to wait for the complete response to one request',
		},
	]);
