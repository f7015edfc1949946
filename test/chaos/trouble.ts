/** What may go wrong in any world: faults, a busy service, odd jobs, Stop and Retry On Fail. */
import fc from 'fast-check';
import type { OnError } from 'n8n-workflow';

import type { Settings } from './adapter';
import { FORMS } from './canaries';
import { SHAPES, type Fault, type FaultRule, type Shape } from './faults';
import type { Busy, Damage, JobPlan, Route } from './service';
import { jobOf, type Flow, type World } from './world';

const ON_ERROR: OnError[] = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'];

/** Statuses after which the work may have been done all the same. */
const AMBIGUOUS = [408, 500, 502, 503, 504];

const CLEAR = [400, 401, 403, 404, 409, 413, 422, 425, 429, 501];

const anyForm = fc.constantFrom(...FORMS);

const anyBody = fc.constantFrom<'json' | 'html' | 'empty' | 'text'>(
	'json',
	'html',
	'empty',
	'text',
);

const anyStatus: fc.Arbitrary<Fault> = fc.oneof(
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constantFrom(...AMBIGUOUS),
		body: anyBody,
		effect: fc.boolean(),
	}),
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constantFrom(...CLEAR),
		body: anyBody,
		effect: fc.constant(false),
	}),
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constantFrom(...CLEAR, ...AMBIGUOUS),
		body: fc.constantFrom<'json' | 'text' | 'html'>('json', 'text', 'html'),
		effect: fc.constant(false),
		echo: anyForm,
	}),
	fc.record({
		kind: fc.constant('status' as const),
		status: fc.constantFrom(429, 503),
		retryAfter: fc.constantFrom<'seconds' | 'date' | 'nonsense'>('seconds', 'date', 'nonsense'),
		body: fc.constant('empty' as const),
		effect: fc.constant(false),
	}),
);

/** Faults that take no time. */
const anyQuickFault: fc.Arbitrary<Fault> = fc.oneof(
	{ weight: 6, arbitrary: anyStatus },
	fc.record({
		kind: fc.constant('redirect' as const),
		status: fc.constantFrom<302 | 307 | 308>(302, 307, 308),
	}),
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('reset' as const),
			when: fc.constantFrom<'before' | 'after' | 'withinHeaders'>(
				'before',
				'after',
				'withinHeaders',
			),
		}),
	},
	fc.constantFrom<Fault>(
		{ kind: 'truncated' },
		{ kind: 'html' },
		{ kind: 'empty' },
		{ kind: 'noContent' },
		{ kind: 'charset' },
		{ kind: 'gzip' },
		{ kind: 'slow', delayMs: 30 },
	),
	fc.record({
		kind: fc.constant('shape' as const),
		shape: fc.constantFrom(...(Object.keys(SHAPES) as Shape[])),
	}),
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('echo' as const),
			echo: anyForm,
			where: fc.constantFrom<'message' | 'status' | 'field'>('message', 'status', 'field'),
		}),
	},
);

const anySlowFault = fc.constantFrom<Fault>(
	{ kind: 'hang', effect: true },
	{ kind: 'hang', effect: false },
	{ kind: 'trickle' },
);

/** Slow faults cost a Request Timeout each, so few worlds have one. */
const anyFault = fc.oneof(
	{ weight: 30, arbitrary: anyQuickFault },
	{ weight: 1, arbitrary: anySlowFault },
);

const anyFaults = (...routes: Route[]): fc.Arbitrary<FaultRule[]> =>
	fc.array(
		fc.record({
			route: fc.constantFrom(...routes),
			skip: fc.nat({ max: 4 }),
			times: fc.integer({ min: 1, max: 4 }),
			fault: anyFault,
		}),
		{ maxLength: 3 },
	);

const anyOnError = fc.constantFrom(...ON_ERROR);

const maybeCancel = fc.oneof(
	{ weight: 14, arbitrary: fc.constant(undefined) },
	{ weight: 1, arbitrary: fc.integer({ min: 5, max: 250 }) },
);

export const anyTrouble = (...routes: Route[]) => ({
	onError: anyOnError,
	faults: anyFaults(...routes),
	cancelAfterMs: maybeCancel,
});

/** Now and then a request is refused, without a word about when to come again. */
const anySparseRefusal: fc.Arbitrary<Busy> = fc
	.integer({ min: 2, max: 7 })
	.map((oneOf) => ({ status: 429, refusesAllForMs: 0, requestsPerInterval: Infinity, oneOf }));

