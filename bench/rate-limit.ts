import '../support/setup';

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { runNode } from '../support/engine';
import { makeDocuments } from './lib/documents';
import type { BenchOptions } from './lib/options';
import { PushDocuments } from './lib/shipped';
import { print, table, whole, type Cell } from './lib/table';

const DOCUMENTS_PER_REQUEST = 100;
const LATENCY_MS = 20;

/** What executions need to find out what the service takes does not count for the settled rate. */
const SETTLING_MS = 2_000;

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

/** What a service takes, how it refuses the rest, and executions that have so many documents each. */
interface Load {
	service: string;
	admits: Admission;
	refusal?: [status: number, headers: Record<string, string>];
	executions: number;
	documents: number;
}

const LOADS: Load[] = [
	{ service: 'takes 5 a second', admits: perSecond(5), executions: 1, documents: 20_000 },
	{ service: 'takes 40 a second', admits: perSecond(40), executions: 20, documents: 2_000 },
	{
		service: 'takes 40 a second; 503 and `Retry-After`',
		admits: perSecond(40),
		refusal: [503, { 'Retry-After': '1' }],
		executions: 20,
		documents: 2_000,
	},
	{
		service: 'takes 4 at once',
		admits: (_now, inFlight) => inFlight < 4,
		executions: 20,
		documents: 2_000,
	},
];

/** Starts a push service that takes only so much. */
async function startService({ admits, refusal = [429, {}] }: Load) {
	const accepted: number[] = [];
	const ids = new Set<string>();
	let refused = 0;
	let inFlight = 0;
	const server = createServer((request, response) => {
		const now = performance.now();
		if (!admits(now, inFlight)) {
			refused++;
			request.resume();
			response.writeHead(...refusal).end('{}');
			return;
		}
		inFlight++;
		response.on('close', () => inFlight--);
		accepted.push(now);
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
	return { server, accepted, ids, refused: () => refused, credentials: { lucidworksPushApi } };
}

/** Push Documents with its default options against services that take only so many requests. */
export async function rateLimit({ quick }: BenchOptions): Promise<string> {
	const rows: Cell[][] = [];
	let lost = 0;
	for (const load of LOADS) {
		const { executions } = load;
		const count = quick ? load.documents / 20 : load.documents;
		const { server, accepted, ids, refused, credentials } = await startService(load);
		const begin = performance.now();
		const results = await Promise.all(
			Array.from(
				{ length: executions },
				async (_, execution) =>
					await runNode({
						node: new PushDocuments(),
						items: makeDocuments(count).map((json) => ({
							...json,
							id: `${execution}-${json.id}`,
						})),
						parameters: { options: { documentsPerRequest: DOCUMENTS_PER_REQUEST } },
						credentials,
						onError: 'continueErrorOutput',
					}),
			),
		);
		const seconds = (performance.now() - begin) / 1000;
		server.close();
		server.closeAllConnections();
		const failed = results.reduce((sum, { errorOutput }) => sum + errorOutput.length, 0);
		const settled = accepted.filter((at) => at - begin >= SETTLING_MS);
		const settledSeconds = Math.max(1, (accepted.at(-1) ?? 0) - begin - SETTLING_MS) / 1000;
		lost += failed + (executions * count - ids.size);
		rows.push([
			load.service,
			executions,
			whole(executions * count),
			whole(failed),
			whole(refused()),
			seconds.toFixed(1),
			(settled.length / settledSeconds).toFixed(1),
		]);
	}
	const units = ['failed', 'refused', 's', 'requests/s, settled'];
	print('', table(['service', 'executions', 'documents', ...units], rows));
	if (lost > 0) throw new Error(`${lost} documents failed or were lost`);
	return 'the service has received every document, and none failed.';
}
