/** Services that take only so much: executions of one process slow down together, and lose nothing. */
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import type { Sandbox } from '../../sandbox';
import { sandboxCredentials } from '../../support/credentials';
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
	const { failed, pushed } = await play(limit, {
		executions: 10,
		requests: 12,
	});
	expect(failed).toEqual([]);
	expect(pushed).toBe(120);
});

it('one execution against 5 requests a second: none of its documents fails', async () => {
	const { failed, pushed } = await play({ perSecond: 5 }, { executions: 1, requests: 15 });
	expect(failed).toEqual([]);
	expect(pushed).toBe(15);
});

it('a few refusals in a long run: no document is lost', async () => {
	const { failed, pushed, refused } = await play(
		{ refusesEach: 50 },
		{ executions: 1, requests: 300 },
	);
	expect(failed).toEqual([]);
	expect(pushed).toBe(300);
	expect(refused).toBe(6);
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
	expect(refused).toBeLessThan(20);
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

it('executions share the lowest limit of requests per minute, retries and single runs included', async () => {
	const limits = [0, 1200, 6000];
	const service = await startRateLimitedService({ perSecond: 1000 });
	const { credentials } = service;
	const begin = performance.now();
	const push = async (maxRequestsPerMinute: number, execution: number) =>
		await runNode({
			node: new PushDocuments(),
			items: documents(execution, 10),
			parameters: { options: { documentsPerRequest: 1, maxRequestsPerMinute } },
			credentials,
		});
	const results = await Promise.all(limits.map(push));
	for (const { output } of results) expect(output).toHaveLength(10);
	// A node in a loop is many short runs.
	for (const execution of [3, 4, 5]) {
		const { output } = await runNode({
			node: new PushDocuments(),
			items: documents(execution, 1),
			parameters: { options: { maxRequestsPerMinute: 1200 } },
			credentials,
		});
		expect(output).toHaveLength(1);
	}
	const { ids, accepted } = service;
	await service.close();
	expect(ids.size).toBe(33);
	// 1,140 a minute are 19 a second: the last of 33 starts 32 intervals after the first one.
	expect(performance.now() - begin).toBeGreaterThan((32 / 19) * 1000 - 100);
	const busiest = accepted.map((from) => accepted.filter((at) => at >= from && at < from + 1000));
	expect(Math.max(...busiest.map(({ length }) => length))).toBeLessThanOrEqual(24);
});

it('a file is pushed at the limit, and a cancel ends the wait', async () => {
	const file = {
		data: Buffer.from(
			documents(0, 10)
				.map((document) => `${JSON.stringify(document)}\n`)
				.join(''),
		).toString('base64'),
		mimeType: 'application/x-ndjson',
		fileName: 'd.jsonl',
	};
	const service = await startRateLimitedService({ perSecond: 1000 });
	const options = { documentsPerRequest: 1, maxRequestsPerMinute: 600 };
	const push = async (settings: Partial<RunOptions> = {}) =>
		await runNode({
			node: new PushDocuments(),
			items: [{ json: {}, binary: { data: file } }],
			parameters: { documentSource: 'file', options },
			credentials: service.credentials,
			...settings,
		});
	const begin = performance.now();
	const { output } = await push();
	expect(output[0].json).toMatchObject({ pushed: 10 });
	expect(performance.now() - begin).toBeGreaterThan(9 * (100 / 0.95) - 100);
	options.maxRequestsPerMinute = 1;
	const canceledAt = performance.now() + 500;
	const { status } = await push({ cancelAfterMs: 500 });
	expect(status).toBe('canceled');
	expect(performance.now() - canceledAt).toBeLessThan(2000);
	await service.close();
});

it.each([
	['Push Documents', new PushDocuments(), {}],
	['Delete Document', new DeleteDocument(), { documentId: 'a' }],
	['Chunk Text', new ChunkText(), { text: 'a', modelId: 'gte-small' }],
])(
	'%s: a limit of requests that is negative or a fraction names the option',
	async (_, node, more) => {
		const url = 'http://127.0.0.1:9';
		const urls = { authUrl: url, aiUrl: url, pushUrl: url, baseUrl: url };
		for (const [limit, what] of [
			[-1, 'at least 0'],
			[0.5, 'a whole number'],
		] as const) {
			const { error } = await runNode({
				node,
				items: [{ id: 'a', name: 'A' }],
				parameters: { ...more, options: { maxRequestsPerMinute: limit } },
				credentials: sandboxCredentials({ urls } as Sandbox),
			});
			expect(error?.message).toContain(`'Max Requests per Minute' must be ${what}`);
		}
	},
);
