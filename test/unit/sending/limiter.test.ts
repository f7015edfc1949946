import fc from 'fast-check';

import { sendOne } from '../../../nodes/shared/sending/one-each';
import { ServiceHealth } from '../../../nodes/shared/sending/retry-policy';
import { backoffMs } from '../../../nodes/shared/sending/run-state';
import { Limiter, type LimiterClient } from '../../../nodes/shared/sending/limiter';
import { poll, type PollOptions } from '../../../nodes/shared/sending/poll';
import { mostInAMinute, perMinute, play } from '../../../support/rate-limited';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import { VirtualClock } from '../../../support/virtual-clock';
import { VirtualRun } from '../../../support/virtual-run';

jest.setTimeout(120_000);

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

test('a pause outlasts a run that leaves while another goes on', async () => {
	const run = new VirtualRun();
	const limiter = new Limiter();
	const [limiterClient, other] = [limiter.join(run, 4), limiter.join(run, 4)];
	limiterClient.noteRefusal(1, { delayMs: 3000 });
	other.leave();
	await run.clock.run(limiterClient.schedule(async () => await Promise.resolve()));
	expect(run.clock.now()).toBe(3000);
});

type Refusal = Parameters<LimiterClient['noteRefusal']>[1];

/** What happens to a request. Without a refusal, it is neither accepted nor refused. */
const OUTCOMES: Record<string, Refusal | undefined> = {
	accepted: undefined,
	failed: undefined,
	thrown: undefined,
	'refused without Retry-After': {},
	'refused with Retry-After': { delayMs: 3000 },
	'refused with a shorter Retry-After': { delayMs: 1000 },
	'overloaded with Retry-After': { delayMs: 2000, kind: 'overloaded' },
	'overloaded without Retry-After': { kind: 'overloaded' },
};
const anyRequest = fc.record({
	at: fc.nat(2),
	arrivesMs: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(0, 5000) }, fc.nat(20_000)),
	durationMs: fc.nat(3000),
	/** After this time, the request ignores pauses. */
	patienceMs: fc.oneof({ weight: 3, arbitrary: fc.constant(Infinity) }, fc.nat(3000)),
	outcome: fc.oneof(fc.constant('accepted'), fc.constantFrom(...Object.keys(OUTCOMES))),
});
const WAYS = [
	...['starts at once', 'waits for another of its client', 'waits for the limit per minute'],
	...['waits for a pause', 'starts in a pause, because it is urgent'],
	...[
		'waits for a success after a pause',
		'waits until its run ends',
		'starts after its run ended',
	],
	...['waits, and a later one of another client starts'],
];
const REFUSALS = ['the refusal begins a pause', 'the refusal belongs to an earlier pause'];

