export interface RetryPolicy {
	/** Attempts in all, the first included. */
	maxAttempts: number;
	/** Upper bound of the first wait; it doubles with each attempt. */
	baseMs: number;
	/** No wait is longer, unless the service asks for it. */
	capMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxAttempts: 5, baseMs: 500, capMs: 30_000 };

/** A service may ask for a longer pause than a person would wait; this is the most it gets. */
export const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Wait before the next attempt: exponential with full jitter, so that many workers do not come
 * back at the same moment; at least as long as the service asked.
 *
 * @param attempt number of the attempt that failed, from 1
 */
export function backoffMs(
	attempt: number,
	policy: RetryPolicy,
	random: () => number,
	retryAfterMs = 0,
): number {
	const bound = Math.min(policy.capMs, policy.baseMs * 2 ** (attempt - 1));
	return Math.max(random() * bound, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
}
