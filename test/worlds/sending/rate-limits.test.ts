import { bucket, perSecond } from '../../../sandbox/rates';
import { atRandom, play } from '../../../support/rate-limited';
import {
	FOUR_AT_ONCE,
	RATE_LIMITS,
	TEN_MINUTES,
	type RateLimit,
} from '../../../support/rate-limits';

jest.setTimeout(120_000);

/** Returns the number of seconds that the limiter needs to learn a limit. */
const secondsFor = ({ allowed, load }: RateLimit) => {
	const requests = Math.min(6000, 1_000_000 / (load?.perRequest ?? 1));
	return load?.retryAfterMs === 5000 ? TEN_MINUTES : Math.min(TEN_MINUTES, requests / allowed);
};

describe('a service that limits requests: none fails, and few are refused', () => {
	const rows = RATE_LIMITS.filter(({ goal }) => goal !== undefined);

	test.each(rows.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
		const { allowed, goal = 0, admits, load } = row;
		const seconds = secondsFor(row);
		const { failed, rate, refusedShare } = await play({
			...load,
			admits: admits(),
			seconds,
		});
		expect(failed).toBe(0);
		expect(rate(0) / allowed).toBeGreaterThanOrEqual(goal);
		expect(refusedShare(0)).toBeLessThan(1 / 2);
		expect(refusedShare(Math.min(60, seconds / 2) * 1000)).toBeLessThan(1 / 10);
	});

	test('four at the same time, Retry-After 1 s', async () => {
		const { failed, endedAt, refused, accepted } = await play(FOUR_AT_ONCE.load());
		expect(failed).toBe(0);
		expect(endedAt / 1000).toBeLessThan(FOUR_AT_ONCE.most);
		expect(refused).toBeLessThan(accepted.length / 10);
	});

	test.each([
		['50/s, burst 10', 7.8, () => bucket(50, 10)],
		['100/s, burst 20', 3.8, () => bucket(100, 20)],
	])('%s: 400 requests take at most 1.5 times the time', async (_title, seconds, admits) => {
		const { failed, endedAt, refused } = await play({ admits: admits(), requests: 400 });
		expect(failed).toBe(0);
		expect(endedAt / 1000).toBeLessThan(1.5 * seconds);
		expect(refused).toBeLessThan(200);
	});
});

test('a lifted limit is forgotten within half a minute, if refusals cost little', async () => {
	const strict = perSecond(10);
	const admits = (now: number) => now > 10_000 || strict(now, 0);
	const { accepted } = await play({ admits, executions: 4, seconds: 42, latencyMs: 40 });
	expect(accepted.filter((at) => at >= 40_000).length / 2).toBeGreaterThan(50);
});

describe('503 without Retry-After', () => {
	test.each([
		[0.1, 200],
		[0.3, 200],
		[0.1, 2000],
		[0.3, 2000],
	])(
		'at random, %d of %i requests: at most twice the time of 504, and none fails',
		async (share, requests) => {
			const seconds = { 503: 0, 504: 0 };
			for (const status of [503, 504] as const) {
				for (let seed = 1; seed <= 5; seed++) {
					const load = { admits: atRandom(share), requests, status, seed };
					const { failed, endedAt } = await play(load);
					expect(failed).toBe(0);
					seconds[status] += endedAt / 1000;
				}
			}
			expect(seconds[503]).toBeLessThan(2 * seconds[504]);
		},
	);

	test('from a rate limit never splits a batch so often that requests fail', async () => {
		for (let seed = 1; seed <= 10; seed++) {
			const { failed, refused, accepted } = await play({
				admits: bucket(10, 20),
				requests: 200,
				perRequest: 500,
				status: 503,
				seed,
			});
			expect(failed).toBe(0);
			expect(refused).toBeLessThan(accepted.length / 2);
		}
	});
});
