import fc from 'fast-check';

import { backoffMs, DEFAULT_RETRY_POLICY } from '../../../../nodes/shared/flow/limits/backoff';

const policy = { maxAttempts: 5, maxRefusedMs: 300_000, baseMs: 100, capMs: 1000 };
const most = 1;
const least = 0;

test('the bound doubles with each attempt up to the cap', () => {
	const bounds = [1, 2, 3, 4, 5, 6, 2000].map((attempt) => backoffMs(attempt, policy, most));
	expect(bounds).toEqual([100, 200, 400, 800, 1000, 1000, 1000]);
});

test('the delay is anything from 0 to the bound', () => {
	expect(backoffMs(3, policy, least)).toBe(0);
	expect(backoffMs(3, policy, 0.25)).toBe(100);
});

test('waits at least as long as the service asked', () => {
	expect(backoffMs(1, policy, least, 7000)).toBe(7000);
	expect(backoffMs(4, policy, most, 500)).toBe(800);
});

test('any delay lies between what the service asked and the larger of the limits', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 5000 }),
			fc.nat(1_000_000),
			fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
			(attempt, retryAfterMs, chance) => {
				const ms = backoffMs(attempt, DEFAULT_RETRY_POLICY, chance, retryAfterMs);
				expect(ms).toBeGreaterThanOrEqual(retryAfterMs);
				expect(ms).toBeLessThanOrEqual(Math.max(retryAfterMs, DEFAULT_RETRY_POLICY.capMs));
			},
		),
	);
});
