import fc from 'fast-check';

import type { Diagnosis } from '../../../nodes/shared/sending/diagnosis';
import { ServiceHealth } from '../../../nodes/shared/sending/retry-policy';
import { Limiter } from '../../../nodes/shared/sending/limiter';
import { poll, type PollResult, type PollOptions } from '../../../nodes/shared/sending/poll';
import { runs } from '../../../support/runs';
import { occurring, Variations } from '../../../support/variations';
import { VirtualRun } from '../../../support/virtual-run';
import { CANCEL, pollAll, runPolls, type PollFault, type PollJob } from '../support/poll-scenario';

jest.setTimeout(120_000);

const TICK_MS = 50;

const jobs = (count: number, readyAtMs: number): PollJob[] =>
	Array.from({ length: count }, (_, index) => ({ name: `job${index}`, readyAtMs }));

test.each([1, 2, 3, 4, 5])('100 jobs of 2 s each finish within 2.6 s (chance %i)', async (seed) => {
	const outcome = await runPolls({ jobs: jobs(100, 2000), seed });
	expect([...outcome.endings.values()].every(([how]) => how === 'finished')).toBe(true);
	expect(outcome.finishedAt).toBeLessThanOrEqual(2600);
});

test('a job of 60 s needs at most 17 polls with the intervals of Chunk Text, with any jitter', async () => {
	const intervals = { startMs: 250, capMs: 10_000 };
	const most = await runPolls({ jobs: jobs(1, 60_000), random: () => 0, ...intervals });
	expect(most.polls).toHaveLength(17);
	await fc.assert(
		fc.asyncProperty(fc.nat(), fc.integer({ min: 0, max: 500 }), async (seed, latencyMs) => {
			const outcome = await runPolls({
				jobs: jobs(1, 60_000),
				seed,
				latencyMs,
				...intervals,
			});
			expect(outcome.polls.length).toBeLessThanOrEqual(17);
			expect(outcome.polls.length).toBeGreaterThanOrEqual(14);
			expect(outcome.finishedAt).toBeLessThanOrEqual(72_000);
		}),
		{ numRuns: runs(30) },
	);
});

test('polls at once, then at intervals that grow up to the cap', async () => {
	const { polls } = await runPolls({
		jobs: jobs(1, 20_000),
		latencyMs: 0,
		startMs: 1000,
		capMs: 3000,
		random: () => 0.5,
	});
	const gaps = polls.slice(1).map(({ at }, index) => at - (polls[index]?.at ?? 0));
	expect(polls[0]?.at).toBe(0);
	expect(gaps.slice(0, 4)).toEqual([1000, 1400, 1960, 2744]);
	expect(new Set(gaps.slice(4))).toEqual(new Set([3000]));
});

test('a final poll runs at the deadline, and its result counts', async () => {
	const outcome = await runPolls({
		jobs: [
			{ name: 'just in time', readyAtMs: 7000 },
			{ name: 'late', readyAtMs: 7100 },
		],
		deadlineMs: 7000,
	});
	expect(outcome.endings.get('just in time')).toEqual(['finished']);
	expect(outcome.endings.get('late')).toEqual(['timeout']);
	expect(outcome.timesOf('late').at(-1)).toBe(7000);
	expect(outcome.finishedAt).toBeLessThanOrEqual(7000 + 2 * TICK_MS);
});

test('each job has a deadline of its own', async () => {
	const outcome = await runPolls({
		jobs: [
			{ name: 'early', readyAtMs: 1e9, deadlineMs: 3000 },
			{ name: 'late', readyAtMs: 1e9, addedAtMs: 2000, deadlineMs: 9000 },
		],
	});
	expect([...outcome.endings.values()]).toEqual([['timeout'], ['timeout']]);
	expect(outcome.timesOf('early').at(-1)).toBe(3000);
	expect(outcome.timesOf('late').at(-1)).toBe(9000);
	expect(outcome.endedAt.get('early')).toBeLessThan(3100);
});

test('polling continues after any number of transient errors', async () => {
	const faults = Array.from({ length: 12 }, (_, index) =>
		index % 2 ? 'reset' : 'unavailable',
	) as PollFault[];
	const outcome = await runPolls({ jobs: [{ name: 'a', readyAtMs: 0, faults }] });
	expect(outcome.endings.get('a')).toEqual(['finished']);
	expect(outcome.polls).toHaveLength(13);
	expect(outcome.retries).toBe(12);
});

