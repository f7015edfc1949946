/** Worlds: what goes in, how the node is set, and what the service does about it. All plain JSON. */
import fc from 'fast-check';
import type { IDataObject, OnError } from 'n8n-workflow';

import type { NodeKey, Settings } from './adapter';
import { FORMS } from './canaries';
import type { FilePlan } from './file-plan';
import { SHAPES, type Fault, type FaultRule, type Shape } from './faults';
import {
	PLAIN_JOB,
	PLAIN_SERVICE,
	type Busy,
	type Damage,
	type JobPlan,
	type Route,
	type ServicePlan,
} from './service';

/** Chunk Text in one run, or in two: what the first one leaves over goes into the second. */
export type Flow = 'once' | 'submitThenGet' | 'waitThenGet' | 'waitThenResume';

export interface World {
	node: NodeKey;
	onError: OnError;
	/** Push and delete: the items as they are. Chunk: made from `texts`. */
	items: IDataObject[];
	/** Chunk: how many parts each text of each item has. */
	texts: number[][];
	/** Instead of both: each item has a file. */
	files?: FilePlan[];
	settings: Settings;
	flow: Flow;
	/** n8n's Retry On Fail: the node is run once more if it, or its first item, fails. */
	retries: boolean;
	service: ServicePlan;
	faults: FaultRule[];
	cancelAfterMs?: number;
}

export const PLAIN_WORLD: World = {
	node: 'push',
	onError: 'continueRegularOutput',
	items: [],
	texts: [],
	settings: {},
	flow: 'once',
	retries: false,
	service: PLAIN_SERVICE,
	faults: [],
};

/** A world that differs from a plain one only in what is given. */
export function worldOf(
	given: Partial<Omit<World, 'service'>> & { service?: Partial<ServicePlan> },
): World {
	return { ...PLAIN_WORLD, ...given, service: { ...PLAIN_SERVICE, ...given.service } };
}

/** What differs from a plain world, as {@link worldOf} takes it. */
export function differenceOf(world: World): object {
	const differs =
		(plain: object) =>
		([key, value]: [string, unknown]) =>
			JSON.stringify(value) !== JSON.stringify(plain[key as never]);
	const entries = Object.entries(world).filter(differs(PLAIN_WORLD));
	const service = Object.entries(world.service).filter(differs(PLAIN_SERVICE));
	return {
		...Object.fromEntries(entries),
		...(service.length > 0 && { service: Object.fromEntries(service) }),
	};
}

export const jobOf = (given: Partial<JobPlan>): JobPlan => ({ ...PLAIN_JOB, ...given });

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

export const anyFaults = (...routes: Route[]): fc.Arbitrary<FaultRule[]> =>
	fc.array(
		fc.record({
			route: fc.constantFrom(...routes),
			skip: fc.nat({ max: 4 }),
			times: fc.integer({ min: 1, max: 4 }),
			fault: anyFault,
		}),
		{ maxLength: 3 },
	);

export const anyOnError = fc.constantFrom(...ON_ERROR);
export const maybeCancel = fc.oneof(
	{ weight: 14, arbitrary: fc.constant(undefined) },
	{ weight: 1, arbitrary: fc.integer({ min: 5, max: 250 }) },
);

export const COMMON: Settings = { maxAttempts: 2, timeout: 1, maxRefused: 2 };

const anyBusy: fc.Arbitrary<Busy> = fc
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
const oftenRetried = (worlds: fc.Arbitrary<World>): fc.Arbitrary<World> =>
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

/** IDs that a URL, a header or JSON may get wrong. */
const ODD_IDS = [
	'a/b',
	'a b?c#d',
	'100%',
	'ü漢😀',
	'%2F',
	'a+b&c=d',
	'https://example.com/x?y=1#z',
	'12345',
	'007',
	'"quoted\\"',
];

export const anyDocumentId = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom('d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7') },
	fc.constantFrom(...ODD_IDS),
);

