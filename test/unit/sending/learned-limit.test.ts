import fc from 'fast-check';

import { LearnedLimit } from '../../../nodes/shared/sending/learned-limit';
import { Limiter } from '../../../nodes/shared/sending/limiter';
import { atOnce, bucket, perSecond, type Admission } from '../../../sandbox/rates';
import { atRandom, perMinute, play, type Load } from '../../../support/rate-limited';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import { VirtualRun } from '../../../support/virtual-run';

jest.setTimeout(120_000);

/** Ends a property before the test's time limit. Otherwise, its simulation would go on during the next test. */
const IN_TIME = { interruptAfterTimeLimit: 100_000, markInterruptAsFailure: true };

test.each([
	[429, undefined, true],
	[503, 1000, true],
	[503, undefined, false],
])('status %i, Retry-After %p: all requests pause: %p', async (status, delayMs, pausesAll) => {
	const run = new VirtualRun();
	const limiterClient = new Limiter().join(run, 1);
	const down = status === 503 ? { kind: 'overloaded' as const } : {};
	const diagnosis = { ...down, ...(delayMs !== undefined && { delayMs }) };
	const pauses = limiterClient.schedule(async ({ sequence }) =>
		Promise.resolve(limiterClient.noteRefusal(sequence, diagnosis)),
	);
	expect(await run.clock.run(pauses)).toBe(pausesAll);
	const startedAt = limiterClient.schedule(async () => Promise.resolve(run.now()));
	expect((await run.clock.run(startedAt)) > 0).toBe(pausesAll);
});

