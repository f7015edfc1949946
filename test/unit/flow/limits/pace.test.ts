import fc from 'fast-check';

import { deliver } from '../../../../nodes/shared/flow/deliver';
import { Limiter } from '../../../../nodes/shared/flow/limits/limiter';
import { Pace } from '../../../../nodes/shared/flow/limits/pace';
import { poll } from '../../../../nodes/shared/flow/poll';
import { Throttle } from '../../../../nodes/shared/flow/limits/throttle';
import { mostInAMinute, perMinute, perSecond, play } from '../../support/rate-limited';
import { VirtualRun } from '../../support/virtual-run';

const paced = (limit: number) => {
	const pace = new Pace();
	pace.join(limit);
	return pace;
};

test('requests are sent evenly at 95 % of the limit, retries included', async () => {
	const run = new VirtualRun();
	const limiter = new Limiter(4, run, undefined, paced(60));
	const starts: number[] = [];
	const line = {
		run,
		limiter,
		retryPolicy: { maxAttempts: 3, maxRefusedMs: 300_000, baseMs: 1, capMs: 1 },
		judge: () => ({ action: 'retry' }) as const,
	};
	const send = async () => {
		starts.push(run.now());
		await Promise.reject(new Error('reset'));
	};
	await run.clock.run(Promise.all([deliver(send, line), deliver(send, line)]));
	const gaps = starts.slice(1).map((at, index) => at - starts[index]);
	expect(gaps).toHaveLength(5);
	for (const gap of gaps.slice(1)) expect(gap).toBeCloseTo(1000 / 0.95, 5);
	// Timers are late: starts may catch up 20 ms.
	expect(gaps[0]).toBeCloseTo(1000 / 0.95 - 20, 5);
});

test('without a limit nothing waits', async () => {
	const { endedAt } = await play({
		admits: () => true,
		executions: 2,
		requests: 100,
		concurrency: 100,
		latencyMs: 10,
		limitPerMinute: 0,
	});
	expect(endedAt).toBeLessThan(100);
});

test.each([
	['of one process', false, 600],
	['of four workers, each with a quarter of the limit', true, 150],
])(
	'four executions %s: hardly a 429, and nearly all that the service takes',
	async (_, apart, limitPerMinute) => {
		const { sent, accepted, refused, failed, endedAt } = await play({
			admits: perMinute(600),
			executions: 4,
			requests: 600,
			apart,
			limitPerMinute,
			latencyMs: 200,
		});
		expect(failed).toBe(0);
		expect(refused).toBeLessThan(0.01 * sent.length);
		expect(mostInAMinute(sent)).toBeLessThanOrEqual(600);
		expect(accepted.length / (endedAt / 60_000)).toBeGreaterThan(0.9 * 600);
	},
);

test('a 429 slows down further', async () => {
	const { sent, refused, failed, rate } = await play({
		admits: perSecond(4),
		executions: 2,
		requests: 200,
		limitPerMinute: 600,
	});
	expect(failed).toBe(0);
	// A quarter of the requests and more would be refused otherwise.
	expect(refused).toBeLessThan(0.15 * sent.length);
	expect(rate(20_000)).toBeGreaterThan(2.5);
});

test('of several limits the lowest counts, as long as it is used', () => {
	const pace = new Pace();
	const intervalMs = () => {
		pace.start(1_000_000);
		const before = pace.delayMs(1_000_000);
		pace.start(1_000_000);
		return Math.round((pace.delayMs(1_000_000) - before) * 0.95);
	};
	pace.join(0);
	expect(pace.isLimited).toBe(false);
	const leave = pace.join(600);
	expect(intervalMs()).toBe(100);
	const leaveLowest = pace.join(60);
	expect(intervalMs()).toBe(1000);
	leaveLowest();
	expect(intervalMs()).toBe(100);
	leave();
	expect(pace.isLimited).toBe(false);
});

test('what was sent counts for whatever comes after it', async () => {
	const pace = new Pace();
	const starts: number[] = [];
	const clock = new VirtualRun().clock;
	for (let execution = 0; execution < 4; execution++) {
		const leave = pace.join(60);
		const limiter = new Limiter(4, new VirtualRun({ clock }), undefined, pace);
		await clock.run(limiter.schedule(async () => await Promise.resolve(clock.now())));
		starts.push(Math.round((clock.now() + 20) * 0.95));
		leave();
	}
	expect(starts.slice(1)).toEqual([1000, 2000, 3000]);
	expect(pace.isOver(clock.now())).toBe(false);
	expect(pace.isOver(clock.now() + 1100)).toBe(true);
});

test('a request that is sent later than it started takes another place, unless it is the last one', () => {
	const pace = paced(60);
	const interval = 1000 / 0.95;
	const next = (now: number) => now + pace.delayMs(now);
	pace.start(10_000);
	// It waits half a second for a token.
	expect(pace.startAgain(10_500, 10_000)).toBe(0);
	expect(next(10_500)).toBeCloseTo(10_500 + interval, 5);
	// Another one starts while it waits.
	pace.start(11_600);
	expect(pace.startAgain(12_000, 10_500)).toBeCloseTo(interval - 400 - 20, 0);
	expect(next(12_000)).toBeCloseTo(11_580 + 2 * interval, 0);
	// One that was sent and is sent again takes another one in any case.
	expect(pace.startAgain(12_000)).toBeGreaterThan(interval);
	expect(new Pace().startAgain(1)).toBe(0);
});

