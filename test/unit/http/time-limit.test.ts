import { getEventListeners } from 'node:events';

import { Cancellation, TimeLimit } from '../../../nodes/shared/http/time-limit';

const timers = () =>
	process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
const delay = async (ms: number) => await new Promise((done) => setTimeout(done, ms));

test('ends an exchange when the time is up, and says that it was the time', async () => {
	const limit = new TimeLimit(20);
	const never = limit.waitFor(new Promise(() => {}));
	await expect(never).rejects.toThrow('The time is up');
	expect(limit).toMatchObject({ isOver: true, signal: { aborted: true } });
	limit.end();
});

test('ends it when the run is canceled', async () => {
	const run = new AbortController();
	const cancellation = new Cancellation(run.signal);
	const limit = new TimeLimit(60_000, cancellation);
	const never = limit.waitFor(new Promise(() => {}));
	run.abort();
	await expect(never).rejects.toThrow('The run was canceled');
	expect(limit.isOver).toBe(false);
	limit.end();
	const late = new TimeLimit(60_000, cancellation);
	await expect(late.waitFor(delay(5))).rejects.toThrow('The run was canceled');
	late.end();
});

test('a paused limit does not count, and a new start counts anew', async () => {
	const limit = new TimeLimit(20);
	limit.pause();
	await delay(40);
	expect(limit.signal.aborted).toBe(false);
	limit.restart(20);
	await delay(40);
	expect(limit.isOver).toBe(true);
});

test('the time may be longer than a timer can be', async () => {
	const limit = new TimeLimit(2 ** 40);
	await delay(20);
	expect(limit.signal.aborted).toBe(false);
	limit.end();
});

test('leaves neither timers nor listeners behind, however it ends', async () => {
	const run = new AbortController();
	const cancellation = new Cancellation(run.signal);
	const before = timers();
	const limits = Array.from({ length: 100 }, () => new TimeLimit(60_000, cancellation));
	// Node.js warns of more than ten.
	expect(getEventListeners(run.signal, 'abort')).toHaveLength(1);
	const waits = limits.map(async (limit) => await limit.waitFor(Promise.resolve(1)));
	expect(await Promise.all(waits)).toHaveLength(100);
	for (const limit of limits) {
		expect(getEventListeners(limit.signal, 'abort')).toHaveLength(0);
		limit.restart(60_000);
		limit.end();
		// Such as after a wait for a token that outlasts the exchange.
		limit.restart(60_000);
	}
	await delay(1);
	// Others may have a few.
	expect(timers()).toBeLessThan(before + 10);
	expect(getEventListeners(run.signal, 'abort')).toHaveLength(0);
});
