/**
 * Simulates runs with default options in virtual time. The services fail now and then, shed load, go down for a while,
 * or reject everything.
 *
 * `SEEDS=20 FIGURES=1 npx jest test/worlds/sending/service-worlds` simulates each row with 20 seeds instead of 2 and
 * prints a table of the measurements.
 */
import { GATEWAY } from '../../../sandbox/gateway';
import { bucket } from '../../../sandbox/rates';
import { collectDecisions } from '../../../support/decisions';
import {
	always,
	atRandom,
	beyond,
	during,
	onRoute,
	playWorld,
	resetsAtRandom,
	withAny,
	type Fault,
	type Played,
	type World,
} from '../../unit/support/service-world';

jest.setTimeout(120_000);

const SEEDS = Number(process.env.SEEDS ?? 2);
/** Each delete is a separate request, so fewer deletes are simulated by default. */
const DELETES = process.env.SEEDS === undefined ? 2000 : 10_000;

interface Row {
	name: string;
	world: World;
	/** Documents that must fail. No other document may fail. */
	fail?: readonly number[];
	/**
	 * If a request with one of the `fail` documents fails, that document must fail within this many seconds after the
	 * first such failure.
	 */
	isolatedWithin?: number;
	/** Maximum share of runs (one for each seed) in which good documents fail too. */
	exceptions?: number;
	/**
	 * Expects the run to end early. It must end within `after`, which is a range in seconds after the start of the run.
	 */
	ends?: { after: [least: number, most: number] };
	/** Maximum number of requests. */
	requests?: number;
	/**
	 * Compares the mean duration of the runs with the mean duration of runs with these `rules`. `times` is the maximum
	 * ratio.
	 */
	atMost?: { times: number; rules: World['rules'] };
	seconds?: number;
	/** Whether the run is long. A long run is simulated with only one seed. */
	isLong?: boolean;
}

const PUSHES = {
	'100,000 documents, 500 per request': { kind: 'push', entries: 100_000, perRequest: 500 },
	'20,000 documents, 100 per request': { kind: 'push', entries: 20_000, perRequest: 100 },
	'2,000 documents, 10 per request': { kind: 'push', entries: 2000, perRequest: 10 },
} satisfies Record<string, World>;
const SINGLES = {
	'1,000 texts, 10 per request': { kind: 'chunk', entries: 1000, perRequest: 10 },
	'1,000 texts, 1 per request': { kind: 'chunk', entries: 1000, perRequest: 1 },
	[`${DELETES} deletes`]: { kind: 'delete', entries: DELETES },
} satisfies Record<string, World>;
const [LARGE, MEDIUM, SMALL] = Object.values<World>(PUSHES) as [World, World, World];
const [, TEXTS, REMOVALS] = Object.values<World>(SINGLES) as [World, World, World];
const ALL: Array<[string, World]> = Object.entries({ ...PUSHES, ...SINGLES });

const BAD = { status: 500, body: '{"message":"Analysis failed"}' };
const ERROR = { status: 500, body: 'I/O error' };
const SIX_BAD = [3, 300, 301, 700, 701, 1500];
const TWENTY_BAD = Array.from({ length: 20 }, (_, at) => 37 + at * 97);

const nowAndThen: Row[] = ALL.flatMap(([what, world]) => [
	...[0.3, 0.4, 0.5].map((share) => ({
		name: `504 for ${share * 100} % of all requests: ${what}`,
		world: { ...world, rules: [atRandom(share, GATEWAY.timeout)] },
	})),
	...[0.05, 0.1].map((share) => ({
		name: `${share * 100} % of all connections break: ${what}`,
		world: { ...world, rules: [resetsAtRandom(share)] },
	})),
]);

const shedding: Row[] = [
	...ALL.flatMap(([what, world]) =>
		[0.1, 0.3].map((share) => ({
			name: `503 for ${share * 100} % of all requests: ${what}`,
			world: { ...world, rules: [atRandom(share, GATEWAY.noUpstream)] },
			atMost: { times: 2, rules: [atRandom(share, GATEWAY.timeout)] },
		})),
	),
	// Requests are short, so a run without a limiter would send far more than 10 requests per second.
	...([429, 503] as const).flatMap((status): Row[] => [
		{
			name: `${status} beyond 10 requests/s, burst 20: 100,000 documents`,
			world: { ...LARGE, latencyMs: 20, rules: () => [beyond(bucket(10, 20), { status })] },
		},
		{
			name: `${status} beyond 10 requests/s, burst 20: 60,000 documents, 10 per request`,
			world: {
				...SMALL,
				latencyMs: 20,
				entries: 60_000,
				rules: () => [beyond(bucket(10, 20), { status })],
			},
			seconds: (6000 - 20) / (0.8 * 10),
			isLong: true,
		},
		{
			name: `${status} beyond 5 submissions/s, burst 10: 1,000 texts, 1 per request`,
			world: {
				...TEXTS,
				latencyMs: 20,
				rules: () => [onRoute('submit', beyond(bucket(5, 10), { status }))],
			},
		},
		{
			name: `${status} beyond 5 requests/s, burst 10: 1,000 deletes`,
			world: {
				...REMOVALS,
				entries: 1000,
				latencyMs: 20,
				rules: () => [beyond(bucket(5, 10), { status })],
			},
			seconds: (1000 - 10) / (0.8 * 5),
		},
	]),
];

