/** How Chunk Text reads chunks as they arrive: in pieces, compressed, slowly, or not at all. */
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import type { INodeParameters } from 'n8n-workflow';

import { useChunkText } from '../../support/chunking';
import { jsonOf, useServers } from '../../support/sandbox';

const startServer = useServers();
const { getResults, credentials } = useChunkText();

const CHUNKS = ['a "[1, 2]"', 'é 😀 \\', '[', ''];
const VECTORS = [[1, -0.5, 2e-7], [], [3], [0, 0]];
const BODY = Buffer.from(
	JSON.stringify({
		chunkingId: 'c1',
		status: 'READY',
		chunkedData: [
			{
				chunks: CHUNKS,
				spans: CHUNKS.map((_, index) => [index, index + 1]),
				vectors: VECTORS,
			},
		],
	}),
);
const JSON_TYPE = { 'Content-Type': 'application/json' };
const MIDDLE = BODY.indexOf('😀') + 2;

/** Fetches `c1` from a service that answers each poll in the next of these ways, then in the last. */
async function fetchFrom(
	ways: Array<(response: ServerResponse) => unknown>,
	options: INodeParameters = {},
	settings: Parameters<typeof getResults>[2] = {},
) {
	let polls = 0;
	const server = await startServer(
		(_request, response) => void ways[Math.min(polls++, ways.length - 1)]?.(response),
	);
	const { lucidworksAiOAuth2Api } = credentials();
	const result = await getResults(
		[{ chunkingId: 'c1' }],
		{ wait: true, options: { timeoutSeconds: 1, ...options } },
		{
			credentials: { lucidworksAiOAuth2Api: { ...lucidworksAiOAuth2Api, aiUrl: server.url } },
			...settings,
		},
	);
	return { result, server };
}

const whole = (response: ServerResponse) => response.writeHead(200, JSON_TYPE).end(BODY);
const half = (response: ServerResponse) => {
	response.writeHead(200, JSON_TYPE).write(BODY.subarray(0, MIDDLE));
};

const expectChunks = ({ output }: Awaited<ReturnType<typeof getResults>>) => {
	const items = jsonOf(output);
	expect(items.map(({ text }) => text)).toEqual(CHUNKS);
	expect(items.map(({ vector }) => vector)).toEqual(VECTORS);
	expect(items.map(({ start, end }) => [start, end])).toEqual([
		[0, 1],
		[1, 2],
		[2, 3],
		[3, 4],
	]);
};

it.each<[string, (response: ServerResponse) => unknown]>([
	['whole', whole],
	[
		'byte by byte',
		async (response) => {
			response.writeHead(200, JSON_TYPE);
			for (const byte of BODY) {
				response.write(Buffer.of(byte));
				await new Promise(setImmediate);
			}
			response.end();
		},
	],
	[
		'compressed',
		(response) =>
			response
				.writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'gzip' })
				.end(gzipSync(BODY)),
	],
	[
		'with a byte order mark',
		(response) =>
			response.writeHead(200, JSON_TYPE).end(Buffer.concat([Buffer.from('\uFEFF'), BODY])),
	],
])('reads chunks that come %s', async (_how, way) => {
	const { result, server } = await fetchFrom([way]);
	expectChunks(result);
	expect(server.requests).toHaveLength(1);
});

it.each<[string, boolean, (response: ServerResponse) => unknown]>([
	['stops in the middle', true, half],
	[
		'trickles for longer than the timeout, though it is never silent for as long',
		true,
		async (response) => {
			response.writeHead(200, JSON_TYPE);
			for (let at = 0; at < BODY.length; at += 60) {
				response.write(BODY.subarray(at, at + 60));
				await delay(400);
			}
			response.end();
		},
	],
	[
		'breaks off in the middle',
		true,
		async (response) => {
			half(response);
			await delay(20);
			response.destroy();
		},
	],
	[
		'is compressed and cut',
		false,
		(response) =>
			response
				.writeHead(200, { ...JSON_TYPE, 'Content-Encoding': 'gzip' })
				.end(gzipSync(BODY).subarray(0, -20)),
	],
	[
		'is cut',
		false,
		(response) => response.writeHead(200, JSON_TYPE).end(BODY.subarray(0, MIDDLE)),
	],
	[
		'is damaged',
		false,
		(response) => response.writeHead(200, JSON_TYPE).end(`${BODY.toString()}]`),
	],
])('polls again after a response that %s', async (_how, aborted, way) => {
	const { result, server } = await fetchFrom([way, whole]);
	expectChunks(result);
	await delay(50);
	expect(server.requests.map(({ aborted }) => aborted)).toEqual([aborted, false]);
});

it('says so when every response stops in the middle', async () => {
	const { result } = await fetchFrom([half], { maxWaitSeconds: 2 });
	expect(result.error?.message).toBe(
		'Not finished after 2 seconds (status SUBMITTED). The final poll failed: The AI service did not answer within 1 s (chunking ID c1)',
	);
});

it('ends within a second of Stop while a response has stopped in the middle', async () => {
	let canceledAt = Infinity;
	let onHalf = () => {};
	const cancelWhen = new Promise<void>((resolve) => (onHalf = resolve)).then(async () => {
		await delay(50);
		canceledAt = Date.now();
	});
	const way = (response: ServerResponse) => {
		half(response);
		onHalf();
	};
	const { result, server } = await fetchFrom([way], { timeoutSeconds: 60 }, { cancelWhen });
	expect(Date.now() - canceledAt).toBeLessThan(1000);
	expect(result.status).toBe('canceled');
	expect(result.error?.message).toContain('Chunking IDs not finished: c1');
	await delay(50);
	expect(server.requests.map(({ aborted }) => aborted)).toEqual([true]);
});
