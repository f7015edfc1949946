import '../support/setup';

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { runNode } from '../support/engine';
import { makeDocuments } from './lib/documents';
import type { BenchOptions } from './lib/options';
import { startService, type Service } from '../support/service';
import { ChunkText, PushDocuments } from './lib/shipped';
import { print, ratio, table, whole, type Cell } from './lib/table';
import { time } from './lib/timing';

const DOCUMENTS_PER_REQUEST = 100;
const LATENCY_MS = 20;
/** Jobs, and polls that pass before the one that is refused. */
const JOBS = 400;
const POLLS_BEFORE = 11;

/** Whether a service takes one more request, at a time and with so many others in flight. */
type Admission = (now: number, inFlight: number) => boolean;

/** So many in each second of the clock. */
function perSecond(rate: number): Admission {
	let second = 0;
	let count = 0;
	return (now) => {
		if (Math.floor(now / 1000) !== second) count = 0;
		second = Math.floor(now / 1000);
		return ++count <= rate;
	};
}

/** So many a second, and so many at once after a pause, as gateways count. */
function inBursts(rate: number, burst: number): Admission {
	let left = burst;
	let last = 0;
	return (now) => {
		left = Math.min(burst, left + ((now - last) / 1000) * rate);
		last = now;
		if (left < 1) return false;
		left--;
		return true;
	};
}

/** All but one. */
function allBut(refused: number): Admission {
	let count = 0;
	return () => ++count !== refused;
}

/** What a service takes, how it refuses the rest, and executions that have so many requests each. */
interface Load {
	service: string;
	admits: Admission;
	/** Requests a second that it takes, if that is the limit. */
	rate?: number;
	refusal?: [status: number, headers: Record<string, string>];
	executions: number;
	requests: number;
}

const LOADS: Load[] = [
	{ service: 'takes all', admits: () => true, executions: 1, requests: 400 },
	{ service: 'refuses the 12th', admits: allBut(12), executions: 1, requests: 400 },
	{ service: 'takes 5 a second', admits: perSecond(5), rate: 5, executions: 1, requests: 200 },
	{
		service: 'takes 50 a second, 10 at once',
		admits: inBursts(50, 10),
		rate: 50,
		executions: 1,
		requests: 400,
	},
	{
		service: 'takes 100 a second, 20 at once',
		admits: inBursts(100, 20),
		rate: 100,
		executions: 1,
		requests: 400,
	},
	{ service: 'takes 40 a second', admits: perSecond(40), rate: 40, executions: 20, requests: 20 },
	{
		service: 'takes 40 a second; 503 and `Retry-After`',
		admits: perSecond(40),
		rate: 40,
		refusal: [503, { 'Retry-After': '1' }],
		executions: 20,
		requests: 20,
	},
	{
		service: 'takes 4 in flight',
		admits: (_now, inFlight) => inFlight < 4,
		executions: 20,
		requests: 20,
	},
];

/** Starts a push service that takes only so much. */
async function startLimited({ admits, refusal = [429, {}] }: Load) {
	const ids = new Set<string>();
	let refused = 0;
	let inFlight = 0;
	const server = createServer((request, response) => {
		if (!admits(performance.now(), inFlight)) {
			refused++;
			request.resume();
			response.writeHead(...refusal).end('{}');
			return;
		}
		inFlight++;
		response.on('close', () => inFlight--);
		let text = '';
		request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
		request.on('end', () => {
			for (const { id } of JSON.parse(text) as Array<{ id: string }>) ids.add(id);
			setTimeout(() => response.end('{}'), LATENCY_MS);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const pushUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const lucidworksPushApi = { pushUrl, endpoint: 'docs', apiKey: 'a-key' };
	return { server, ids, refused: () => refused, credentials: { lucidworksPushApi } };
}

/**
 * Runs Push Documents with its default options.
 *
 * @returns seconds, requests that were refused, and documents that failed or that the service has not received
 */
async function push(load: Load, documents: number) {
	const { server, ids, refused, credentials } = await startLimited(load);
	let failed = 0;
	const one = async (execution: number) => {
		const { errorOutput } = await runNode({
			node: new PushDocuments(),
			items: makeDocuments(documents).map((json) => ({
				...json,
				id: `${execution}-${json.id}`,
			})),
			parameters: { options: { documentsPerRequest: DOCUMENTS_PER_REQUEST } },
			credentials,
			onError: 'continueErrorOutput',
		});
		failed += errorOutput.length;
	};
	const { ms } = await time(
		async () => await Promise.all(Array.from({ length: load.executions }, (_, at) => one(at))),
	);
	server.close();
	server.closeAllConnections();
	const missing = load.executions * documents - ids.size;
	return { seconds: ms / 1000, refused: refused(), failed, missing };
}

/** Seconds in which Chunk Text fetches the chunks of many texts, a job each. */
async function chunk(service: Service, jobs: number): Promise<number> {
	const { ms } = await time(async () => {
		const { output, error } = await runNode({
			node: new ChunkText(),
			items: Array.from({ length: jobs }, (_, index) => ({ text: `Text ${index}.` })),
			parameters: {
				operation: 'submitAndWait',
				text: '={{ $json.text }}',
				output: 'chunks',
				modelId: 'gte-small',
				chunker: 'sentence',
				options: { textsPerRequest: 1 },
			},
			credentials: service.credentials,
		});
		if (error || output.length < jobs) throw error ?? new Error('Chunks are missing');
	});
	return ms / 1000;
}

/** Nodes with their default options against services that take only so many requests. */
export async function rateLimit({ quick }: BenchOptions): Promise<string> {
	const rows: Cell[][] = [];
	let unlimited = 0;
	let lost = 0;
	for (const load of LOADS) {
		const { service, rate, executions } = load;
		const requests = quick ? load.requests / 20 : load.requests;
		const { seconds, refused, failed, missing } = await push(
			load,
			requests * DOCUMENTS_PER_REQUEST,
		);
		unlimited ||= seconds;
		lost += failed + missing;
		const possible = rate ? (executions * requests) / rate : unlimited;
		const figures = [seconds.toFixed(1), possible.toFixed(1), ratio(seconds / possible)];
		rows.push([service, executions, executions * requests, failed, refused, ...figures]);
	}
	const head = ['executions', 'requests', 'failed', 'refused', 's', 'possible', 'ratio'];
	print('', table(['Push Documents, service', ...head], rows));

	const service = await startService('sandbox');
	try {
		const jobs = quick ? JOBS / 20 : JOBS;
		await chunk(service, 1);
		const possible = await chunk(service, jobs);
		await service.fault({ route: 'results', skip: POLLS_BEFORE, times: 1, status: 429 });
		const seconds = await chunk(service, jobs);
		const figures = [seconds.toFixed(1), possible.toFixed(1), ratio(seconds / possible)];
		const row = ['refuses the 12th poll', whole(jobs), ...figures];
		print('', table(['Chunk Text, service', 'jobs', 's', 'possible', 'ratio'], [row]));
	} finally {
		service.close();
	}
	if (lost > 0) throw new Error(`${lost} documents failed or were lost`);
	return 'the service has received every document, and none failed.';
}
