import fc from 'fast-check';

import { sendOne } from '../../../nodes/shared/sending/one-each';
import { ServiceHealth } from '../../../nodes/shared/sending/retry-policy';
import { backoffMs } from '../../../nodes/shared/sending/run-state';
import { Limiter } from '../../../nodes/shared/sending/limiter';
import { poll, type PollOptions } from '../../../nodes/shared/sending/poll';
import { mostInAMinute, perMinute, play } from '../../../support/rate-limited';
import { VirtualClock } from '../../../support/virtual-clock';
import { VirtualRun } from '../../../support/virtual-run';

describe('the pause before another attempt', () => {
	const bounds = { baseMs: 100, capMs: 1000 };

	test('doubles with each failure up to the cap', () => {
		const pauses = [1, 2, 3, 4, 5, 2000].map((failures) => backoffMs(failures, 1, bounds));
		expect(pauses).toEqual([100, 200, 400, 800, 1000, 1000]);
	});

	test('is random between 0 and that value', () => {
		expect([0, 0.25].map((random) => backoffMs(3, random, bounds))).toEqual([0, 100]);
	});
});

/** Sets up a limiter client whose tasks record when they start and how many run at the same time. */
function setUp(max: number) {
	const run = new VirtualRun();
	const { clock } = run;
	const limiterClient = new Limiter().join(run, max);
	const starts: number[] = [];
	let running = 0;
	let peak = 0;
	const task = async (ms: number) =>
		await limiterClient.schedule(async ({ sequence }) => {
			starts.push(clock.now());
			peak = Math.max(peak, ++running);
			await clock.sleep(ms);
			running--;
			return sequence;
		});
	/** Returns the largest number of tasks that run at the same time while many tasks are waiting. */
	const width = async () => {
		peak = 0;
		await clock.run(Promise.all(Array.from({ length: 2 * max }, async () => await task(10))));
		return peak;
	};
	const sequence = async () => await clock.run(task(1));
	return { run, clock, limiterClient, starts, task, width, sequence };
}

test('runs all tasks in order, with the maximum concurrency', async () => {
	const { clock, task, starts, width } = setUp(3);
	const sequences = await clock.run(
		Promise.all(Array.from({ length: 7 }, async () => await task(10))),
	);
	expect(sequences).toEqual([1, 2, 3, 4, 5, 6, 7]);
	expect(starts).toEqual([0, 0, 0, 10, 10, 10, 20]);
	expect(await width()).toBe(3);
});

test('a task that throws frees its slot', async () => {
	const { clock, limiterClient, task } = setUp(1);
	const failing = limiterClient.schedule(async () => await Promise.reject(new Error('no')));
	const next = task(1);
	await expect(clock.run(failing)).rejects.toThrow('no');
	await expect(clock.run(next)).resolves.toBe(2);
});

test('a pause delays all tasks that have not started, and the longest pause counts', async () => {
	const { clock, limiterClient, starts, task, sequence } = setUp(4);
	const first = await sequence();
	limiterClient.noteRefusal(first, { delayMs: 1000 });
	clock.at(500, () => limiterClient.noteRefusal(first, { delayMs: 3000 }));
	clock.at(600, () => limiterClient.noteRefusal(first, { delayMs: 100 }));
	await clock.run(Promise.all([task(10), task(10)]));
	expect(starts[1]).toBe(3500);
});

test('a pause outlasts a run that leaves while another goes on', async () => {
	const run = new VirtualRun();
	const limiter = new Limiter();
	const [limiterClient, other] = [limiter.join(run, 4), limiter.join(run, 4)];
	limiterClient.noteRefusal(1, { delayMs: 3000 });
	other.leave();
	await run.clock.run(limiterClient.schedule(async () => await Promise.resolve()));
	expect(run.clock.now()).toBe(3000);
});

test('the end of a run ends all current and later pauses at once', async () => {
	const { run, clock, limiterClient, starts, task, sequence } = setUp(4);
	limiterClient.noteRefusal(await sequence(), { delayMs: 300_000 });
	clock.at(100, () => run.stop('a failure'));
	await clock.run(Promise.all([task(1), task(1)]));
	expect(starts.slice(1)).toEqual([100, 100]);
	await clock.run(task(1));
	await clock.drain();
	expect(clock.now()).toBeLessThan(110);
});

