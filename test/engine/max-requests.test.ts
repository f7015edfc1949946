/** Max Requests per Minute: what counts, in real time. That no minute has more is in test/unit/flow/limiter.test.ts. */
import type { INodeParameters } from 'n8n-workflow';

import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import type { RecordedRequest } from '../../sandbox';
import { useFiles } from '../../support/binary-data';
import { texts, useChunkText } from '../../support/chunking';
import { nodeRunner } from '../../support/sandbox';

const { sandbox, chunk, fault, credentials, submits, polls } = useChunkText();
const files = useFiles();
const push = nodeRunner(new PushDocuments(), credentials);
const remove = nodeRunner(new DeleteDocument(), credentials);

// The first request loads much of n8n, so it is sent late.
beforeAll(async () => {
	await chunk(texts(1));
	sandbox().reset();
});

/** Starts may catch up 20 ms, and arrive later than they were sent: how much, depends on the machine and on tokens. */
const TOLERANCE_MS = 400;
const intervalMs = (perMinute: number) => 60_000 / (0.95 * perMinute);

/** Requests for tokens go to another server. */
const toService = (from = 0): RecordedRequest[] =>
	sandbox()
		.requests.slice(from)
		.filter(({ route }) => route !== 'token');

/** Within any second there are as many requests as the limit allows, and one more at its edge. */
function expectPace(requests: RecordedRequest[], perMinute: number): void {
	const times = requests.map(({ startedAt }) => startedAt);
	const most = Math.max(
		...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length),
	);
	expect(most).toBeLessThanOrEqual(Math.floor((1000 + TOLERANCE_MS) / intervalMs(perMinute)) + 1);
	const spanMs = (times.at(-1) ?? 0) - times[0];
	expect(spanMs).toBeGreaterThan((times.length - 1) * intervalMs(perMinute) - TOLERANCE_MS);
}

describe('Chunk Text', () => {
	const limited = (perMinute: number, parameters: INodeParameters = {}) => ({
		...parameters,
		options: { textsPerRequest: 1, maxRequestsPerMinute: perMinute },
	});

	it('counts submissions and polls', async () => {
		sandbox().settings.chunkDelayMs = 300;
		const { output } = await chunk(texts(12), limited(1200));
		expect(output).toHaveLength(12);
		expect(submits()).toHaveLength(12);
		expect(polls().length).toBeGreaterThanOrEqual(12);
		expectPace(toService(), 1200);
	});

	it('counts them with texts from files', async () => {
		const lines = texts(8).map((text) => `${JSON.stringify(text)}\n`);
		const file = await files.item(lines.join(''), 't.jsonl');
		const parameters = limited(1200, { textSource: 'file' });
		const { output, error } = await chunk([], parameters, { items: [file] });
		expect(error).toBeUndefined();
		expect(output.filter(({ json }) => 'chunk_id' in json || 'text' in json).length).toBe(8);
		expectPace(toService(), 1200);
	});

	it('polls before it submits, so that a text is submitted only while its polls fit', async () => {
		sandbox().settings.chunkDelayMs = 700;
		const { output } = await chunk(texts(3), limited(600));
		expect(output).toHaveLength(3);
		// A poll is due at every turn until a job has ended: with equal turns there would be two.
		const routes = toService().map(({ route }) => route);
		const before = routes.slice(0, routes.lastIndexOf('submit'));
		expect(before.filter((route) => route === 'results').length).toBeGreaterThanOrEqual(5);
	});
});

describe('Delete Document', () => {
	const options = { maxRequestsPerMinute: 1200 };
	const documents = texts(15).map(({ id }) => ({ id, name: 'N' }));

	it('counts deletes, retries and the commit', async () => {
		await push(documents);
		const before = sandbox().requests.length;
		fault('delete', { status: 503, times: 3 });
		const parameters = { documentId: '={{ $json.id }}', commit: 'lastDeleteOnly', options };
		const { output, error } = await remove(documents, parameters);
		expect(error).toBeUndefined();
		expect(output).toHaveLength(15);
		expect(toService(before).length).toBeGreaterThanOrEqual(18);
		expectPace(toService(before), 1200);
	});

	it('counts those of a file', async () => {
		await push(documents);
		const before = sandbox().requests.length;
		const items = [await files.item(documents.map(({ id }) => `${id}\n`).join(''), 'ids.txt')];
		const { output } = await remove([], { idSource: 'file', options }, { items });
		expect(output[0].json).toMatchObject({ deleted: 15 });
		expectPace(toService(before), 1200);
	});
});
