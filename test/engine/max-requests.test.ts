/**
 * Tests Max Requests per Minute and the pauses that a service asks for. Executions in the same process share the limit
 * and the pauses. Only minimum times are checked, because a busy machine makes everything slower.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import type { FaultRule } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { texts, useChunkText } from '../../support/chunking';
import type { RunOptions, RunResult } from '../../support/engine';
import { useFastClock } from '../../support/fast-clock';
import { HANGS, jsonOf, nodeRunner, requestsArrived, stopped } from '../../support/sandbox';

const { sandbox, chunk, getResults, fault, credentials, submits, polls } = useChunkText();
const FACTOR = 5;
useFastClock(FACTOR);
const files = useFiles();
const push = nodeRunner(new PushDocuments(), credentials);
const remove = nodeRunner(new DeleteDocument(), credentials);

type Route = FaultRule['route'];
type First = (settings?: Partial<RunOptions>) => Promise<RunResult>;
interface Runner {
	route: Route;
	run: typeof push;
	sendsOne: INodeParameters;
}

const PER_MINUTE = 1200;
const INTERVAL_MS = 60_000 / (0.95 * PER_MINUTE);
/**
 * A request may start 30 ms early to make up for a late timer. The sandbox's clock is precise to a millisecond of real
 * time.
 */
const CATCH_UP_MS = 30 + FACTOR;

async function expectPace(run: () => Promise<unknown>): Promise<void> {
	sandbox().requests.length = 0;
	const begin = Date.now();
	await run();
	const started = sandbox()
		.requests.filter(({ route }) => route !== 'token')
		.map(({ startedAt }) => FACTOR * (startedAt - begin));
	const least = started.map((_, at) => at * INTERVAL_MS - CATCH_UP_MS);
	expect(
		started.sort((one, other) => one - other).filter((ms, at) => ms < Number(least[at])),
	).toEqual([]);
}

const options = { maxRequestsPerMinute: PER_MINUTE };
const documents = texts(8).map(({ id }) => ({ id, name: 'N' }));
const single = { options: { ...options, documentsPerRequest: 1 } };

it('counts the submissions and polls of Chunk Text', async () => {
	const single = { operation: 'submit', options: { ...options, textsPerRequest: 1 } };
	// The first run obtains the token, so that later runs send their first request at once.
	await chunk(texts(1), single);
	let submitted: IDataObject[] = [];
	await expectPace(async () => {
		submitted = jsonOf((await chunk(texts(12), single)).output);
		expect(submits()).toHaveLength(12);
	});
	await expectPace(async () => {
		const { output } = await getResults(submitted, { options });
		expect(output).toHaveLength(12);
		expect(polls()).toHaveLength(12);
	});
});

it('counts deletes, retries and the commit', async () => {
	await push(documents);
	fault('delete', { status: 503, times: 3 });
	await expectPace(async () => {
		const parameters = { documentId: '={{ $json.id }}', commit: 'lastDeleteOnly', options };
		const { output } = await remove(documents, parameters);
		expect(output).toHaveLength(8);
		expect(sandbox().requests).toHaveLength(11);
	});
});

it('counts the requests of a file', async () => {
	const lines = documents.map((document) => `${JSON.stringify(document)}\n`);
	const items = [await files.item(lines.join(''), 'd.jsonl')];
	await expectPace(async () => {
		const { output } = await push([], { documentSource: 'file', ...single }, { items });
		expect(output[0].json).toMatchObject({ pushed: 8 });
		expect(sandbox().requests).toHaveLength(8);
	});
});

it('is shared by executions, including runs with a single document', async () => {
	await expectPace(async () => {
		const run = async () => await push(documents.slice(4), single);
		await Promise.all([run(), run(), run()]);
		// A node in a loop starts a new short run for each document.
		for (const document of documents.slice(5)) await push([document], single);
		expect(sandbox().requests).toHaveLength(15);
	});
});

it('is not shared by executions with another credential for the same service', async () => {
	fault('push', { ...HANGS, times: 1 });
	await stopped(sandbox(), [5, 'push'], async (stop) => {
		const limited = push(documents.slice(7), { options: { maxRequestsPerMinute: 1 } }, stop);
		await requestsArrived(sandbox(), 1, 'push');
		// With the limit, each of these requests would wait for a minute, and the test would take too long.
		const options = { documentsPerRequest: 1 };
		const { output } = await push(documents.slice(4), { options }, { credentialId: 'another' });
		expect(output).toHaveLength(4);
		return await limited;
	});
});

it('a pause that the service requests from one execution also applies to the others', async () => {
	fault('push', { retryAfter: '1', times: 1 });
	const runs = [documents, documents].map(
		async (items) => await push(items, { options: { documentsPerRequest: 1, concurrency: 1 } }),
	);
	for (const { output } of await Promise.all(runs)) expect(output).toHaveLength(8);
	const refused = sandbox().requests.find(({ status }) => status === 429);
	// The other execution can send one more request before it learns of the pause, so this test ignores the first
	// request after the rejection.
	const later = sandbox()
		.requests.map(({ startedAt }) => FACTOR * (startedAt - (refused?.endedAt ?? 0)))
		.filter((ms) => ms > 0)
		.sort((one, other) => one - other);
	expect(later[1]).toBeGreaterThan(1000 - 4 * FACTOR);
});

describe('holds no longer than the run that has set it', () => {
	const NODES: Record<string, Runner> = {
		'Push Documents': { route: 'push', run: push, sendsOne: { documentsPerRequest: 1 } },
		'Delete Document': { route: 'delete', run: remove, sendsOne: {} },
		'Chunk Text': {
			route: 'submit',
			run: async (items, parameters, settings) =>
				await chunk(items, { operation: 'submit', ...parameters }, settings),
			sendsOne: { textsPerRequest: 1 },
		},
	};
	const ENDINGS: Record<string, (first: First, route: Route) => Promise<unknown>> = {
		'it succeeds': async (first) => await first(),
		'its only request fails, and it continues': async (first, route) => {
			fault(route, { status: 400, times: 1 });
			await first({ onError: 'continueRegularOutput' });
		},
		'its only request fails, and it stops': async (first, route) => {
			fault(route, { status: 400, times: 1 });
			await first();
		},
		'each request is refused': async (first, route) => {
			fault(route, { status: 407, times: 1 });
			await first({ onError: 'continueErrorOutput' });
		},
		'it is canceled': async (first, route) => {
			fault(route, { ...HANGS, times: 1 });
			await stopped(sandbox(), [1, route], first);
		},
	};
	const rows = Object.keys(NODES).flatMap((node) =>
		Object.keys(ENDINGS).map((ending) => ({ node, ending })),
	);

	it.each(rows)('$node, after $ending', async ({ node, ending }) => {
		const { route, run, sendsOne } = NODES[node];
		await ENDINGS[ending](
			async (settings) =>
				await run(
					texts(1),
					{ options: { ...sendsOne, maxRequestsPerMinute: 1 } },
					settings,
				),
			route,
		);
		sandbox().requests.length = 0;
		// With the limit, each of these requests would wait for a minute, and the test would take too long.
		const { output } = await run(texts(3), { options: sendsOne });
		expect(output).toHaveLength(3);
		expect(sandbox().requests.filter((request) => request.route === route)).toHaveLength(3);
	});
});