/** What a document may have of its own that a response has too. */
export const OWN_FIELDS = {
	error: fc.constantFrom<unknown>('failed once', { code: 7, line: 1 }),
	errors: fc.constant(['a typo']),
	related: fc.constantFrom('d0', 'd1', 'd2', 'd3').map((id) => [{ status: 'rejected', id }]),
};

const anyDocument = fc.record(
	{
		...OWN_FIELDS,
		id: anyDocumentId,
		name: fc.constant('Name'),
		reject: fc.constantFrom(false, false, false, true),
		poison: fc.constantFrom(false, false, false, false, true),
		text: fc.string({ unit: 'binary', maxLength: 20 }),
		// n8n's own ways to say that an item failed must not confuse anything.
		status: fc.constantFrom('draft', 'error', 500),
	},
	{ requiredKeys: ['id', 'name'] },
);

export const anyPushAnswer = fc.constantFrom<ServicePlan['pushAnswer']>(
	'none',
	'status',
	'perDocument',
	'echo',
	'echo',
);

const anyPush: fc.Arbitrary<World> = fc
	.record({
		documents: fc.array(
			fc.oneof(
				{ weight: 12, arbitrary: anyDocument },
				fc.constantFrom<IDataObject>(
					{ id: 5, name: 'A number as ID' },
					{ id: '', name: 'No ID' },
					{ id: 'noName' },
				),
			),
			{ minLength: 1, maxLength: 10 },
		),
		onError: anyOnError,
		faults: anyFaults('push'),
		cancelAfterMs: maybeCancel,
		settings: fc.record({
			documentsPerRequest: fc.integer({ min: 1, max: 5 }),
			bytesPerRequest: fc.integer({ min: 200, max: 600 }),
			concurrency: fc.integer({ min: 1, max: 3 }),
			duplicates: fc.constantFrom('fail', 'keepLast', 'sendInOrder'),
			pushOutput: fc.constantFrom('documents', 'documents', 'documents', 'summary'),
			documentSource: fc.constantFrom('wholeItem', 'json'),
		}),
		service: fc.record({
			refusesPoison: fc.boolean(),
			maxPushBytes: fc.constantFrom(300, 5_000_000),
			pushAnswer: anyPushAnswer,
			hasNumericSecrets: fc.boolean(),
			rejection: fc.constantFrom<ServicePlan['rejection']>(
				'status',
				'textStatus',
				'errorsBeside',
				'listedTwice',
				'numericId',
			),
		}),
	})
	.map(({ documents, settings, ...world }) =>
		worldOf({
			...world,
			node: 'push',
			items: documents.map(
				(document, at) => ({ ...document, version: `v${at}` }) as IDataObject,
			),
			settings: { ...COMMON, ...settings },
		}),
	);

/** `.` and `..`, numbers that are not exact, and other things that name no document. */
export const BAD_IDS: unknown[] = [
	'',
	' ',
	'.',
	'..',
	'\ud800',
	2 ** 53,
	1e21,
	-(2 ** 60),
	null,
	{},
	[],
	true,
];

const anyDelete: fc.Arbitrary<World> = fc
	.record({
		items: fc.array(
			fc
				.oneof(
					{ weight: 8, arbitrary: fc.oneof(anyDocumentId, fc.constantFrom(7, 12345)) },
					fc.constantFrom(...BAD_IDS),
				)
				.map((id) => ({ id }) as IDataObject),
			{ minLength: 1, maxLength: 10 },
		),
		onError: anyOnError,
		faults: anyFaults('delete'),
		cancelAfterMs: maybeCancel,
		settings: fc.record({
			commit: fc.constantFrom('serviceDefault', 'lastDeleteOnly', 'everyDelete'),
			concurrency: fc.integer({ min: 1, max: 3 }),
			ignoreNotFound: fc.boolean(),
		}),
		service: fc.record({
			unknownId: fc.constantFrom<ServicePlan['unknownId']>('notFound', 'success'),
			indexed: fc.subarray(
				['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', ...ODD_IDS, '7'],
				{
					minLength: 6,
				},
			),
		}),
	})
	.map(({ settings, ...world }) =>
		worldOf({ ...world, node: 'delete', settings: { ...COMMON, ...settings } }),
	);

