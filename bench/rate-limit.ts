import '../support/setup';

import { DEMO, type FaultRule } from '../sandbox';
import { runNode } from '../support/engine';
import { atRandom, play } from '../support/rate-limited';
import { FOUR_AT_ONCE, RATE_LIMITS, TEN_MINUTES } from '../support/rate-limits';
import { startService, type Service } from '../support/service';
import { chunkByNode } from './chunk-wait';
import { makeDocuments } from './lib/documents';
import type { BenchOptions } from './lib/options';
import { PushDocuments } from './lib/shipped';
import { print, ratio, table, whole, type Cell } from './lib/table';
import { time } from './lib/timing';

const DOCUMENTS_PER_REQUEST = 100;
const LATENCY_MS = 20;
const JOBS = 400;
/** Number of polls that the service accepts before it refuses one. */
const POLLS_BEFORE = 11;

/** A limit of the service, and the executions that send requests to the service. */
interface Load {
	title: string;
	refuses?: Omit<FaultRule, 'route'>;
	executions: number;
	requests: number;
}

const BUSY = { status: 429 };

const LOADS: Load[] = [
	{ title: 'takes all', executions: 1, requests: 400 },
	{
		title: 'refuses the 12th',
		refuses: { ...BUSY, skip: 11, times: 1 },
		executions: 1,
		requests: 400,
	},
	{
		title: 'takes 5 a second',
		refuses: { ...BUSY, perSecond: 5 },
		executions: 1,
		requests: 200,
	},
	{
		title: 'takes 50 a second, 10 at once',
		refuses: { ...BUSY, perSecond: 50, burst: 10 },
		executions: 1,
		requests: 400,
	},
	{
		title: 'takes 100 a second, 20 at once',
		refuses: { ...BUSY, perSecond: 100, burst: 20 },
		executions: 1,
		requests: 400,
	},
	{
		title: 'takes 40 a second',
		refuses: { ...BUSY, perSecond: 40 },
		executions: 20,
		requests: 20,
	},
	{
		title: 'takes 40 a second; 503 and `Retry-After`',
		refuses: { status: 503, retryAfter: '1', perSecond: 40 },
		executions: 20,
		requests: 20,
	},
	{ title: 'takes 4 in flight', refuses: { ...BUSY, atOnce: 4 }, executions: 20, requests: 20 },
];

/**
 * Runs Push Documents with its default options.
 *
 * @returns the duration in seconds and three counts: refused requests, failed documents, and documents that never
 * arrived
 */
async function push(service: Service, { refuses, executions }: Load, documents: number) {
	await service.reset();
	if (refuses) await service.fault({ route: 'push', ...refuses });
	await service.fault({ route: 'push', latencyMs: LATENCY_MS });
	let failed = 0;
	const one = async (execution: number) => {
		const { errorOutput } = await runNode({
			node: new PushDocuments(),
			items: makeDocuments(documents).map((json) => ({
				...json,
				id: `${execution}-${json.id}`,
			})),
			parameters: { options: { documentsPerRequest: DOCUMENTS_PER_REQUEST } },
			credentials: service.credentials,
			onError: 'continueErrorOutput',
		});
		failed += errorOutput.length;
	};
	const { ms } = await time(
		async () => await Promise.all(Array.from({ length: executions }, (_, at) => one(at))),
	);
	const stats = await service.stats();
	const { '200': _accepted, ...refused } = stats.requests.push ?? {};
	const missing = executions * documents - (stats.documents[DEMO.endpoint] ?? 0);
	const count = Object.values(refused).reduce((sum, number) => sum + number, 0);
	return { seconds: ms / 1000, refused: count, failed, missing };
}

let isMissed = false;

function promise(isKept: boolean): string {
	isMissed ||= !isKept;
	return isKept ? 'yes' : 'NO';
}

const percent = (share: number): string => `${Math.floor(100 * share)}%`;
const range = (values: number[], text: (value: number) => string): string =>
	`${text(Math.min(...values))} to ${text(Math.max(...values))}`;

/**
 * Measures how much of the allowed rate a node reaches in ten minutes. Also measures how many requests are refused. The
 * measurement uses virtual time.
 */
