/**
 * Tests each rule of the retry policy in virtual time. Each row lists events and the decision that the policy then
 * makes.
 */
import fc from 'fast-check';

import {
	RetryPolicy,
	ServiceHealth,
	type Decision,
	type FailedAttempt,
} from '../../../nodes/shared/sending/retry-policy';
import type { Diagnosis } from '../../../nodes/shared/sending/diagnosis';
import { runs } from '../../../support/runs';
import { Variations } from '../../../support/variations';
import { VirtualRun } from '../../../support/virtual-run';

const MINUTE_MS = 60_000;
const DIAGNOSES = {
	'401': { action: 'stop' },
	'400': { action: 'split' },
	'409': { action: 'fail' },
	'413': { action: 'split', kind: 'tooLarge' },
	'403': { action: 'split', kind: 'forbidden' },
	'429': { action: 'retry', kind: 'throttled' },
	'503': { action: 'retry', kind: 'overloaded' },
	'504': { action: 'retry', kind: 'down' },
	'no token': { action: 'retry', kind: 'noToken' },
	'not sent': { action: 'retry' },
} satisfies Record<string, Diagnosis>;

type Step =
	| /** The request fails with this diagnosis. */ keyof typeof DIAGNOSES
	| /** Another request starts now and succeeds immediately. */ 'success'
	| /** Another request with a single entry fails with status 400. */ 'other 400'
	| 'other 403'
	| 'other 429'
	| /** The first attempt of another request fails. */ 'other 504'
	| /** The request is split. The next events belong to one of its parts. */ 'part'
	| /** This many milliseconds pass. */ number;

interface Setting {
	size?: number;
	retryForMs?: number;
}

/**
 * Simulates the events in `story`. Returns the decision after the last failure, and the pause before the next attempt.
 */
async function tell(story: Step[], { size = 10, retryForMs = MINUTE_MS }: Setting = {}) {
	const run = new VirtualRun();
	run.clock.random = () => 0.999;
	const health = new ServiceHealth();
	const settings = { run, health, retryForMs, concurrency: 4 };
	let policy = new RetryPolicy(settings);
	let sequence = 0;
	let decision: Decision | undefined;
	const fail = (by: RetryPolicy, kind: keyof typeof DIAGNOSES, count: number) =>
		by.decide({
			diagnosis: DIAGNOSES[kind],
			sequence: ++sequence,
			size: count,
			pausesAll: kind === '429' || kind === '503',
		} satisfies FailedAttempt);
	for (const step of story) {
		if (typeof step === 'number') await run.clock.run(run.sleep(step));
		else if (step === 'success') health.noteSuccess(++sequence, 0, run.now());
		else if (step === 'part') policy = policy.forPart();
		else if (step === 'other 400') fail(new RetryPolicy(settings), '400', 1);
		else if (step === 'other 403') fail(new RetryPolicy(settings), '403', 1);
		else if (step === 'other 429') fail(new RetryPolicy(settings), '429', 1);
		else if (step === 'other 504') fail(new RetryPolicy(settings), '504', 1);
		else decision = fail(policy, step, size);
	}
	const { resumeAt = -Infinity } = policy;
	return { decision, pauseMs: resumeAt - run.now(), isAtFault: policy.isAtFault };
}

const times = <T>(count: number, ...steps: T[]): T[] =>
	Array.from({ length: count }, () => steps).flat();
/** Once this many other requests have succeeded, repeated failures of one request are unlikely to be due to chance. */
const HEALTHY: Step[] = times(30, 'success' as const);
const AMID: Step[] = ['504', 'success'];
const SINGLE = { size: 1 };