function twoRuns() {
	const clock = new VirtualClock();
	const limiter = new Limiter();
	const runs = [new VirtualRun({ clock }), new VirtualRun({ clock })] as const;
	const [one, other] = runs;
	const clients = [limiter.join(one, 2), limiter.join(other, 2)] as const;
	const starts: Array<[number, number]> = [];
	const task = async (at: 0 | 1) =>
		await clients[at].schedule(async (turn) => {
			starts.push([at, clock.now()]);
			await clock.sleep(10);
			turn.acceptedAt = clock.now();
		});
	return { clock, runs, clients, starts, task };
}

test('a pause holds for both runs, and the end of one run changes neither the pause nor the queue', async () => {
	const { clock, runs, clients, starts, task } = twoRuns();
	clients[0].noteRefusal(1, { delayMs: 3000 });
	clock.at(100, () => runs[0].stop('canceled'));
	await clock.run(Promise.all([task(0), task(0), task(1)]));
	expect(starts).toEqual([
		[0, 100],
		[0, 100],
		[1, 3000],
	]);
});

test('a run never exceeds its own maximum, even if the other run is idle', async () => {
	const { clock, starts, task } = twoRuns();
	await clock.run(Promise.all([task(0), task(0), task(0), task(1)]));
	expect(starts).toEqual([
		[0, 0],
		[0, 0],
		[1, 0],
		[0, 10],
	]);
});

test('a task that must not wait longer starts during a pause, before earlier tasks', async () => {
	const { clock, clients, starts, task } = twoRuns();
	const [limiterClient] = clients;
	limiterClient.noteRefusal(1, { delayMs: 3000 });
	const urgent = limiterClient.schedule(async () => clock.now(), 500);
	expect(await clock.run(Promise.all([task(0), urgent]))).toEqual([undefined, 500]);
	expect(starts).toEqual([[0, 3000]]);
});