async function learn(seeds: number[], seconds: number): Promise<void> {
	const rows: Cell[][] = [];
	for (const { title, allowed, goal, admits, load } of RATE_LIMITS) {
		const plays = [];
		for (const seed of seeds)
			plays.push(await play({ ...load, admits: admits(), seconds, seed }));
		const shares = plays.map(({ rate }) => rate(0) / allowed);
		const refused = Math.max(...plays.map(({ refusedShare }) => refusedShare(0)));
		const later = Math.max(...plays.map(({ refusedShare }) => refusedShare(60_000)));
		const failed = plays.reduce((sum, each) => sum + each.failed, 0);
		const isKept = Math.min(...shares) >= (goal ?? 0) && refused < 1 / 2 && failed === 0;
		// A short run has no requests after the first minute.
		const isComplete = seconds === TEN_MINUTES;
		const kept = goal && isComplete ? promise(isKept && later < 1 / 10) : '-';
		const cells = [goal ? percent(goal) : '-', range(shares, percent), kept];
		rows.push([title, ...cells, ratio(refused), isComplete ? ratio(later) : '-', failed]);
	}
	const head = ['goal', 'accepted', 'kept', 'refused for each accepted', 'later', 'failed'];
	print('', table(['Ten minutes, virtual, service', ...head], rows));
}

async function compare(seeds: number[]): Promise<void> {
	const rows: Cell[][] = [];
	const seconds = async (load: Omit<Parameters<typeof play>[0], 'seed'>) => {
		const ends = [];
		for (const seed of seeds) {
			const { failed, endedAt } = await play({ ...load, seed });
			if (failed > 0) isMissed = true;
			ends.push(endedAt / 1000);
		}
		return ends;
	};
	const one = (value: number) => value.toFixed(1);
	const { seconds: possible, most, load } = FOUR_AT_ONCE;
	const four = await seconds(load());
	const kept = promise(Math.max(...four) <= most);
	rows.push(['4 at once, Retry-After 1 s', one(possible), one(most), range(four, one), kept]);
	for (const requests of [200, 2000]) {
		for (const share of [0.1, 0.3]) {
			const random = { admits: atRandom(share), requests };
			const down = await seconds({ ...random, status: 504 });
			const busy = await seconds({ ...random, status: 503 });
			const mean = down.reduce((sum, each) => sum + each, 0) / seeds.length;
			const isKept = busy.reduce((sum, each) => sum + each, 0) / seeds.length <= 2 * mean;
			const title = `${requests} requests, 503 for ${percent(share)} of all, at random`;
			rows.push([title, one(mean), one(2 * mean), range(busy, one), promise(isKept)]);
		}
	}
	const head = ['possible, or with 504', 'goal', 's', 'kept'];
	print('', table(['Virtual, service', ...head], rows));
}

/** Runs nodes with their default options against services that limit the number of requests. */
export async function rateLimit({ quick }: BenchOptions): Promise<string> {
	const rows: Cell[][] = [];
	let unlimited = 0;
	let lost = 0;
	const seeds = quick ? [1] : [1, 2, 3, 4, 5];
	await learn(seeds, quick ? 20 : TEN_MINUTES);
	await compare(seeds);
	const service = await startService('sandbox');
	try {
		for (const load of LOADS) {
			const { title, refuses, executions } = load;
			const requests = quick ? load.requests / 20 : load.requests;
			const documents = requests * DOCUMENTS_PER_REQUEST;
			const { seconds, refused, failed, missing } = await push(service, load, documents);
			unlimited ||= seconds;
			lost += failed + missing;
			const rate = refuses?.perSecond;
			const possible = rate ? (executions * requests) / rate : unlimited;
			const figures = [seconds.toFixed(1), possible.toFixed(1), ratio(seconds / possible)];
			rows.push([title, executions, executions * requests, failed, refused, ...figures]);
		}
		const head = ['executions', 'requests', 'failed', 'refused', 's', 'possible', 'ratio'];
		print('', table(['Push Documents, service', ...head], rows));

		await service.reset();
		const jobs = quick ? JOBS / 20 : JOBS;
		await chunkByNode(service, 1);
		const { ms: possible } = await time(async () => await chunkByNode(service, jobs));
		await service.fault({ route: 'results', skip: POLLS_BEFORE, times: 1, status: 429 });
		const { ms } = await time(async () => await chunkByNode(service, jobs));
		const figures = [whole(ms), whole(possible), ratio(ms / possible)];
		const row = ['refuses the 12th poll', whole(jobs), ...figures];
		print('', table(['Chunk Text, service', 'jobs', 'ms', 'possible', 'ratio'], [row]));
	} finally {
		service.close();
	}
	if (lost > 0) throw new Error(`${lost} documents failed or were lost`);
	if (isMissed) throw new Error('A goal was missed: see NO, or a request failed');
	return 'the service has received every document, none failed, and all goals are reached.';
}