test.each<[number, string, Step[], Setting, Decision]>([
	[1, 'a status that every request meets', ['401'], {}, 'end'],
	[2, 'a rejected batch', ['400'], {}, 'split'],
	[2, 'a batch that is too large', ['413'], {}, 'split'],
	[2, 'a rejected entry', ['400'], SINGLE, 'fail'],
	[2, 'a status that no smaller request changes', ['409'], {}, 'fail'],
	[
		2,
		'a batch after nine rejected entries',
		[...times<Step>(9, 'other 400'), '400'],
		{},
		'split',
	],
	[2, 'a batch after ten rejected entries', [...times<Step>(10, 'other 400'), '400'], {}, 'fail'],
	[
		2,
		'a batch that is too large after ten rejected entries',
		[...times<Step>(10, 'other 400'), '413'],
		{},
		'split',
	],
	[
		2,
		'the same once anything succeeded',
		['success', ...times<Step>(10, 'other 400'), '400'],
		{},
		'split',
	],
	[
		2,
		'a part after ten rejected entries',
		['400', 'part', ...times<Step>(10, 'other 400'), '400'],
		{},
		'split',
	],
	[2, 'a batch with 403', ['403'], {}, 'singleOut'],
	[2, 'a batch with 403 after a success before it', ['success', '403'], {}, 'singleOut'],
	[2, 'a batch with 403 after a success since', ['403', 'success', '403'], {}, 'split'],
	[
		2,
		'a part with 403 after a success since the batch',
		['403', 'success', 'part', '403'],
		{},
		'split',
	],
	[2, 'an entry with 403', ['403'], SINGLE, 'fail'],
	[2, 'the third entry with 403', ['other 403', 'other 403', '403'], SINGLE, 'end'],
	[
		2,
		'the third entry with 403, not in a row',
		['other 403', 'other 403', 'success', '403'],
		SINGLE,
		'fail',
	],
	[
		2,
		'the third entry with 403, of a batch that was accepted in part',
		['403', 'success', 'part', 'other 403', 'other 403', '403'],
		SINGLE,
		'fail',
	],
	[3, '429', ['429'], {}, 'again'],
	[3, '429 for almost five minutes', ['429', 299_000, '429'], {}, 'again'],
	[3, '429 for five minutes', ['429', 300_000, '429'], {}, 'end'],
	[3, 'the first 429 in an outage of five minutes', ['504', 300_000, '429'], {}, 'again'],
	[
		3,
		'429 for five minutes amid successes',
		['429', 299_000, 'success', 1000, '429'],
		{},
		'again',
	],
	[4, 'the first transient failure', ['504'], {}, 'again'],
	[4, 'the first failure of a request that never left', ['not sent'], SINGLE, 'again'],
	[5, 'two failures amid successes', [...HEALTHY, ...AMID, '504'], {}, 'again'],
	[5, 'three failures amid successes', [...HEALTHY, ...times(2, ...AMID), '504'], {}, 'split'],
	[5, 'the same with 503', [...HEALTHY, '503', 'success', '503', 'success', '503'], {}, 'split'],
	[
		5,
		'three failures amid few successes',
		['success', ...AMID, '504', 'success', '504'],
		{},
		'split',
	],
	[5, 'two failures without a success', ['504', '504'], {}, 'again'],
	[5, 'three failures without a success', ['504', '504', '504'], {}, 'singleOut'],
	[
		5,
		'three failures after the last success',
		[...HEALTHY, ...times<Step>(3, '504')],
		{},
		'singleOut',
	],
	[
		5,
		'a rest whose entry was singled out',
		[...times<Step>(3, '504'), 'part', ...times<Step>(3, '504')],
		{},
		'again',
	],
	[
		5,
		'a rest, once the entry that was singled out succeeds',
		[...times<Step>(3, '504'), 'part', 'success', '504'],
		{},
		'split',
	],
	[
		5,
		'a part of a suspected batch',
		[...HEALTHY, ...times(3, ...AMID), 'part', '504'],
		{},
		'split',
	],
	[
		5,
		'a part that fails as nothing succeeds any more',
		[...HEALTHY, ...times(3, ...AMID), '504', 'part', '504'],
		{},
		'again',
	],
	[5, 'a part of a rejected batch', [...HEALTHY, '400', 'success', 'part', '504'], {}, 'again'],
	[
		6,
		'an entry of a suspected batch, for the third time',
		[...HEALTHY, '504', 'part', 'success', ...times<Step>(3, '504')],
		SINGLE,
		'again',
	],
	[
		6,
		'an entry of a suspected batch, for the fifth time',
		[...HEALTHY, '504', 'part', 'success', ...times<Step>(5, '504')],
		SINGLE,
		'fail',
	],
	[
		6,
		'the same as nothing succeeds any more',
		[...HEALTHY, '504', 'part', ...times<Step>(5, '504')],
		SINGLE,
		'again',
	],
	[6, 'an entry after Retry For', [...HEALTHY, '504', MINUTE_MS, '504'], SINGLE, 'fail'],
	[6, 'an entry shortly before', [...HEALTHY, '504', 59_000, '504'], SINGLE, 'again'],
	[
		6,
		'a batch after Retry For, as others succeed',
		['504', MINUTE_MS, 'success', '504'],
		{},
		'split',
	],
	[6, 'a batch after Retry For, as nothing succeeds', ['504', MINUTE_MS, '504'], {}, 'split'],
	[6, 'an entry, however short Retry For is', ['504'], { size: 1, retryForMs: 0 }, 'again'],
	[6, 'an entry, the second time', ['504', '504'], { size: 1, retryForMs: 0 }, 'fail'],
	[6, 'a request that never left', ['not sent', MINUTE_MS, 'not sent'], SINGLE, 'fail'],
	[6, 'no token for that long', ['no token', MINUTE_MS, 'no token'], SINGLE, 'end'],
	[
		7,
		'more requests than fit in flight, for Retry For',
		[...times<Step>(4, 'other 504'), '504', MINUTE_MS, '504'],
		SINGLE,
		'end',
	],
	[
		7,
		'no more than fit in flight',
		[...times<Step>(3, 'other 504'), '504', MINUTE_MS, '504'],
		SINGLE,
		'fail',
	],
	[
		7,
		'a success meanwhile',
		[...times<Step>(4, 'other 504'), '504', MINUTE_MS, 'success', '504'],
		SINGLE,
		'fail',
	],
	[
		7,
		'a short Retry For, after a few seconds',
		[...times<Step>(4, 'other 504'), '504', 9000, '504'],
		{ size: 1, retryForMs: 0 },
		'fail',
	],
	[
		7,
		'a short Retry For, after ten seconds',
		[...times<Step>(4, 'other 504'), '504', 10_000, '504'],
		{ size: 1, retryForMs: 0 },
		'end',
	],
])('rule %i: %s', async (_rule, _case, story, setting, expected) => {
	expect((await tell(story, setting)).decision).toBe(expected);
});