const anyPhase: fc.Arbitrary<Busy> = fc
	.record({
		refuses: fc.constantFrom<Pick<Busy, 'status' | 'retryAfterSeconds'>>(
			{ status: 429 },
			{ status: 429 },
			{ status: 429, retryAfterSeconds: 1 },
			{ status: 503, retryAfterSeconds: 1 },
		),
		refusesAllForMs: fc.constantFrom(0, 100, 300),
		requestsPerInterval: fc.integer({ min: 1, max: 4 }),
	})
	.map(({ refuses, ...busy }) => ({ ...refuses, ...busy }));

const anyBusy = fc.oneof({ weight: 2, arbitrary: anyPhase }, anySparseRefusal);

/** Longer than any service is busy. */
const PATIENCE: Settings = { maxRefused: 60 };

/** In some of these worlds the service is busy. */
export const oftenBusy = (worlds: fc.Arbitrary<World>): fc.Arbitrary<World> =>
	fc.oneof(
		{ weight: 14, arbitrary: worlds },
		{
			weight: 1,
			arbitrary: fc.tuple(worlds, anyBusy).map(([world, busy]) => ({
				...world,
				settings: { ...world.settings, ...PATIENCE },
				service: { ...world.service, busy },
			})),
		},
	);

/** In some of these worlds a node is run again, mostly because its first item always fails. */
export const oftenRetried = (worlds: fc.Arbitrary<World>): fc.Arbitrary<World> =>
	fc.oneof(
		{ weight: 8, arbitrary: worlds },
		{
			weight: 1,
			arbitrary: fc.tuple(worlds, fc.constantFrom(true, true, false)).map(
				([world, isFirstBad]): World => ({
					...world,
					retries: true,
					...(isFirstBad && {
						items: world.items.map((item, at) => (at > 0 ? item : { ...item, id: '' })),
						texts: world.texts.map((parts, at) => (at > 0 ? parts : [0])),
					}),
				}),
			),
		},
	);

const anyVectors = fc.constantFrom<JobPlan['vectors']>(
	'all',
	'oneLess',
	'oneMore',
	'nullForOne',
	'none',
);

const anyDamage = fc.constantFrom<Damage>(
	'nan',
	'infinity',
	'truncated',
	'trailingBytes',
	'controlCharacter',
	'jsonInString',
);

/** A job with anything about it. */
const anyOddJob: fc.Arbitrary<JobPlan> = fc.record({
	polls: fc.nat({ max: 3 }),
	pendingStatus: fc.constantFrom('SUBMITTED', 'RUNNING', 'QUEUED', 'submitted', null),
	pendingData: fc.constantFrom<JobPlan['pendingData']>(
		'none',
		'emptyList',
		'emptyTexts',
		'firstChunk',
	),
	end: fc.constantFrom<JobPlan['end']>(
		'ready',
		'ready',
		'ready',
		'ready',
		'error',
		'errorWithData',
		'failed',
	),
	readyStatus: fc.constantFrom('READY', 'RETRIEVED', 'ready', 'Retrieved'),
	shape: fc.constantFrom<JobPlan['shape']>(
		'current',
		'current',
		'older',
		'noSpans',
		'unknown',
		'missingEntry',
	),
	truncate: fc.constantFrom<JobPlan['truncate']>('nothing', 'tail', 'whole'),
	once: fc.boolean(),
	damage: fc.constant<Damage>('nothing'),
	vectors: anyVectors,
	isReversed: fc.constantFrom(false, false, false, true),
});

export const anyJob: fc.Arbitrary<JobPlan> = fc.oneof(
	{
		weight: 2,
		arbitrary: fc.record({ polls: fc.nat({ max: 3 }), once: fc.boolean() }).map(jobOf),
	},
	{ weight: 2, arbitrary: anyOddJob },
	fc.record({ polls: fc.nat({ max: 1 }), once: fc.boolean(), damage: anyDamage }).map(jobOf),
	fc
		.record({
			shape: fc.constantFrom<JobPlan['shape']>('current', 'older'),
			vectors: anyVectors,
		})
		.map(jobOf),
	fc.constantFrom(jobOf({ isReversed: true }), jobOf({ isReversed: true, shape: 'noSpans' })),
);

/** Get Results does not know the texts, so that nobody can tell whose chunks an entry has. */
export const jobsFor = (flow: Flow, jobs: JobPlan[]): JobPlan[] =>
	flow === 'once' ? jobs : jobs.map((job) => ({ ...job, isReversed: false }));