test('a timeout reports the error of the last poll, not earlier ones', async () => {
	const outcome = await runPolls({
		jobs: [
			{ name: 'faulty', readyAtMs: 1e9, faults: Array<PollFault>(99).fill('unavailable') },
			{ name: 'recovered', readyAtMs: 1e9, faults: ['unavailable', 'none'] },
		],
		deadlineMs: 8000,
	});
	const byName = new Map(outcome.timeouts.map(({ name, lastError }) => [name, lastError]));
	expect(byName.get('faulty')).toMatchObject({ httpStatus: 503 });
	expect(byName.get('recovered')).toBeUndefined();
});

test('a pause does not reach beyond the deadline', async () => {
	const outcome = await runPolls({
		jobs: [{ name: 'throttled', readyAtMs: 1e9, faults: ['throttled 5 s'] }, ...jobs(8, 1e9)],
		deadlineMs: 2000,
		concurrency: 2,
	});
	expect([...outcome.endings.values()].every(([how]) => how === 'timeout')).toBe(true);
	expect(outcome.finishedAt).toBeLessThanOrEqual(2000 + 2 * TICK_MS);
});

test('a cancel ends the polling at once', async () => {
	const outcome = await runPolls({ jobs: jobs(20, 60_000), cancelAtMs: 3333 });
	expect(outcome.thrown).toBe(CANCEL);
	expect(outcome.finishedAt).toBe(3333);
	expect(outcome.polls.every(({ at }) => at <= 3333)).toBe(true);
});

test('a failed job ends a run that stops at failures before any other poll', async () => {
	const outcome = await runPolls({
		jobs: [{ name: 'refused', readyAtMs: 0, faults: ['refused'] }, ...jobs(20, 0)],
		concurrency: 1,
		stopsOnFailure: true,
	});
	expect(outcome.polls).toHaveLength(1);
	expect(outcome.endings.get('refused')).toEqual(['failed']);
});

test('after the end of the run no job is polled again, and later ones are skipped', async () => {
	const outcome = await runPolls({
		jobs: [...jobs(2, 1e9), { name: 'late', readyAtMs: 0, addedAtMs: 20 }],
		concurrency: 1,
		latencyMs: 10,
		stopAtMs: 5,
	});
	expect(outcome.polls.map(({ name }) => name)).toEqual(['job0']);
	expect(outcome.endings.get('late')).toEqual(['skipped']);
});

const anyFault = fc.oneof(
	{ weight: 5, arbitrary: fc.constant<PollFault>('none') },
	fc.constantFrom<PollFault>('unavailable', 'reset', 'throttled', 'throttled 5 s', 'refused'),
);
const anyJobs = fc
	.array(
		fc.record({
			readyAtMs: fc.oneof(fc.nat(30_000), fc.constant(1e9)),
			addedAtMs: fc.oneof(fc.constant(0), fc.nat(10_000)),
			faults: fc.array(anyFault, { maxLength: 8 }),
		}),
		{ maxLength: 25 },
	)
	.map((list) => list.map((job, index): PollJob => ({ ...job, name: `job${index}` })));

test('in every case, each job ends exactly once and is not polled afterward', async () => {
	const variations = new Variations();
	await fc.assert(
		fc.asyncProperty(
			anyJobs,
			fc.record({
				concurrency: fc.integer({ min: 1, max: 8 }),
				deadlineMs: fc.integer({ min: 0, max: 40_000 }),
				latencyMs: fc.nat(400),
				seed: fc.nat(),
			}),
			async (all, settings) => {
				const outcome = await runPolls({ jobs: all, ...settings });
				expect(outcome.thrown).toBeUndefined();
				const ends = [...outcome.endings.values()].flat();
				variations.note(
					occurring(['finished', 'failed', 'timeout'], (how) => ends.includes(how)),
				);
				expect([...outcome.endings.values()].every((how) => how.length === 1)).toBe(true);
				for (const { name, at, inFlight } of outcome.polls) {
					expect(inFlight).toBeLessThanOrEqual(settings.concurrency);
					expect(at).toBeLessThanOrEqual(outcome.endedAt.get(name) ?? -1);
				}
				for (const job of all) {
					const [how] = outcome.endings.get(job.name) ?? [];
					const { readyAtMs, addedAtMs = 0, faults = [] } = job;
					if (how === 'failed') expect(faults).toContain('refused');
					// A job never times out if it was ready in time and none of its polls failed.
					const isPolledInTime = addedAtMs <= settings.deadlineMs;
					const isFaultless = faults.every((fault) => fault === 'none');
					if (how === 'timeout' && isFaultless && isPolledInTime) {
						expect(readyAtMs).toBeGreaterThan(settings.deadlineMs);
					}
				}
			},
		),
		{ numRuns: runs(150) },
	);
	expect(variations.rarerThan(5)).toEqual([]);
});

