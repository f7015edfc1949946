import { LimiterClient, Limiter } from '../../../nodes/shared/flow/limiter';
import { bucket, perSecond } from '../../../sandbox/rates';
import { atRandom, play } from '../../../support/rate-limited';
import {
	FOUR_AT_ONCE,
	RATE_LIMITS,
	TEN_MINUTES,
	type RateLimit,
} from '../../../support/rate-limits';
import { VirtualRun } from '../../../support/virtual-run';

// Simulated hours take seconds of processor time, which a busy machine stretches.
jest.setTimeout(120_000);

/** As long as it takes to learn: ten minutes after long pauses, otherwise 6,000 requests or 1,000,000 documents. */
const secondsFor = ({ allowed, load }: RateLimit) => {
	const requests = Math.min(6000, 1_000_000 / (load?.perRequest ?? 1));
	return load?.retryAfterMs === 5000 ? TEN_MINUTES : Math.min(TEN_MINUTES, requests / allowed);
};

describe('a service that accepts only so many requests: none fails, and few are refused', () => {
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

test('a limit that is lifted is forgotten within half a minute, if refusals cost little', async () => {
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

	test('from a limiter: whatever the dice say, no batch is split so often that requests fail', async () => {
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

	test.each([
		[429, undefined, true],
		[503, 1000, true],
		[503, undefined, false],
	])('status %i, Retry-After %p: all requests pause: %p', async (status, delayMs, pausesAll) => {
		const run = new VirtualRun();
		const limiterClient = new LimiterClient(new Limiter(), run, 1);
		const down = status === 503 ? { serviceMayBe: 'down' as const } : {};
		const verdict = { ...down, ...(delayMs !== undefined && { delayMs }) };
		const pauses = limiterClient.schedule(async ({ sequence }) =>
			Promise.resolve(limiterClient.noteRefusal(sequence, verdict)),
		);
		expect(await run.clock.run(pauses)).toBe(pausesAll);
		const startedAt = limiterClient.schedule(async () => Promise.resolve(run.now()));
		expect((await run.clock.run(startedAt)) > 0).toBe(pausesAll);
	});
});

function setUp(max: number) {
	const run = new VirtualRun();
	const limiter = new Limiter();
	const limiterClient = new LimiterClient(limiter, run, max);
	const starts: number[] = [];
	/**
	 * Sends this many requests, of which the service accepts the first ones. Returns the start time of each
	 * request.
	 */
	const send = async (count: number, accepted = count, through = limiterClient) => {
		starts.length = 0;
		const one = async (at: number) =>
			await through.schedule(async (turn) => {
				starts.push(run.now());
				await run.clock.sleep(at < accepted ? 100 : 50);
				if (at < accepted) turn.acceptedAt = run.now();
				else through.noteRefusal(turn.sequence, { delayMs: 1000 });
			});
		const begin = run.now();
		await run.clock.run(Promise.all(Array.from({ length: count }, (_, at) => one(at))));
		return starts.map((at) => Math.round(at - begin));
	};
	return { run, limiter, limiterClient, send };
}

test('after a pause requests start one by one, one more in flight for each success', async () => {
	const { send } = setUp(8);
	// The service accepted no request, so the limiter does not know how many may be in flight.
	await send(1, 0);
	expect(await send(8)).toEqual([1000, 1100, 1100, 1200, 1200, 1200, 1200, 1300]);
});

test('the window shrinks to the number of requests that the service accepted at once', async () => {
	const { send } = setUp(8);
	await send(8, 3);
	await send(6);
	expect(await send(6)).toEqual([0, 0, 0, 100, 100, 100]);
});

test('after a refusal requests start evenly, at 95 % of the rate that was refused', async () => {
	const { send } = setUp(1);
	await send(21, 20);
	const starts = await send(20);
	// The service refused 20 requests in 2.05 s. So the limiter allows 95 % of 9.76 requests per second. A
	// request may start 20 ms early.
	const lastMs = (starts[19] ?? 0) - (starts[0] ?? 0);
	expect(lastMs).toBeGreaterThanOrEqual(Math.floor((19 * 1000) / (0.95 * 9.76)) - 20);
	expect(lastMs).toBeLessThan(2100);
});

test('hours in which nothing is sent do not make the rate look low', async () => {
	const { run, send } = setUp(1);
	await send(1, 0);
	await send(20);
	await run.clock.run(run.clock.sleep(3_600_000));
	await send(1, 0);
	const starts = await send(10);
	expect((starts[9] ?? 0) - (starts[0] ?? 0)).toBeLessThan(2000);
});

test('the learned limit is forgotten after the last run that uses the limiter', async () => {
	const { run, limiter, limiterClient, send } = setUp(1);
	const other = new LimiterClient(limiter, run, 1);
	await send(21, 20);
	limiterClient.leave();
	const starts = await send(1, 1, other);
	expect(starts[0]).toBeGreaterThan(900);
	await send(1, 0, other);
	other.leave();
	expect(await send(1, 1, new LimiterClient(limiter, run, 1))).toEqual([0]);
});

test('a poll whose deadline has come does not wait for the rate', async () => {
	const { run, limiterClient, send } = setUp(1);
	await send(21, 20);
	await send(2);
	const waiting = limiterClient.schedule(async () => Promise.resolve(run.now()), run.now());
	const begin = run.now();
	expect(await run.clock.run(waiting)).toBe(begin);
});
