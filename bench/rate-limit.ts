import '../support/setup';

import { PushDocuments } from './lib/shipped';
import { runNode } from '../support/engine';
import { startRateLimitedService, type RateLimit } from './rate-limited-service';
import { makeDocuments } from './lib/documents';
import type { BenchOptions } from './lib/options';
import { print, table, whole, type Cell } from './lib/table';

const DOCUMENTS_PER_REQUEST = 100;
/** What executions need to find out what the service takes does not count for the settled rate. */
const SETTLING_MS = 2_000;

/** Executions against a service, and how many documents each of them has. */
const LOADS: Array<{ service: string; limit: RateLimit; executions: number; documents: number }> = [
	{ service: '5 a second', limit: { perSecond: 5 }, executions: 1, documents: 20_000 },
	{ service: '40 a second', limit: { perSecond: 40 }, executions: 20, documents: 2_000 },
	{
		service: '40 a second, 503 and `Retry-After`',
		limit: { perSecond: 40, retryAfter: 1, status: 503 },
		executions: 20,
		documents: 2_000,
	},
	{ service: '4 at once', limit: { atOnce: 4 }, executions: 20, documents: 2_000 },
];

/** Push Documents with its default options against services that take only so many requests. */
export async function rateLimit({ quick }: BenchOptions): Promise<string> {
	const rows: Cell[][] = [];
	let lost = 0;
	for (const { service: name, limit, executions, documents } of LOADS) {
		const count = quick ? documents / 20 : documents;
		const service = await startRateLimitedService(limit);
		const run = async (execution: number) =>
			await runNode({
				node: new PushDocuments(),
				items: makeDocuments(count).map((json) => ({
					...json,
					id: `${execution}-${json.id}`,
				})),
				parameters: { options: { documentsPerRequest: DOCUMENTS_PER_REQUEST } },
				credentials: service.credentials,
				onError: 'continueErrorOutput',
			});
		const begin = performance.now();
		const results = await Promise.all(
			Array.from({ length: executions }, async (_, execution) => await run(execution)),
		);
		const failed = results.reduce((sum, { errorOutput }) => sum + errorOutput.length, 0);
		const { accepted, refused, ids } = service;
		const settled = accepted.filter((at) => at - begin >= SETTLING_MS);
		const settledSeconds = Math.max(1, (accepted.at(-1) ?? 0) - begin - SETTLING_MS) / 1000;
		lost += failed + (executions * count - ids.size);
		rows.push([
			name,
			executions,
			whole(executions * count),
			whole(failed),
			whole(refused()),
			((performance.now() - begin) / 1000).toFixed(1),
			(settled.length / settledSeconds).toFixed(1),
		]);
		await service.close();
	}
	const head = [
		'service',
		'executions',
		'documents',
		'failed',
		'refused',
		's',
		'requests/s, settled',
	];
	print('', table(head, rows));
	if (lost > 0) throw new Error(`${lost} documents failed or were lost`);
	return 'the service has received every document, and none failed.';
}