function setUp(max: number) {
	const run = new VirtualRun();
	const limiter = new Limiter();
	const limiterClient = limiter.join(run, max);
	const starts: number[] = [];
	/**
	 * Sends `count` requests. The service accepts only the first `accepted` requests. Returns the start time of each
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

test('after a pause, requests start one by one, and each success allows one more', async () => {
	const { send } = setUp(8);
	// The service accepts no request here, so the limiter does not know how many requests it can send at the same time.
	await send(1, 0);
	expect(await send(8)).toEqual([1000, 1100, 1100, 1200, 1200, 1200, 1200, 1300]);
});

test('the window shrinks to the number of requests that the service accepted at once', async () => {
	const { send } = setUp(8);
	await send(8, 3);
	await send(6);
	expect(await send(6)).toEqual([0, 0, 0, 100, 100, 100]);
});

test('after a refusal, requests start evenly, at 95% of the measured rate', async () => {
	const { send } = setUp(1);
	await send(21, 20);
	const starts = await send(20);
	// The service accepted 20 requests in 2.05 s, which is 9.76 requests per second. Then it refused one request. The
	// limiter therefore allows 95% of that rate. A request may start 20 ms early.
	const lastMs = (starts[19] ?? 0) - (starts[0] ?? 0);
	expect(lastMs).toBeGreaterThanOrEqual(Math.floor((19 * 1000) / (0.95 * 9.76)) - 20);
	expect(lastMs).toBeLessThan(2100);
});

test('hours without requests do not lower the measured rate', async () => {
	const { run, send } = setUp(1);
	await send(1, 0);
	await send(20);
	await run.clock.run(run.clock.sleep(3_600_000));
	await send(1, 0);
	const starts = await send(10);
	const lastMs = (starts[9] ?? 0) - (starts[0] ?? 0);
	// Without a rate, the last request would start 900 ms after the first.
	expect(lastMs).toBeGreaterThan(1000);
	expect(lastMs).toBeLessThan(2000);
});

test('the learned limit is forgotten after the last run that uses the limiter', async () => {
	const { run, limiter, limiterClient, send } = setUp(1);
	const other = limiter.join(run, 1);
	await send(21, 20);
	limiterClient.leave();
	const starts = await send(1, 1, other);
	expect(starts[0]).toBeGreaterThan(900);
	await send(1, 0, other);
	other.leave();
	expect(await send(1, 1, limiter.join(run, 1))).toEqual([0]);
});

test('a poll whose deadline has come does not wait for the rate', async () => {
	const { run, limiterClient, send } = setUp(1);
	await send(21, 20);
	await send(2);
	const waiting = limiterClient.schedule(async () => Promise.resolve(run.now()), run.now());
	const begin = run.now();
	expect(await run.clock.run(waiting)).toBe(begin);
});

/** What the limiter keeps to itself. */
interface State {
	rate: number;
	refusedRate: number;
	window: number;
	exempt: number;
	isDoubtful: boolean;
}

const DECISIONS = [
	...[
		'all requests pause',
		'only this request backs off',
		'the window shrinks',
		'the window grows',
	],
	...['the rate is lowered', 'the rate is lowered in doubt', 'failures are ignored for a while'],
	...['the rate rises toward the refused rate', 'the rate rises beyond the refused rate'],
];

/** Adds each decision of all limiters to a set. */
function watchDecisions(seen: Set<string>): () => void {
	const { noteRefusal, noteEnd } = LearnedLimit.prototype;
	const stateOf = (limit: LearnedLimit): State => ({ ...(limit as unknown as State) });
	const refusals = jest.spyOn(LearnedLimit.prototype, 'noteRefusal').mockImplementation(function (
		this: LearnedLimit,
		...args
	) {
		const before = stateOf(this);
		const pausesAll = noteRefusal.apply(this, args);
		const { rate, window, exempt, isDoubtful } = stateOf(this);
		seen.add(pausesAll ? DECISIONS[0] : DECISIONS[1]);
		if (window < before.window) seen.add('the window shrinks');
		if (rate < before.rate) seen.add(`the rate is lowered${isDoubtful ? ' in doubt' : ''}`);
		if (exempt > Math.max(0, before.exempt)) seen.add('failures are ignored for a while');
		return pausesAll;
	});
	const ends = jest.spyOn(LearnedLimit.prototype, 'noteEnd').mockImplementation(function (
		this: LearnedLimit,
		...args
	) {
		const before = stateOf(this);
		noteEnd.apply(this, args);
		const { rate, window } = stateOf(this);
		expect(window).toBeGreaterThanOrEqual(before.window);
		expect(rate).toBeGreaterThanOrEqual(before.rate);
		if (window > before.window) seen.add('the window grows');
		if (rate > before.rate)
			seen.add(
				before.rate < before.refusedRate
					? 'the rate rises toward the refused rate'
					: 'the rate rises beyond the refused rate',
			);
	});
	return () => {
		refusals.mockRestore();
		ends.mockRestore();
	};
}

/** Services by how they limit requests. */
const SERVICES: Record<string, () => Load['admits'] | Admission> = {
	'a token bucket': () => bucket(20, 20),
	'a small token bucket': () => bucket(40, 2),
	'a limit per second': () => perSecond(40),
	'a limit per minute': () => perMinute(1500),
	'a limit of requests in flight': () => atOnce(3),
	'random failures': () => atRandom(0.2),
	'no limit': () => () => true,
};

test('in every case, each request is accepted once, and the service is used', async () => {
	const variations = new Variations();
	await fc.assert(
		fc.asyncProperty(
			fc.record({
				kind: fc.constantFrom(...Object.keys(SERVICES)),
				status: fc.constantFrom(429, 503),
				retryAfterMs: fc.constantFrom(undefined, 1000, 3000),
				executions: fc.integer({ min: 1, max: 3 }),
				concurrency: fc.integer({ min: 1, max: 8 }),
				requests: fc.integer({ min: 1, max: 400 }),
				latencyMs: fc.integer({ min: 10, max: 100 }),
				seed: fc.nat(),
			}),
			async ({ kind, ...anyLoad }) => {
				// Only a 503 without Retry-After may be a random failure.
				const random = { status: 503, retryAfterMs: undefined };
				const load = { ...anyLoad, ...(kind === 'random failures' && random) };
				const admits = SERVICES[kind]();
				const seen = new Set<string>();
				const undo = watchDecisions(seen);
				let most = 0;
				const { accepted, refused, failed, endedAt } = await play({
					...load,
					admits: (now, inFlight, random) => {
						most = Math.max(most, inFlight);
						return admits(now, inFlight, random);
					},
				}).finally(undo);
				const total = load.requests * load.executions;
				expect([failed, accepted.length]).toEqual([0, total]);
				expect(most).toBeLessThanOrEqual(load.executions * load.concurrency);
				expect(refused).toBeLessThanOrEqual(60 + total / 2);
				// The slowest of these services accepts 20 requests per second.
				expect(endedAt).toBeLessThanOrEqual(30_000 + 200 * total);
				variations.note({
					...occurring(Object.keys(SERVICES), (name) => name === kind),
					...occurring(DECISIONS, (decision) => seen.has(decision)),
				});
			},
		),
		// Some decisions are rare, so the simulations are the same each time.
		{ numRuns: runs(100), seed: 2, ...IN_TIME },
	);
	expect(variations.rarerThan(1)).toEqual([]);
});

/** Services by the number of requests that they accept per second. */
const RATES: Record<string, { perSecond: number; admission: () => Admission }> = {
	'a token bucket': { perSecond: 20, admission: () => bucket(20, 20) },
	'a small token bucket': { perSecond: 40, admission: () => bucket(40, 2) },
	'a slow token bucket': { perSecond: 5, admission: () => bucket(5, 5) },
	'a limit per second': { perSecond: 40, admission: () => perSecond(40) },
};

/** Adds the rate after each request to a list, in requests per second. */
function watchRates(rates: number[]): () => void {
	const { noteEnd } = LearnedLimit.prototype;
	const ends = jest.spyOn(LearnedLimit.prototype, 'noteEnd').mockImplementation(function (
		this: LearnedLimit,
		...args
	) {
		noteEnd.apply(this, args);
		rates.push(1000 * (this as unknown as State).rate);
	});
	return () => void ends.mockRestore();
}

test('between idle times, the learned rate stays near the rate of the service, and refusals are rare', async () => {
	const variations = new Variations();
	await fc.assert(
		fc.asyncProperty(
			fc.record({
				kind: fc.constantFrom(...Object.keys(RATES)),
				// Without Retry-After, a 503 may be a random failure, so less is learned from it.
				refusal: fc.constantFrom(
					{ status: 429 },
					{ status: 429, retryAfterMs: 3000 },
					{ status: 503, retryAfterMs: 1000 },
				),
				executions: fc.integer({ min: 1, max: 2 }),
				concurrency: fc.integer({ min: 1, max: 8 }),
				requests: fc.integer({ min: 40, max: 80 }),
				bursts: fc.integer({ min: 2, max: 5 }),
				// Times of less than a second count toward the measured time.
				idleMs: fc.constantFrom(500, 1000, 5000, 30_000, 3_600_000),
				latencyMs: fc.integer({ min: 10, max: 100 }),
				seed: fc.nat(),
			}),
			async ({ kind, refusal, ...load }) => {
				const rates: number[] = [];
				const undo = watchRates(rates);
				const admits = RATES[kind].admission();
				const { accepted, refused, failed } = await play({
					...load,
					...refusal,
					admits,
				}).finally(undo);
				const total = load.requests * load.executions * load.bursts;
				expect([failed, accepted.length]).toEqual([0, total]);
				expect(refused).toBeLessThanOrEqual(20 + total / 20);
				expect(rates.filter((rate) => !(rate > 0))).toEqual([]);
				const last = (rates.at(-1) ?? NaN) / RATES[kind].perSecond;
				const isLimited = last < Infinity;
				// The services accept the start of a burst faster.
				if (isLimited) expect(last).toBeGreaterThan(1 / 10);
				if (isLimited) expect(last).toBeLessThan(20);
				const lowered = rates.filter((rate, at) => rate < (rates[at - 1] ?? Infinity));
				if (!isLimited) expect(lowered).toEqual([]);
				variations.note({
					...occurring(Object.keys(RATES), (name) => name === kind),
					'idle for less than a second': isLimited && load.idleMs < 1000,
					'idle for longer': isLimited && load.idleMs > 1000,
					'no refusal': refused === 0,
					'the rate is lowered once': lowered.length === 1,
					'the rate is lowered several times': lowered.length > 1,
				});
			},
		),
		{ numRuns: runs(30), seed: 1, ...IN_TIME },
	);
	expect(variations.rarerThan(1)).toEqual([]);
});