test('in every case, requests start in order, one by one after a pause, and within all limits', async () => {
	const variations = new Variations();
	await fc.assert(
		fc.asyncProperty(
			fc.array(anyRequest, { maxLength: 40, size: 'max' }),
			fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 3, maxLength: 3 }),
			fc.array(fc.constantFrom(0, 10, 30), { minLength: 3, maxLength: 3 }),
			fc.oneof(fc.constant(Infinity), fc.nat(20_000)),
			async (requests, maxima, limits, stopAtMs) => {
				const clock = new VirtualClock();
				const limiter = new Limiter();
				const [ending, lasting] = [new VirtualRun({ clock }), new VirtualRun({ clock })];
				if (stopAtMs < Infinity) clock.at(stopAtMs, () => ending.stop('the end'));
				const clients = maxima.map((max, at) => {
					const run = at === 0 ? ending : lasting;
					return { run, max, running: 0, client: limiter.join(run, max, limits[at]) };
				});
				const limit = Math.min(...limits.map((each) => each || Infinity));
				const occurred = new Set<string>();
				const waiting: Array<{ at: number; isUrgent: () => boolean }> = [];
				const starts: number[] = [];
				const ends = new Set<number>();
				let sequences = 0;
				let pausedUntil = 0;
				let sentBeforePause = 0;
				/** How many requests may be in flight. After a pause, each success allows one more. */
				let allowed = Infinity;
				let isRefused = false;
				const hasSlot = ({ running, max }: (typeof clients)[0]) => running < max;

				const send = async (request: (typeof requests)[0]) => {
					const { at, arrivesMs, durationMs, patienceMs, outcome } = request;
					await clock.sleep(arrivesMs);
					const own = clients[at];
					const arrivedAt = clock.now();
					const isUrgent = () => clock.now() >= arrivedAt + patienceMs;
					const wait = { at, isUrgent };
					const hadSlot = hasSlot(own);
					waiting.push(wait);
					const sending = own.client.schedule(async (turn) => {
						const now = clock.now();
						const place = waiting.indexOf(wait);
						const earlier = waiting.slice(0, place);
						waiting.splice(place, 1);
						expect(turn).toMatchObject({ sequence: ++sequences, startedAt: now });
						const running = clients.reduce((sum, each) => sum + each.running, 0);
						if (own.run.ended) {
							expect(now).toBe(Math.max(arrivedAt, stopAtMs));
							occurred.add(arrivedAt > stopAtMs ? WAYS[7] : WAYS[6]);
							// Nothing is sent anymore.
							return turn.sequence;
						} else {
							expect(own.running).toBeLessThan(own.max);
							starts.push(now);
							const isFree = earlier.some(
								(each) => !clients[each.at].run.ended && hasSlot(clients[each.at]),
							);
							if (isUrgent()) {
								if (now < pausedUntil) occurred.add(WAYS[4]);
							} else {
								expect(now).toBeGreaterThanOrEqual(pausedUntil);
								expect(running).toBeLessThan(allowed);
								expect(isFree).toBe(false);
								if (earlier.length > 0) occurred.add(WAYS[8]);
								if (now === arrivedAt) occurred.add(WAYS[0]);
								else if (now === pausedUntil) occurred.add(WAYS[3]);
								else if (ends.has(now)) occurred.add(hadSlot ? WAYS[5] : WAYS[1]);
								else if (limit < Infinity) occurred.add(WAYS[2]);
								if (limit === Infinity && !isRefused)
									expect(now === arrivedAt || ends.has(now)).toBe(true);
							}
						}
						own.running++;
						await clock.sleep(durationMs);
						own.running--;
						ends.add(clock.now());
						const refusal = OUTCOMES[outcome];
						if (refusal) {
							const { delayMs = 0, kind } = refusal;
							const pausesAll = own.client.noteRefusal(turn.sequence, refusal);
							expect(pausesAll).toBe(delayMs > 0 || kind !== 'overloaded');
							isRefused = true;
							pausedUntil = Math.max(pausedUntil, clock.now() + delayMs);
							const isOld = turn.sequence <= sentBeforePause;
							if (pausesAll) occurred.add(REFUSALS[isOld ? 1 : 0]);
							if (pausesAll && !isOld) {
								sentBeforePause = sequences;
								allowed = 1;
							}
						}
						if (outcome === 'accepted') {
							turn.acceptedAt = clock.now();
							if (turn.sequence > sentBeforePause) allowed++;
						}
						if (outcome === 'thrown') throw new Error(`${turn.sequence}`);
						return turn.sequence;
					}, arrivedAt + patienceMs);
					const isSent = sending.then(
						() => outcome !== 'thrown' || own.run.ended !== undefined,
						({ message }: Error) => outcome === 'thrown' && /^\d+$/.test(message),
					);
					expect(await isSent).toBe(true);
				};
				await clock.run(Promise.all(requests.map(send)));
				expect(sequences).toBe(requests.length);
				if (limit < Infinity) expect(mostInAMinute(starts)).toBeLessThanOrEqual(limit);
				variations.note({
					...occurring(Object.keys(OUTCOMES), (name) =>
						requests.some(({ outcome }) => outcome === name),
					),
					...occurring([...WAYS, ...REFUSALS], (way) => occurred.has(way)),
					'no limit per minute': limit === Infinity,
					'different limits per minute': new Set(limits).size > 1,
				});
			},
		),
		{ numRuns: runs(400) },
	);
	expect(variations.rarerThan(0)).toEqual([]);
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