const atFault: Row[] = [
	{
		name: 'one document with 500, others in flight',
		world: { ...LARGE, entries: 10_000, rules: [withAny([3333], BAD)] },
		fail: [3333],
		isolatedWithin: 20,
	},
	{
		name: 'one document with 500, the first one, others in flight',
		world: { ...LARGE, entries: 10_000, rules: [withAny([0], BAD)] },
		fail: [0],
		// No request has succeeded yet, so the client does not know that the service works.
		isolatedWithin: 30,
	},
	{
		name: 'one document with 503, others in flight',
		world: { ...LARGE, entries: 10_000, rules: [withAny([3333], GATEWAY.noUpstream)] },
		fail: [3333],
	},
	{
		name: 'one document whose connection is reset, others in flight',
		world: { ...LARGE, entries: 10_000, rules: [withAny([3333], { reset: 'beforeWork' })] },
		fail: [3333],
		isolatedWithin: 20,
	},
	{
		name: 'one document with 500, nothing else in flight',
		world: { ...LARGE, entries: 600, perRequest: 600, rules: [withAny([333], BAD)] },
		fail: [333],
		isolatedWithin: 30,
	},
	{
		name: 'one document with 403, others in flight',
		world: { ...LARGE, entries: 10_000, rules: [withAny([3333], GATEWAY.accessDenied)] },
		fail: [3333],
		isolatedWithin: 20,
		requests: 60,
	},
	...[0, 7].map((id) => ({
		name: `document ${id} of 500 with 403, nothing else in flight`,
		world: { ...LARGE, entries: 500, rules: [withAny([id], GATEWAY.accessDenied)] },
		fail: [id],
		isolatedWithin: 20,
		requests: 40,
	})),
	{
		name: '6 deletes with 500 among 2,000',
		world: { ...REMOVALS, entries: 2000, rules: [withAny(SIX_BAD, BAD)] },
		fail: SIX_BAD,
	},
	...[0.1, 0.3].map((share) => ({
		name: `one document with 500 amid 504 for ${share * 100} %`,
		world: {
			...LARGE,
			entries: 10_000,
			rules: [withAny([3333], BAD), atRandom(share, GATEWAY.timeout)],
		},
		fail: [3333],
		exceptions: 1 / 20,
	})),
	{
		name: '20 documents with 500 among 2,000',
		world: { ...MEDIUM, entries: 2000, rules: [withAny(TWENTY_BAD, BAD)] },
		fail: TWENTY_BAD,
	},
	{
		name: '20 documents with 500 among 2,000, 10 per request',
		world: { ...MEDIUM, entries: 2000, perRequest: 10, rules: [withAny(TWENTY_BAD, BAD)] },
		fail: TWENTY_BAD,
	},
	{
		name: '3 texts with 500 among 1,000',
		world: { kind: 'chunk', entries: 1000, rules: [withAny([0, 400, 999], BAD)] },
		fail: [0, 400, 999],
	},
];

const TO_GO_DOWN: Array<[string, World]> = [
	['10,000 documents, 100 per request', { kind: 'push', entries: 10_000, perRequest: 100 }],
	['500 texts, 1 per request', { ...TEXTS, entries: 500 }],
	['500 deletes', { ...REMOVALS, entries: 500 }],
];

const OUTAGES: Record<string, Fault> = {
	'no connections': { reset: 'beforeWork' },
	'503 for everything': GATEWAY.noUpstream,
};

const down: Row[] = [
	...TO_GO_DOWN.flatMap(([what, world]): Row[] =>
		Object.entries(OUTAGES).flatMap(([how, fault]): Row[] => [
			{
				name: `${how} for 20 s: ${what}`,
				world: { ...world, rules: [during(1, 21, always(fault))] },
				seconds: 20 + 60,
			},
			{
				name: `${how} for 60 s, Retry For 120 s: ${what}`,
				world: { ...world, rules: [during(1, 61, always(fault))], retryForSeconds: 120 },
				seconds: 60 + 60,
			},
		]),
	),
	{
		name: 'I/O errors for 8 minutes, Retry For 900 s: 100,000 documents',
		world: { ...LARGE, rules: [during(1, 481, always(ERROR))], retryForSeconds: 900 },
		seconds: 560,
	},
	{
		name: 'I/O errors for 8 minutes: 100,000 documents',
		world: { ...LARGE, rules: [during(1, 481, always(ERROR))] },
		ends: { after: [60, 100] },
		requests: 200,
	},
	{
		name: '503 for everything, without an end: 1,000 deletes',
		world: { ...REMOVALS, entries: 1000, rules: [always(GATEWAY.noUpstream)] },
		ends: { after: [60, 150] },
	},
];

