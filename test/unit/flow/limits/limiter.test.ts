import fc from 'fast-check';

import { Limiter } from '../../../../nodes/shared/flow/limits/limiter';
import { VirtualRun } from '../../support/virtual-run';

/** A limiter with tasks of a given length that note when they began and how many ran. */
function setUp(max: number) {
	const run = new VirtualRun();
	const { clock } = run;
	const limiter = new Limiter(max, run);
	const starts: number[] = [];
	let running = 0;
	let peak = 0;
	const task = async (ms: number) =>
		await limiter.schedule(async (ticket) => {
			starts.push(clock.now());
			peak = Math.max(peak, ++running);
			await clock.sleep(ms);
			running--;
			return ticket;
		});
	/** Most tasks that ran at once in a wave of many. */
	const width = async () => {
		peak = 0;
		await clock.run(Promise.all(Array.from({ length: 2 * max }, async () => await task(10))));
		return peak;
	};
	/** One task, and its ticket. */
	const ticket = async () => await clock.run(task(1));
	return { run, clock, limiter, starts, task, width, ticket };
}

test('runs as many as allowed concurrently, in order, and all of them', async () => {
	const { clock, task, starts, width } = setUp(3);
	const tickets = await clock.run(
		Promise.all(Array.from({ length: 7 }, async () => await task(10))),
	);
	expect(tickets).toEqual([1, 2, 3, 4, 5, 6, 7]);
	expect(starts).toEqual([0, 0, 0, 10, 10, 10, 20]);
	expect(await width()).toBe(3);
});

test('requests start in their order, also if there is room for one at a time', async () => {
	const { clock, task } = setUp(2);
	const tickets = await clock.run(Promise.all([10, 15, 20, 20, 20, 20, 20, 20].map(task)));
	expect(tickets).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('a task that throws makes room', async () => {
	const { clock, limiter, task } = setUp(1);
	const failing = limiter.schedule(async () => await Promise.reject(new Error('no')));
	const next = task(1);
	await expect(clock.run(failing)).rejects.toThrow('no');
	await expect(clock.run(next)).resolves.toBe(2);
});

test('tasks that end at the same moment make no more room than theirs', async () => {
	const { clock, limiter } = setUp(2);
	const end = clock.sleep(10);
	let running = 0;
	let peak = 0;
	const task = async (index: number) =>
		await limiter.schedule(async () => {
			peak = Math.max(peak, ++running);
			await (index < 2 ? end : clock.sleep(10));
			running--;
		});
	await clock.run(Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(task)));
	expect(peak).toBe(2);
});

test('halves when throttled, down to one', async () => {
	const { limiter, width, ticket } = setUp(8);
	for (const expected of [4, 2, 1, 1]) {
		limiter.throttled(await ticket());
		expect(await width()).toBe(expected);
	}
});

test('tasks that were in flight at that time do not halve it again', async () => {
	const { clock, limiter, task, width } = setUp(8);
	const wave = Array.from({ length: 8 }, async () => limiter.throttled(await task(10)));
	await clock.run(Promise.all(wave));
	expect(await width()).toBe(4);
});

test('grows back by one for each full round of successes, never beyond the maximum', async () => {
	const { limiter, width, ticket } = setUp(4);
	limiter.throttled(await ticket());
	const widths: number[] = [];
	for (let success = 0; success < 12; success++) {
		limiter.succeeded();
		widths.push(await width());
	}
	expect(widths).toEqual([2, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4]);
});

test('what waits for its turn starts as soon as the window has grown', async () => {
	const { clock, limiter, starts, task, ticket } = setUp(2);
	limiter.throttled(await ticket());
	clock.at(20, () => limiter.succeeded());
	await clock.run(Promise.all([task(100), task(100)]));
	expect(starts.slice(1)).toEqual([1, 20]);
});

test('a throttling in between starts the round anew', async () => {
	const { limiter, width, ticket } = setUp(8);
	limiter.throttled(await ticket());
	for (let success = 0; success < 3; success++) limiter.succeeded();
	limiter.throttled(await ticket());
	limiter.succeeded();
	expect(await width()).toBe(2);
	limiter.succeeded();
	expect(await width()).toBe(3);
});

test('a pause delays what has not started, as long as the service asked', async () => {
	const { clock, limiter, starts, task, ticket } = setUp(4);
	const first = await ticket();
	limiter.throttled(first, 5000);
	await clock.run(Promise.all([task(10), task(10)]));
	expect(starts.slice(1)).toEqual([5001, 5001]);
});

test('a longer pause that starts meanwhile also applies to those that already wait', async () => {
	const { clock, limiter, starts, task, ticket } = setUp(4);
	const first = await ticket();
	limiter.throttled(first, 1000);
	clock.at(500, () => limiter.throttled(first, 3000));
	await clock.run(task(10));
	expect(starts.at(-1)).toBe(3500);
});

test('a shorter pause does not shorten a longer one', async () => {
	const { clock, limiter, starts, task, ticket } = setUp(4);
	const first = await ticket();
	limiter.throttled(first, 3000);
	limiter.throttled(first, 100);
	await clock.run(task(10));
	expect(starts.at(-1)).toBe(3001);
});

test('the end of a run ends all pauses at once, those to come included', async () => {
	const { run, clock, limiter, starts, task, ticket } = setUp(4);
	limiter.throttled(await ticket(), 300_000);
	clock.at(100, () => run.stop('a failure'));
	await clock.run(Promise.all([task(1), task(1)]));
	expect(starts.slice(1)).toEqual([100, 100]);
	await clock.run(task(1));
	expect(clock.now()).toBeLessThan(110);
	await clock.drain();
	expect(clock.now()).toBeLessThan(110);
});

test('whatever the service answers, all tasks run, and never more concurrently than allowed', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 1, max: 6 }),
			fc.array(
				fc.record({
					ms: fc.nat(50),
					then: fc.constantFrom('success', 'throttled', 'pause', 'nothing'),
				}),
				{ maxLength: 60 },
			),
			async (max, plan) => {
				const run = new VirtualRun();
				const { clock } = run;
				const limiter = new Limiter(max, run);
				let running = 0;
				let done = 0;
				const tasks = plan.map(
					async ({ ms, then }) =>
						await limiter.schedule(async (ticket) => {
							expect(++running).toBeLessThanOrEqual(max);
							await clock.sleep(ms);
							running--;
							done++;
							if (then === 'success') limiter.succeeded();
							if (then === 'throttled') limiter.throttled(ticket);
							if (then === 'pause') limiter.throttled(ticket, 200);
						}),
				);
				await clock.run(Promise.all(tasks));
				expect(done).toBe(plan.length);
			},
		),
	);
});
