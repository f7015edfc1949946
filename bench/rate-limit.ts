import '../support/setup';

import { DEMO, type FaultRule } from '../sandbox';
import { runNode } from '../support/engine';
import { startService, type Service } from '../support/service';
import { chunkByNode } from './chunk-wait';
import { makeDocuments } from './lib/documents';
import type { BenchOptions } from './lib/options';
import { PushDocuments } from './lib/shipped';
import { print, ratio, table, whole, type Cell } from './lib/table';
import { time } from './lib/timing';

const DOCUMENTS_PER_REQUEST = 100;
const LATENCY_MS = 20;
/** Jobs, and polls that pass before the one that is refused. */
const JOBS = 400;
const POLLS_BEFORE = 11;

/** What a service refuses, and executions that have so many requests each. */
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
 * @returns seconds, requests that were refused, and documents that failed or that the service has not received
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

/** Nodes with their default options against services that take only so many requests. */
export async function rateLimit({ quick }: BenchOptions): Promise<string> {
	const rows: Cell[][] = [];
	let unlimited = 0;
	let lost = 0;
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
	return 'the service has received every document, and none failed.';
}