describe('a limit per minute', () => {
	test('spaces all requests evenly at 95% of the limit, including retries', async () => {
		const run = new VirtualRun();
		const limiterClient = new Limiter().join(run, 4, 60);
		const starts: number[] = [];
		const line = {
			run,
			limiterClient,
			health: new ServiceHealth(),
			concurrency: 4,
			retryForMs: 0,
			diagnose: () => ({ action: 'retry' }) as const,
		};
		const send = async () => {
			starts.push(run.now());
			await Promise.reject(new Error('reset'));
		};
		await run.clock.run(Promise.all([sendOne(line, send), sendOne(line, send)]));
		const gaps = starts.slice(1).map((at, index) => at - starts[index]);
		expect(gaps).toHaveLength(3);
		// Timers fire late, so the limiter lets a request start 20 ms early to catch up.
		expect(gaps[0]).toBeCloseTo(1000 / 0.95 - 20, 5);
		for (const gap of gaps.slice(1)) expect(gap).toBeCloseTo(1000 / 0.95, 5);
	});

	test.each([
		['of one process', false, 600],
		['of four workers, each with a quarter of the limit', true, 150],
	])('%s: hardly any 429, and nearly full speed', async (_, apart, limit) => {
		const { sent, accepted, refused, failed, endedAt } = await play({
			admits: perMinute(600),
			executions: 4,
			requests: 600,
			apart,
			limitPerMinute: limit,
			latencyMs: 200,
		});
		expect(failed).toBe(0);
		expect(refused).toBeLessThan(0.01 * sent.length);
		expect(mostInAMinute(sent)).toBeLessThanOrEqual(600);
		expect(accepted.length / (endedAt / 60_000)).toBeGreaterThan(0.9 * 600);
	});

	test('the lowest of several limits counts until its client leaves, and for the request after its last one', async () => {
		const run = new VirtualRun();
		const limiter = new Limiter();
		const next = async (perMinute: number) => {
			const limiterClient = limiter.join(run, 1, perMinute);
			const at = await run.clock.run(limiterClient.schedule(async () => run.now()));
			limiterClient.leave();
			return Math.round((at + 20) * 0.95);
		};
		const slow = limiter.join(run, 1, 60);
		expect(await next(600)).toBe(19);
		expect(await next(0)).toBe(1000);
		slow.leave();
		expect(await next(600)).toBe(2000);
		expect(await next(600)).toBe(2100);
		expect(await next(0)).toBe(2100);
	});

	test('the end of the run ends the wait', async () => {
		const run = new VirtualRun();
		const limiter = new Limiter();
		const limiterClient = limiter.join(run, 1, 1);
		run.clock.at(5000, () => run.stop('stopped'));
		const all = [1, 2, 3].map(async () => await limiterClient.schedule(async () => run.now()));
		await run.clock.run(Promise.all(all));
		expect(run.now()).toBe(5000);
		limiterClient.leave();
		// The two requests that never started do not count against the limit. The next run waits only because of
		// the first request.
		const later = new VirtualRun({ clock: run.clock });
		const next = limiter.join(later, 1, 1);
		const startedAt = await later.clock.run(next.schedule(async () => later.now()));
		expect(startedAt).toBeLessThanOrEqual(60_000 / 0.95);
	});

	test('no minute contains more requests than the limit, for any mix of requests and deadlines', async () => {
		const request = fc.record({
			limiterClient: fc.nat(2),
			atMs: fc.nat(150_000),
			durationMs: fc.nat(5000),
			/** After this time, the request starts even if a pause is still running. */
			ignoresPausesAfterMs: fc.option(fc.nat(20_000), { nil: Infinity }),
			isRefused: fc.boolean(),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.array(request, { maxLength: 60 }),
				fc.integer({ min: 1, max: 40 }),
				async (requests, limit) => {
					const clock = new VirtualClock();
					const limiter = new Limiter();
					const clients = [1, 2, 3].map((max) =>
						limiter.join(new VirtualRun({ clock }), max, limit),
					);
					const starts: number[] = [];
					const send = async (each: (typeof requests)[number]) => {
						await clock.sleep(each.atMs);
						const limiterClient = clients[each.limiterClient];
						await limiterClient.schedule(async (turn) => {
							starts.push(clock.now());
							await clock.sleep(each.durationMs);
							if (each.isRefused)
								limiterClient.noteRefusal(turn.sequence, { delayMs: 1000 });
							else turn.acceptedAt = clock.now();
						}, clock.now() + each.ignoresPausesAfterMs);
					};
					await clock.run(Promise.all(requests.map(send)));
					expect(starts).toHaveLength(requests.length);
					expect(mostInAMinute(starts)).toBeLessThanOrEqual(limit);
				},
			),
			{ numRuns: 60 },
		);
	});

	test('polls and submissions alternate, so that neither waits for long', async () => {
		const run = new VirtualRun();
		const limiter = new Limiter();
		const submitting = limiter.join(run, 8, 60);
		const fetching = limiter.join(run, 8, 60);
		const sent: number[] = [];
		const waits: number[] = [];
		const health = new ServiceHealth();
		const optionsOf = ({ since }: { since: number }): PollOptions<string> => ({
			run,
			health,
			limiterClient: fetching,
			intervals: { firstMs: 500, longestMs: 10_000 },
			deadline: since + 60_000,
			check: async () => {
				sent.push(run.now());
				await run.clock.sleep(50);
				return run.now() - since >= 5000
					? { state: 'finished', response: 'done' }
					: { state: 'pending' };
			},
			diagnose: () => ({ action: 'fail' }),
			expire: () => ({ state: 'failed', reason: 'timeout' }),
		});
		const consume = async () => {
			const polls: Array<Promise<void>> = [];
			for (let text = 0; text < 60; text++) {
				const job = await submitting.schedule(async () => {
					sent.push(run.now());
					await run.clock.sleep(50);
					return { since: run.now() };
				});
				polls.push(
					poll(optionsOf(job)).then((outcome) => {
						expect(outcome).toMatchObject({ ok: true });
						waits.push(run.now() - job.since);
					}),
				);
			}
			await Promise.all(polls);
		};
		await run.clock.run(consume());
		expect(waits).toHaveLength(60);
		expect(mostInAMinute(sent)).toBeLessThanOrEqual(60);
		expect(Math.max(...waits)).toBeLessThan(10_000);
		// If all polls went ahead of the submissions, this run would take 378 s.
		expect(run.now()).toBeLessThan(240_000);
	});
});
