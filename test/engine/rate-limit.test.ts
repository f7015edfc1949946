/** Services that take only so much: executions of one process slow down together, and lose nothing. */
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { joinThrottle } from '../../nodes/shared/n8n/session/throttles';
import { runNode, type RunOptions } from '../../support/engine';
import { startRateLimitedService, type RateLimit } from '../../support/rate-limited-service';

const documents = (execution: number, count: number) =>
	Array.from({ length: count }, (_, at) => ({
		id: `${execution}-${at}`,
		name: `Document ${at}`,
		description: 'd',
		url: 'u',
	}));

/** Pushes in several executions at the same time, a document per request. */
async function play(
	limit: RateLimit,
	{ executions, requests }: { executions: number; requests: number },
	options: Record<string, unknown> = {},
	settings: Partial<RunOptions> = {},
) {
	const service = await startRateLimitedService(limit);
	try {
		const run = async (execution: number) =>
			await runNode({
				node: new PushDocuments(),
				items: documents(execution, requests),
				parameters: { options: { documentsPerRequest: 1, ...options } },
				credentials: service.credentials,
				onError: 'continueErrorOutput',
				...settings,
			});
		const begin = performance.now();
		const results = await Promise.all(
			Array.from({ length: executions }, async (_, at) => await run(at)),
		);
		const failed = results.flatMap(({ errorOutput }) => errorOutput);
		const seconds = (performance.now() - begin) / 1000;
		const { ids, accepted } = service;
		return { failed, results, seconds, pushed: ids.size, accepted, refused: service.refused() };
	} finally {
		await service.close();
	}
}

it.each<[string, RateLimit]>([
	['40 requests a second', { perSecond: 40 }],
	['40 requests a second, with Retry-After', { perSecond: 40, retryAfter: 1 }],
	[
		'40 requests a second, with 503 and Retry-After',
		{ perSecond: 40, retryAfter: 1, status: 503 },
	],
	['4 requests at once', { atOnce: 4 }],
])('10 executions against %s: none of their documents fails', async (_case, limit) => {
	const { failed, pushed, refused, seconds } = await play(limit, {
		executions: 10,
		requests: 12,
	});
	expect(failed).toEqual([]);
	expect(pushed).toBe(120);
	expect(refused).toBeGreaterThan(0);
	expect(seconds).toBeLessThan(15);
});

it('one execution against 5 requests a second: none of its documents fails', async () => {
	const { failed, pushed } = await play({ perSecond: 5 }, { executions: 1, requests: 15 });
	expect(failed).toEqual([]);
	expect(pushed).toBe(15);
});

it('what one execution is told holds for the others', async () => {
	const limit = { perSecond: 10, retryAfter: 1 };
	const { refused, failed } = await play(
		limit,
		{ executions: 5, requests: 8 },
		{ concurrency: 1 },
	);
	expect(failed).toEqual([]);
	// By itself, each of the five would be told so again and again.
	expect(refused).toBeLessThan(10);
});

it('a service that goes on saying 429 fails the documents after Max Wait for Rate Limit', async () => {
	const { failed, seconds, accepted } = await play(
		{ perSecond: 0 },
		{ executions: 1, requests: 20 },
		{ maxRefusedSeconds: 1 },
	);
	expect(accepted).toEqual([]);
	expect(failed.map(({ json }) => json.httpStatus)).toEqual(Array(20).fill(429));
	expect(seconds).toBeGreaterThan(1);
	expect(seconds).toBeLessThan(12);
});

it('a cancel ends the waits of its execution within a second', async () => {
	const limit = { perSecond: 0, retryAfter: 60 };
	const { results, seconds } = await play(
		limit,
		{ executions: 3, requests: 20 },
		{},
		{ cancelAfterMs: 300 },
	);
	expect(results.map(({ status }) => status)).toEqual(Array(3).fill('canceled'));
	expect(seconds).toBeLessThan(1.3);
});

it('nothing is kept of a service once no execution uses it', async () => {
	const shared = joinThrottle('a service', 1);
	expect(joinThrottle('a service', 1).throttle).toBe(shared.throttle);
	shared.leave();
	const other = joinThrottle('a service', 1);
	expect(other.throttle).toBe(shared.throttle);
	for (const { leave } of [other, shared]) leave();
	expect(joinThrottle('a service', 1).throttle).not.toBe(shared.throttle);
});