test('pauses double with each failed poll', async () => {
	const faults: PollFault[] = ['unavailable', 'unavailable', 'unavailable', 'unavailable'];
	const { polls } = await runPolls({
		jobs: [{ name: 'job', readyAtMs: 0, faults }],
		latencyMs: 0,
		startMs: 10,
		random: () => 0.5,
	});
	const gaps = polls.slice(1).map(({ at }, index) => at - (polls[index]?.at ?? 0));
	expect(gaps).toEqual([250, 500, 1000, 2000]);
});

describe('the input and the result of a poll', () => {
	const PENDING: PollResult<string> = { state: 'pending' };
	const DONE: PollResult<string> = { state: 'finished', response: 'done' };
	/** Removes the jitter so that the first interval is exactly 500 ms. */
	const EVEN = { random: () => 0.5 };

	test('each poll learns how long is left', async () => {
		const { polls, outcomes } = await pollAll(
			[{ name: 'a', deadlineMs: 1000 }],
			(_job, nth) => (nth < 3 ? PENDING : DONE),
			EVEN,
		);
		expect(polls.map(({ at, leftMs }) => [at, leftMs])).toEqual([
			[0, 1000],
			[500, 500],
			[1000, 0],
		]);
		expect(outcomes.a).toEqual({ ok: true, response: 'done' });
	});

	test('after the deadline the remaining time is 0, not negative', async () => {
		const late = { name: 'late', addedAtMs: 50, deadlineMs: 20 };
		const { polls } = await pollAll([late], () => DONE);
		expect(polls).toMatchObject([{ at: 50, leftMs: 0 }]);
	});

	test('a job fails with the reason of its failure, or with its last error if it expires', async () => {
		const refused: Diagnosis = { action: 'fail' };
		const busy: Diagnosis = { action: 'retry' };
		const { outcomes, retries } = await pollAll(
			[{ name: 'said' }, { name: 'refused' }, { name: 'busy', deadlineMs: 0 }],
			({ name }) => {
				if (name === 'said') return { state: 'failed', reason: 'ERROR' };
				throw name === 'busy' ? busy : refused;
			},
		);
		const diagnosis = { action: 'fail' };
		expect(outcomes).toEqual({
			said: { ok: false, reason: 'ERROR', diagnosis },
			refused: { ok: false, reason: refused, diagnosis },
			busy: { ok: false, reason: { name: 'busy', lastError: busy }, diagnosis },
		});
		expect(retries).toBe(0);
	});

	test('an exception while a job is handled fails that job only', async () => {
		const bug = new Error('a bug');
		const { outcomes } = await pollAll(
			[{ name: 'a' }, { name: 'b' }],
			({ name }) => {
				if (name === 'b') return DONE;
				throw new Error('no');
			},
			{
				diagnose: () => {
					throw bug;
				},
			},
		);
		expect(outcomes).toMatchObject({
			a: { ok: false, reason: bug },
			b: { ok: true },
		});
	});

	test('a Retry-After for one job delays no other job, except with 429 or 503', async () => {
		const gaps = async (error: Diagnosis) => {
			const { timesOf } = await pollAll(
				[{ name: 'a' }, { name: 'b' }],
				async ({ name }, nth, clock) => {
					if (nth === 1) await clock.sleep(1);
					if (name === 'a' && nth === 1) throw error;
					return nth < 2 ? PENDING : DONE;
				},
				EVEN,
			);
			return [timesOf('a')[1], timesOf('b')[1]];
		};
		const asked = { action: 'retry', delayMs: 3000 } as const;
		expect(await gaps(asked)).toEqual([3001, 501]);
		expect(await gaps({ ...asked, kind: 'throttled' })).toEqual([3001, 3001]);
	});
});

test('a job that nobody waits for is not polled', async () => {
	const run = new VirtualRun();
	const polled: string[] = [];
	const consumer = { isAbandoned: false };
	const shared = {
		run,
		limiterClient: new Limiter().join(run, 1),
		health: new ServiceHealth(),
	};
	const optionsOf = (job: string): PollOptions<string> => ({
		...shared,
		intervals: { firstMs: 500, longestMs: 500 },
		deadline: Infinity,
		check: async () => {
			polled.push(job);
			await run.clock.sleep(5);
			consumer.isAbandoned = job === 'b';
			return { state: 'finished', response: job };
		},
		diagnose: () => ({ action: 'fail' }),
		expire: () => ({ state: 'failed', reason: 'timeout' }),
	});
	const jobs = ['a', 'b', 'c'].map(async (job) => await poll(optionsOf(job), consumer));
	await run.clock.run(Promise.all(jobs));
	expect(polled).toEqual(['a', 'b']);
});