test('whether a run ends depends only on what has happened since the last success', async () => {
	const variations = new Variations();
	const anySteps = (own: Step[]) =>
		fc.array(
			fc.oneof(
				{ weight: 8, arbitrary: fc.constant<Step>('other 504') },
				{
					weight: 4,
					arbitrary: fc.constantFrom<Step>('other 400', 'other 403', 'other 429'),
				},
				{
					weight: 3,
					arbitrary: fc.constantFrom<Step>(10_000, MINUTE_MS, 5 * MINUTE_MS),
				},
				...own.map((step) => ({ weight: 1, arbitrary: fc.constant(step) })),
			),
			{ minLength: 4, maxLength: 20 },
		);
	await fc.assert(
		fc.asyncProperty(
			anySteps(['success']),
			anySteps(['403', '429', '504']),
			fc.constantFrom<Step>('403', '429', '504'),
			async (before, since, last) => {
				const ends = async (story: Step[]) =>
					(await tell([...story, 'success', ...since, last], SINGLE)).decision === 'end';
				const isEnd = await ends([]);
				variations.note({
					'goes on': !isEnd,
					'ends after 403': isEnd && last === '403',
					'ends after 429': isEnd && last === '429',
					'ends after 504': isEnd && last === '504',
				});
				expect(await ends(before)).toBe(isEnd);
			},
		),
		{ numRuns: runs(1000) },
	);
	expect(variations.rarerThan(2)).toEqual([]);
});

test.each<[string, Step[], number]>([
	['half a second at first', ['504'], 499.5],
	['twice as long each time', ['504', '504', '504'], 1998],
	['20 s at most', times<Step>(9, '504'), 19_980],
	['5 s at most while others succeed', ['success', ...times<Step>(9, '504')], 4995],
	[
		'5 s at most for 20 s after the last success',
		['success', 19_000, ...times<Step>(9, '504')],
		4995,
	],
	['20 s after that', ['success', 20_000, ...times<Step>(9, '504')], 19_980],
])('the longest pause is %s', async (_case, story, expected) => {
	expect((await tell(story)).pauseMs).toBeCloseTo(expected, 0);
});

test('after 429 and 503 the limiter pauses the requests, not the policy', async () => {
	for (const status of ['429', '503'] as const)
		expect((await tell([status])).pauseMs).toBe(-Infinity);
});

test('an entry is at fault only if others succeed', async () => {
	const alone: Step[] = [...HEALTHY, '504', 'part', 'success', ...times<Step>(5, '504')];
	expect((await tell(alone, SINGLE)).isAtFault).toBe(true);
	expect((await tell(['504', MINUTE_MS, '504'], SINGLE)).isAtFault).toBe(false);
});
