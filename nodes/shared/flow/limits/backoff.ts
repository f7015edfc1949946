/** How often a request is sent, and how long to wait in between. */
export interface RetryPolicy {
	/** Attempts in total, including the first one; those that the service refused with 429 do not count. */
	maxAttempts: number;
	/** How long a request is sent again after 429, counted from the first one. */
	maxRefusedMs: number;
	/** Upper bound of the first delay; it doubles with each attempt. */
	baseMs: number;
	/** No delay is longer, unless the service asks for it. */
	capMs: number;
}

/** For requests that no parameter limits. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
	maxAttempts: 5,
	maxRefusedMs: 300_000,
	baseMs: 500,
	capMs: 30_000,
};

/**
 * Delay before the next attempt: exponential with full jitter, so that many workers do not retry
 * at the same moment, and at least as long as the service asked for.
 *
 * @param attempt number of the attempt that failed, from 1
 * @param random from 0 up to 1
 * @param askedMs what the service asked for
 * @returns milliseconds
 */
export function backoffMs(
	attempt: number,
	{ baseMs, capMs }: RetryPolicy,
	random: number,
	askedMs = 0,
): number {
	return Math.max(random * Math.min(capMs, baseMs * 2 ** (attempt - 1)), askedMs);
}
