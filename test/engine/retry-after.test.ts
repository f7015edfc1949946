/** Tests how long the nodes pause after each status, from the Retry-After header to the next request. */
import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { DeleteDocument } from '../../nodes/DeleteDocument/DeleteDocument.node';
import { MigrateBlobs } from '../../nodes/MigrateBlobs/MigrateBlobs.node';
import { PushDocuments } from '../../nodes/PushDocuments/PushDocuments.node';
import { Run } from '../../nodes/shared/run/run';
import type { FaultRule } from '../../sandbox';
import { useFastClock } from '../../support/fast-clock';
import { useNodes } from '../../support/sandbox';

const FACTOR = 1000;
const ASKED_MS = 40_000;
/** Pauses for other reasons, such as the interval between log lines, are at most this long. */
const OTHERS_MS = 20_000;

const { sandbox, runnerOf } = useNodes({ settings: { vectorSize: 2 } });
useFastClock(FACTOR);

/** Lengths of all pauses that were requested, in the milliseconds of the run's clock. */
let pauses: number[];
beforeEach(() => {
	pauses = [];
	const { sleep } = Run.prototype;
	jest.spyOn(Run.prototype, 'sleep').mockImplementation(async function (this: Run, ms, wake) {
		if (Number.isFinite(ms)) pauses.push(ms);
		await sleep.call(this, ms, wake);
	});
});
afterEach(() => jest.restoreAllMocks());

const document: IDataObject = { id: 'a', name: 'A', text: 'Pears.' };
const chunking: INodeParameters = {
	output: 'chunks',
	modelId: { __rl: true, mode: 'id', value: 'gte-small' },
	text: '={{ $json.text }}',
	chunker: 'dynamic-newline',
	options: { vectors: 'list', maxWaitSeconds: 3600 },
};

const ROADS: Array<[FaultRule['route'], () => INodeType, INodeParameters, number[]]> = [
	['push', () => new PushDocuments(), {}, [429, 500, 502, 503, 504]],
	['delete', () => new DeleteDocument(), { documentId: 'a' }, [429, 500, 502, 503, 504]],
	['submit', () => new ChunkText(), chunking, [429, 500, 502, 503, 504]],
	['results', () => new ChunkText(), chunking, [429, 500, 502, 503, 504]],
	['token', () => new ChunkText(), chunking, [429, 500, 502, 503, 504]],
	// A migration that may have begun is not repeated, so other statuses end it.
	['convert', () => new MigrateBlobs(), { confirm: true }, [429]],
];
const ROWS = ROADS.flatMap(([route, node, parameters, statuses]) =>
	statuses.map((status) => ({ route, status, node, parameters })),
);

const run = async ({ route, node, parameters }: (typeof ROWS)[number]) => {
	const { error } = await runnerOf(node(), parameters)([document]);
	expect(error).toBeUndefined();
	const [first, second, ...others] = sandbox().requests.filter((one) => one.route === route);
	expect([first?.status, second?.status, others]).toEqual([expect.any(Number), 200, []]);
	const realMs = (second?.startedAt ?? 0) - (first?.endedAt ?? 0);
	return { status: first?.status, gapMs: realMs * FACTOR, longestMs: Math.max(...pauses) };
};

const expectPause = async (row: (typeof ROWS)[number], retryAfter: string) => {
	const { route, status } = row;
	sandbox().faults.add({ route, status, retryAfter, times: 1 });
	const { status: first, gapMs, longestMs } = await run(row);
	expect(first).toBe(status);
	// The clock of the sandbox, and a date in a header, are less precise than the run's clock.
	expect(gapMs).toBeGreaterThan(ASKED_MS - 5000);
	expect(longestMs).toBeLessThanOrEqual(ASKED_MS + 5000);
};

describe.each(ROWS)('a $route request with status $status', (row) => {
	it('is repeated after the pause in Retry-After', async () => {
		await expectPause(row, String(ASKED_MS / 1000));
	});

	it('is repeated after a short pause without the header', async () => {
		const { route, status } = row;
		sandbox().faults.add({ route, status, times: 1 });
		const { status: first, longestMs } = await run(row);
		expect(first).toBe(status);
		expect(longestMs).toBeLessThanOrEqual(OTHERS_MS);
	});
});

it.each(ROWS.filter(({ route }) => route === 'push'))(
	'Retry-After may be a date: status $status',
	async (row) => {
		await expectPause(row, new Date(Date.now() + ASKED_MS).toUTCString());
	},
);