const anyMigration: fc.Arbitrary<World> = fc
	.record({
		count: fc.integer({ min: 1, max: 3 }),
		oncePerItem: fc.boolean(),
		onError: anyOnError,
		faults: anyFaults('migrate'),
		cancelAfterMs: maybeCancel,
		hasNumericSecrets: fc.boolean(),
	})
	.map(({ count, oncePerItem, hasNumericSecrets, ...world }) =>
		worldOf({
			...world,
			service: { hasNumericSecrets },
			node: 'migrate',
			items: Array.from({ length: count }, (_, n) => ({ n })),
			settings: { confirm: true, oncePerItem, timeout: 1 },
		}),
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
	fc.constant(jobOf({ isReversed: true })),
);

/** Get Results does not know the texts, so that nobody can tell whose chunks an entry has. */
export const jobsFor = (flow: Flow, jobs: JobPlan[]): JobPlan[] =>
	flow === 'once' ? jobs : jobs.map((job) => ({ ...job, isReversed: false }));

export const NEVER: JobPlan = { ...PLAIN_JOB, end: 'never' };

export const anyChunking: fc.Arbitrary<World> = fc
	.record({
		texts: fc.array(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 }), {
			minLength: 1,
			maxLength: 6,
		}),
		list: fc.boolean(),
		jobs: fc.array(anyJob, { minLength: 1, maxLength: 3 }),
		never: fc.constantFrom(...Array<boolean>(24).fill(false), true),
		bad: fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 1 })), { maxLength: 1 }),
		revokesTokens: fc.boolean(),
		flow: fc.constantFrom<Flow>('once', 'once', 'submitThenGet'),
		later: fc.constantFrom<Flow>('once', 'waitThenGet', 'waitThenResume'),
		onError: anyOnError,
		faults: anyFaults('token', 'submit', 'submit', 'results', 'results', 'results'),
		cancelAfterMs: maybeCancel,
		settings: fc.record({
			chunkOutput: fc.constantFrom(
				'documents',
				'documents',
				'documents',
				'chunks',
				'texts',
				'raw',
			),
			includeVectors: fc.boolean(),
			textsPerRequest: fc.integer({ min: 1, max: 4 }),
			concurrency: fc.integer({ min: 1, max: 3 }),
			previousChunkCount: fc.constantFrom(0, 6),
			whenTimeRunsOut: fc.constantFrom('fail', 'output'),
			isolate: fc.boolean(),
		}),
	})
	.map(({ texts, list, jobs, never, bad, flow, later, settings, revokesTokens, ...world }) => {
		const actual = list ? texts : texts.map(([first]) => [first]);
		const { previousChunkCount, chunkOutput } = settings;
		const documents = chunkOutput === 'documents';
		return worldOf({
			...world,
			node: 'chunk',
			texts: actual,
			// A job that never ends costs a Max Wait.
			flow: never ? later : flow,
			settings: {
				...COMMON,
				...settings,
				textSource: list ? 'list' : 'expression',
				previousChunkCount: documents ? previousChunkCount : 0,
			},
			service: {
				jobs: jobsFor(never ? later : flow, never ? [...jobs, NEVER] : jobs),
				badTexts: bad.map(([item, at]) => `i${item}t${at}`),
				revokesTokens,
			},
		});
	});

/** Any world, chunking more often than the others because it has most to get wrong. */
export const anyWorld: fc.Arbitrary<World> = oftenBusy(
	oftenRetried(
		fc.oneof(
			{ weight: 9, arbitrary: anyChunking },
			{ weight: 4, arbitrary: anyPush },
			{ weight: 3, arbitrary: anyDelete },
			{ weight: 2, arbitrary: anyMigration },
		),
	),
);
