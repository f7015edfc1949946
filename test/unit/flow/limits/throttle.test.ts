import { Limiter } from '../../../../nodes/shared/flow/limits/limiter';
import { Throttle } from '../../../../nodes/shared/flow/limits/throttle';
import { atOnce, bucket, perSecond, play, type Admission } from '../../support/rate-limited';
import { VirtualClock } from '../../support/virtual-clock';
import { VirtualRun } from '../../support/virtual-run';

const onAverage = (rate: number) => bucket(rate, rate);
const LATER = { retryAfterMs: 1000 };

describe('20 executions against 40 requests a second', () => {
	it.each<[string, (rate: number) => Admission, { retryAfterMs?: number }]>([
		['counted by the second', perSecond, {}],
		['counted by the second, with Retry-After', perSecond, LATER],
		['on average', onAverage, {}],
		['on average, with Retry-After', onAverage, LATER],
	])('%s: none fails, and they settle above 80 %% of it', async (_case, limit, service) => {
		const load = { executions: 20, requests: 50, latencyMs: 50, ...service };
		const { failed, rate, accepted, refused } = await play({ admits: limit(40), ...load });
		expect(failed).toBe(0);
		expect(accepted).toHaveLength(1000);
		expect(rate(5000)).toBeGreaterThan(0.8 * 40);
		expect(refused).toBeLessThan(150);
	});

	test('one by one: none fails, and few are refused', async () => {
		const load = { executions: 20, requests: 20 };
		const { failed, refused } = await play({ admits: bucket(40, 1), ...load });
		expect(failed).toBe(0);
		expect(refused).toBeLessThan(200);
	});

	test('all get the same share', async () => {
		const load = { executions: 20, requests: 20 };
		const { doneAt, endedAt } = await play({ admits: perSecond(40), ...load });
		expect(Math.min(...doneAt)).toBeGreaterThan(0.8 * endedAt);
	});
});

test('20 executions against 4 requests at once: none fails', async () => {
	const { failed } = await play({ admits: atOnce(4), executions: 20, requests: 20 });
	expect(failed).toBe(0);
});

test('one execution against 5 requests a second: none fails, and it settles above 80 % of it', async () => {
	const { failed, rate } = await play({ admits: perSecond(5), executions: 1, requests: 200 });
	expect(failed).toBe(0);
	expect(rate(5000)).toBeGreaterThan(0.8 * 5);
});

test('a service that refuses one request in a hundred gets all of them, and only pauses for each', async () => {
	let count = 0;
	const load = { executions: 1, requests: 1000, latencyMs: 40 };
	const undisturbed = await play({ admits: () => true, ...load });
	const { failed, accepted, refused, endedAt } = await play({
		admits: () => ++count % 100 !== 0,
		...load,
	});
	expect([failed, accepted.length, refused]).toEqual([0, 1000, 10]);
	// Each of the ten pauses all for up to half a second.
	expect(endedAt).toBeLessThan(undisturbed.endedAt + 10 * 500);
});

test('a service that takes more again gets it', async () => {
	const strict = perSecond(10);
	const { accepted } = await play({
		admits: (now) => now > 10_000 || strict(now, 0),
		executions: 4,
		requests: 500,
		latencyMs: 40,
	});
	const rate = (from: number, to: number) =>
		accepted.filter((at) => at >= from && at < to).length / ((to - from) / 1000);
	expect(rate(2000, 10_000)).toBeLessThan(11);
	expect(rate(40_000, 42_000)).toBeGreaterThan(50);
});

/** Two runs that share a throttle, and a task for each. */
function twoRuns() {
	const clock = new VirtualClock();
	const throttle = new Throttle();
	const runs = [new VirtualRun({ clock }), new VirtualRun({ clock })] as const;
	const limiters = runs.map((run) => {
		throttle.join(2);
		return new Limiter(2, run, throttle);
	});
	const starts: Array<[number, number]> = [];
	const task = async (at: 0 | 1) =>
		await limiters[at]?.schedule(async (ticket) => {
			starts.push([at, clock.now()]);
			await clock.sleep(10);
			return ticket;
		});
	return { clock, runs, limiters, throttle, starts, task };
}

test('what one run is told holds for the other', async () => {
	const { clock, limiters, starts, task } = twoRuns();
	limiters[0]?.throttled(1, 3000);
	await clock.run(Promise.all([task(0), task(1)]));
	expect(starts).toEqual([
		[0, 3000],
		[1, 3000],
	]);
});

test('a run that ends leaves the pause and the queue, and the other one stays', async () => {
	const { clock, runs, limiters, starts, task } = twoRuns();
	limiters[0]?.throttled(1, 3000);
	clock.at(100, () => runs[0].stop('canceled'));
	await clock.run(Promise.all([task(0), task(0), task(1)]));
	expect(starts).toEqual([
		[0, 100],
		[0, 100],
		[1, 3000],
	]);
});

test('a run never has more at once than its own maximum, though the other one leaves room', async () => {
	const { clock, starts, task } = twoRuns();
	await clock.run(Promise.all([task(0), task(0), task(0)]));
	expect(starts.map(([, at]) => at)).toEqual([0, 0, 10]);
});

test('a task that must not wait longer starts in a pause, before those that came first', async () => {
	const { clock, limiters, starts, task } = twoRuns();
	const [limiter] = limiters;
	limiter?.throttled(1, 3000);
	const urgent = limiter?.schedule(async () => clock.now(), 500);
	expect(await clock.run(Promise.all([task(0), urgent]))).toEqual([1 + 1, 500]);
	expect(starts).toEqual([[0, 3000]]);
});

test('knows when the last limiter has left', () => {
	const { throttle } = twoRuns();
	expect(throttle.leave(2)).toBe(false);
	expect(throttle.leave(2)).toBe(true);
});