const refused: Row[] = [
	...[GATEWAY.accessDenied, GATEWAY.tokenExpired].flatMap((fault) =>
		(
			[
				['100,000 documents', LARGE],
				['1,000 texts by 10', { ...TEXTS, perRequest: 10 }],
				[`${DELETES} deletes`, REMOVALS],
			] satisfies Array<[string, World]>
		).map(
			([what, world]): Row => ({
				name: `${fault.status} for everything: ${what}`,
				world: { ...world, rules: [always(fault)] },
				ends: { after: [0, 3] },
				requests: 52,
			}),
		),
	),
	{
		name: '403 for everything from the second second on: 100,000 documents',
		world: { ...LARGE, rules: [during(1, Infinity, always(GATEWAY.accessDenied))] },
		ends: { after: [1, 5] },
		requests: 80,
	},
	{
		name: '429 for everything: 100,000 documents',
		world: { ...LARGE, rules: [always(GATEWAY.rateLimited)] },
		ends: { after: [295, 345] },
	},
];

const figures: string[] = [];

/** Decisions of the retry policy that these runs exist for, with the number of entries and the cause. */
const DECISIONS = [
	...['again: one, down', 'again: one, overloaded', 'again: one, throttled'],
	...['again: several, down', 'again: several, overloaded', 'again: several, throttled'],
	...['singleOut: several, down', 'singleOut: several, overloaded'],
	...['singleOut: several, forbidden', 'split: several, forbidden'],
	...['split: several, down', 'split: several, overloaded'],
	...['fail: one, down', 'fail: one, overloaded', 'fail: one, forbidden'],
	...['end: one, down', 'end: one, overloaded', 'end: one, stop', 'end: one, forbidden'],
	...['end: several, throttled', 'end: several, stop'],
];
const decisions = collectDecisions();

function violationsOf(row: Row, played: Played): string[] {
	const { fail = [], ends, seconds, requests = Infinity, isolatedWithin } = row;
	const wrong: string[] = [];
	const check = (holds: boolean, what: string) => holds || wrong.push(what);
	check(played.seconds <= (seconds ?? Infinity), `took ${played.seconds} s`);
	check(
		played.isolatedAfter <= (isolatedWithin ?? Infinity),
		`isolated after ${played.isolatedAfter} s`,
	);
	check(played.requests <= requests, `${played.requests} requests`);
	if (ends) {
		const [least, most] = ends.after;
		check(played.ended !== undefined, 'did not end');
		check(played.skipped.length > 0, 'was not early');
		check(played.seconds >= least && played.seconds <= most, `took ${played.seconds} s`);
		return wrong;
	}
	check(
		String(played.failed) === String(fail),
		`${played.failed.length} failed: ${played.failed.slice(0, 5).join()}`,
	);
	check(played.skipped.length === 0, `${played.skipped.length} were not sent`);
	return wrong;
}

async function playRow(row: Row): Promise<string[]> {
	const all: Played[] = [];
	const broken: string[] = [];
	const seeds = row.isLong ? 1 : SEEDS;
	let seconds = 0;
	let comparedSeconds = 0;
	for (let seed = 1; seed <= seeds; seed++) {
		const world = { ...row.world, seed };
		const played = await playWorld(world);
		all.push(played);
		const wrong = violationsOf(row, played);
		if (row.atMost) {
			seconds += played.seconds;
			comparedSeconds += (await playWorld({ ...world, rules: row.atMost.rules })).seconds;
		}
		if (wrong.length > 0) broken.push(`seed ${seed}: ${wrong.join(', ')}`);
	}
	const most = (of: (played: Played) => number) => Math.max(...all.map(of)).toFixed(0);
	const isIsolated = row.fail !== undefined;
	figures.push(
		`| ${row.name} | ${seeds - broken.length} of ${seeds} | ${most(({ failed }) => failed.length)} | ${most(({ skipped }) => skipped.length)} | ${most(({ seconds }) => seconds)} | ${most(({ requests }) => requests)} | ${isIsolated ? most(({ isolatedAfter }) => isolatedAfter) : ''} |`,
	);
	if (row.atMost && seconds > row.atMost.times * comparedSeconds)
		return [...broken, `took ${seconds / seeds} s instead of ${comparedSeconds / seeds} s`];
	return broken.length <= Math.floor(seeds * (row.exceptions ?? 0)) ? [] : broken;
}

afterAll(() => {
	if (!process.env.FIGURES) return;
	const head = [
		'| World | Seeds as wanted | Failed, at most | Not sent, at most | Seconds, at most | Requests, at most | Isolated after, at most |',
		'|---|--:|--:|--:|--:|--:|--:|',
	];
	process.stdout.write(`${[...head, ...figures].join('\n')}\n`);
});

describe.each([
	['a service that fails now and then fails nothing', nowAndThen],
	['a service that sheds load fails nothing', shedding],
	['a document at fault fails alone', atFault],
	['an outage fails what Retry For says', down],
	['a service that refuses everything ends the run', refused],
])('%s', (_, rows) => {
	it.each(rows.map((row): [string, Row] => [row.name, row]))('%s', async (_name, row) => {
		expect(await playRow(row)).toEqual([]);
	});
});

it('each decision of the retry policy has occurred', () => {
	expect(DECISIONS.filter((each) => !decisions.has(each))).toEqual([]);
});