test('the end of the run ends the wait', async () => {
	const run = new VirtualRun();
	const limiter = new Limiter(1, run, undefined, paced(1));
	run.clock.at(5000, () => run.stop('stopped'));
	const all = [1, 2, 3].map(async () => await limiter.schedule(async () => run.now()));
	await run.clock.run(Promise.all(all));
	expect(run.now()).toBe(5000);
});

test('no minute has more requests than the limit, whatever sends them and until when', async () => {
	const request = fc.record({
		limiter: fc.nat(2),
		atMs: fc.nat(150_000),
		durationMs: fc.nat(5000),
		/** By then it starts whatever the service has asked for. */
		patienceMs: fc.option(fc.nat(20_000), { nil: Infinity }),
		isRefused: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.array(request, { maxLength: 60 }),
			fc.integer({ min: 1, max: 40 }),
			async (requests, limit) => {
				const clock = new VirtualRun().clock;
				const throttle = new Throttle();
				throttle.join(6);
				const pace = paced(limit);
				const limiters = [1, 2, 3].map(
					(max) => new Limiter(max, new VirtualRun({ clock }), throttle, pace, max === 2),
				);
				const starts: number[] = [];
				const send = async (each: (typeof requests)[number]) => {
					await clock.sleep(each.atMs);
					const limiter = limiters[each.limiter];
					await limiter.schedule(async (ticket) => {
						starts.push(clock.now());
						await clock.sleep(each.durationMs);
						if (each.isRefused) limiter.throttled(ticket, 1000);
						else limiter.succeeded();
					}, clock.now() + each.patienceMs);
				};
				await clock.run(Promise.all(requests.map(send)));
				expect(starts).toHaveLength(requests.length);
				expect(mostInAMinute(starts)).toBeLessThanOrEqual(limit);
			},
		),
		{ numRuns: 100 },
	);
});

describe('jobs', () => {
	/** Submits texts and polls their jobs with one limit, as Chunk Text does. */
	const chunk = async (texts: number, limit: number, { readyMs = 5000, maxWaitMs = 60_000 }) => {
		const run = new VirtualRun();
		const pace = paced(limit);
		const throttle = new Throttle();
		throttle.join(16);
		const submitting = new Limiter(8, run, throttle, pace);
		const fetching = new Limiter(8, run, throttle, pace, true);
		const log: Array<{ what: string; at: number }> = [];
		const waits: number[] = [];
		async function* jobs() {
			for (let text = 0; text < texts; text++) {
				yield await submitting.schedule(async () => {
					log.push({ what: 'submit', at: run.now() });
					await run.clock.sleep(50);
					return { since: run.now() };
				});
			}
		}
		const outcomes = poll(jobs(), {
			run,
			limiter: fetching,
			intervals: { startMs: 500, capMs: 10_000 },
			retryPolicy: { maxAttempts: 1, maxRefusedMs: 300_000, baseMs: 1, capMs: 1 },
			deadlineOf: ({ since }) => since + maxWaitMs,
			check: async ({ since }) => {
				log.push({ what: 'poll', at: run.now() });
				await run.clock.sleep(50);
				return run.now() - since >= readyMs
					? { state: 'finished', response: 'done' }
					: { state: 'pending' };
			},
			judge: () => ({ action: 'fail' }),
			expire: () => ({ state: 'failed', reason: 'timeout' }),
		});
		const all: boolean[] = [];
		const consume = async () => {
			for await (const { job, outcome } of outcomes) {
				all.push(outcome.ok);
				waits.push(run.now() - job.since);
			}
		};
		await run.clock.run(consume());
		return { log, waits, failed: all.filter((ok) => !ok).length };
	};

	test('are polled before more texts are submitted, so that no job waits for long', async () => {
		const { log, waits, failed } = await chunk(60, 60, {});
		expect(failed).toBe(0);
		expect(waits).toHaveLength(60);
		expect(mostInAMinute(log.map(({ at }) => at))).toBeLessThanOrEqual(60);
		// 9 s and more if submissions had an equal share.
		expect(Math.max(...waits)).toBeLessThan(8000);
	});

	test('do not lose the time in which they may not be polled', async () => {
		// It is polled every 5 s or so: the second time would be the last one otherwise.
		const { failed, log } = await chunk(1, 12, { readyMs: 15_000, maxWaitMs: 8000 });
		expect(failed).toBe(0);
		expect(log.map(({ what }) => what)).toEqual(['submit', 'poll', 'poll', 'poll']);
	});

	test('that never finish run out of time all the same', async () => {
		const { failed } = await chunk(5, 60, { readyMs: Infinity, maxWaitMs: 20_000 });
		expect(failed).toBe(5);
	});
});
