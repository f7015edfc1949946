/** Chunk Text and files: how much of a file is held, and that nothing waits for good. */
import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters, INodeType } from 'n8n-workflow';

import { ChunkFiles } from '../../nodes/ChunkText/chunks/chunk-files';
import { runNode as runShared } from '../../nodes/shared/n8n/run/run';
import { useFiles } from '../../support/binary-data';
import { OFTEN, useChunkText } from '../../support/chunking';
import { runNode, type RunOptions, type RunResult } from '../../support/engine';
import { indexes, jsonOf } from '../../support/sandbox';

const files = useFiles();
const { sandbox, chunk, submits, polls, fault } = useChunkText({ vectorSize: 3 });

const article = (number: number, text = `Text ${number}.`): IDataObject => ({
	id: `a${number}`,
	name: `Article ${number}`,
	text,
});
const articles = (count: number) => indexes(count).map((number) => article(number));
const jsonLines = (records: unknown[]): string =>
	records.map((record) => `${JSON.stringify(record)}\n`).join('');

const chunkFile = async (
	records: unknown[],
	options: IDataObject,
	parameters: INodeParameters = {},
	settings: Partial<RunOptions> = {},
): Promise<RunResult> =>
	await chunk(
		[(await files.item(jsonLines(records), 'articles.jsonl')) as unknown as IDataObject],
		{
			output: 'documents',
			outputTo: 'files',
			textSource: 'file',
			...parameters,
			options: { ...OFTEN, ...options } as INodeParameters,
		},
		{ onError: 'continueRegularOutput', ...settings },
	);
const summaryOf = ({ output }: RunResult): IDataObject => output.at(-1)?.json ?? {};
const linesOf = async (item: INodeExecutionData): Promise<IDataObject[]> =>
	(await files.text(item.binary?.data))
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line) as IDataObject);
const parentsOf = async ({ output }: RunResult) => {
	const parts = output.filter(({ json }) => json.part !== undefined);
	const lines = (await Promise.all(parts.map(linesOf))).flat();
	return [...new Set(lines.map(({ parentId }) => parentId))];
};
const idsOf = (records: IDataObject[]) => records.map(({ id }) => id);
const answerOf = (status: string, chunkingId = 'c-1') => ({
	status: 200,
	body: JSON.stringify({ chunkingId, status, message: 'no' }),
});
/** How many texts each submission had that reached the service, and when; others have no body. */
const accepted = () =>
	submits().flatMap(({ startedAt, body }) =>
		body === undefined
			? []
			: [{ at: startedAt, texts: (body as { batch: unknown[] }).batch.length }],
	);
/** Texts of the greatest number of requests that were submitted and not yet fetched. */
function mostInFlight(): number {
	const sizes = new Map(
		sandbox()
			.jobs()
			.map(({ chunkingId, texts }) => [`/ai/async-chunking/${chunkingId}`, texts]),
	);
	const events = [
		...accepted(),
		...polls()
			.filter(({ status }) => status === 200)
			.map(({ endedAt, path }) => ({ at: endedAt, texts: -(sizes.get(path) ?? 0) })),
	].sort((one, other) => one.at - other.at || one.texts - other.texts);
	let now = 0;
	return Math.max(0, ...events.map(({ texts }) => (now += texts)));
}

describe('With Keep Order, no more than the window waits for', () => {
	const SMALL = { keepOrder: true, textsInFlight: 20, textsPerRequest: 4 };

	it('a request that failed, whose texts are submitted again', async () => {
		fault('submit', { ...answerOf('ERROR'), whenBodyContains: 'Text 0.', times: 1 });
		const result = await chunkFile(articles(120), SMALL);
		expect(summaryOf(result)).toMatchObject({ records: 120, chunked: 120, failed: 0 });
		expect(await parentsOf(result)).toEqual(idsOf(articles(120)));
		const sizes = accepted().map(({ texts }) => texts);
		const before = sizes.slice(0, sizes.indexOf(1)).reduce((sum, texts) => sum + texts, 0);
		expect(before).toBeLessThanOrEqual(20);
	});

	it('a job that does not finish', async () => {
		fault('submit', { ...answerOf('SUBMITTED'), whenBodyContains: 'Text 0.' });
		const result = await chunkFile(articles(120), { ...SMALL, maxWaitSeconds: 1 });
		expect(summaryOf(result)).toMatchObject({ records: 120, chunked: 116, failed: 4 });
		expect(await parentsOf(result)).toEqual(idsOf(articles(120).slice(4)));
		const end = Math.max(...polls().flatMap((p) => (p.path.endsWith('/c-1') ? p.endedAt : [])));
		const before = accepted().filter(({ at }) => at < end);
		expect(before.reduce((sum, { texts }) => sum + texts, 0)).toBeLessThanOrEqual(20);
	});

	it.each([
		['submitted', 'submit', { status: 400 }],
		['fetched', 'results', { status: 400 }],
	] as const)('a request that failed while no other can be %s', async (_what, route, failure) => {
		fault('submit', { ...answerOf('ERROR'), whenBodyContains: 'Text 0.', times: 1 });
		fault(route, failure);
		const result = await chunkFile(articles(60), SMALL);
		expect(summaryOf(result)).toMatchObject({ records: 60, chunked: 0, failed: 60 });
	});
});

it.each([
	['chunks while a submission is refused', { latencyMs: 300, whenBodyContains: 'Text 0.' }],
	['failed records while submissions are refused', {}],
])('nothing waits if n8n cannot store %s', async (_what, when) => {
	fault('submit', { status: 400, ...when });
	const item = await files.item(jsonLines(articles(200)), 'articles.jsonl');
	files.fail(new Error('No space left on device'));
	const { output } = await chunk(
		[item as unknown as IDataObject],
		{
			output: 'documents',
			outputTo: 'files',
			textSource: 'file',
			options: {
				...OFTEN,
				bytesPerFile: 1000,
				textsInFlight: 20,
				textsPerRequest: 1,
				keepOrder: true,
			},
		},
		{ onError: 'continueRegularOutput' },
	);
	expect(jsonOf(output).at(-1)).toMatchObject({
		error: expect.stringContaining('No space left') as string,
	});
});

it('a text that waits for room when the run ends is skipped', async () => {
	sandbox().settings.chunkDelayMs = 60_000;
	fault('submit', { status: 403, latencyMs: 300, skip: 1 });
	const result = await chunkFile(articles(40), { textsInFlight: 4, textsPerRequest: 1 });
	const { records, chunked, failed, skipped } = summaryOf(result) as Record<string, number>;
	expect({ records, chunked }).toEqual({ records: 5, chunked: 0 });
	expect(failed + skipped).toBe(5);
});

describe('Bytes in Flight counts', () => {
	it('the whole records', async () => {
		sandbox().settings.chunkDelayMs = 30;
		const records = articles(100).map((record) => ({ ...record, more: 'x'.repeat(100_000) }));
		const result = await chunkFile(records, {
			bytesInFlight: 1_000_000,
			bytesPerRequest: 10_000,
			textsPerRequest: 2,
		});
		expect(summaryOf(result)).toMatchObject({ records: 100, chunked: 100 });
		// The last one may exceed it.
		expect(mostInFlight()).toBeLessThanOrEqual(11);
		expect(mostInFlight()).toBeGreaterThan(6);
	}, 30_000);

	it.each([
		['that are large', 300_000],
		['that are larger than that', 1_500_000],
	])(
		'records %s, of which a request has fewer',
		async (_what, bytes) => {
			const records = articles(9).map((record, at) => ({
				...record,
				...(at !== 4 && { more: 'x'.repeat(bytes) }),
			}));
			const result = await chunkFile(records, {
				bytesInFlight: 1_000_000,
				bytesPerRequest: 10_000,
				keepOrder: true,
			});
			expect(summaryOf(result)).toMatchObject({ records: 9, chunked: 9 });
			expect(await parentsOf(result)).toEqual(idsOf(records));
		},
		30_000,
	);

	it('and requests stay full if records are small', async () => {
		await chunkFile(articles(60), { bytesInFlight: 2000, bytesPerRequest: 1000 });
		expect(accepted().map(({ texts }) => texts)).toEqual(indexes(6).map(() => 10));
	});

	it.each([
		['all', { more: 'kept', name: 'Article 0' }],
		['listed', { more: 'kept' }],
	])('source fields are still kept: %s', async (sourceFields, expected) => {
		const result = await chunkFile(
			[{ ...article(0), more: 'kept' }],
			{ sourceFields, listedFields: 'more' },
			{ output: 'chunks', outputTo: 'items' },
		);
		expect(result.output[0].json).toMatchObject(expected);
	});
});

it('any file is processed, whatever fails and however little may be held', async () => {
	const kinds = ['good', 'good', 'good', 'bad', 'refused', 'large', 'huge'] as const;
	const anyRun = fc.record({
		records: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 40 }),
		textsPerRequest: fc.integer({ min: 1, max: 6 }),
		textsInFlight: fc.integer({ min: 2, max: 14 }),
		keepOrder: fc.boolean(),
		concurrency: fc.integer({ min: 1, max: 4 }),
		chunkDelayMs: fc.constantFrom(0, 20),
	});
	await fc.assert(
		fc.asyncProperty(anyRun, async ({ records: all, chunkDelayMs, ...options }) => {
			sandbox().reset();
			sandbox().settings.chunkDelayMs = chunkDelayMs;
			fault('submit', { status: 400, whenBodyContains: 'refused' });
			fault('submit', { ...answerOf('ERROR'), whenBodyContains: 'bad' });
			const more = { large: 700, huge: 5000 } as Record<string, number>;
			const records = all.map((kind, at) => ({
				...article(at, more[kind] ? 'good' : kind),
				more: 'x'.repeat(more[kind] ?? 0),
			}));
			const sizes = { bytesPerRequest: 1000, bytesInFlight: 2000 };
			const result = await chunkFile(records, { ...options, ...sizes });
			const { chunked, failed } = summaryOf(result) as Record<string, number>;
			expect(chunked + failed).toBe(records.length);
			const written = await parentsOf(result);
			expect(written).toHaveLength(chunked);
			const inOrder = idsOf(records).filter((id) => written.includes(id));
			if (options.keepOrder) expect(written).toEqual(inOrder);
			expect(mostInFlight()).toBeLessThanOrEqual(options.textsInFlight);
		}),
		{ numRuns: 25 },
	);
}, 120_000);

it('the records of a text stay together if its turn comes while they are taken', async () => {
	const many = 100_000;
	const node = {
		description: {
			displayName: 'Sink',
			name: 'sink',
			group: ['transform'],
			version: 1,
			description: 'Writes two texts',
			defaults: { name: 'Sink' },
			inputs: ['main'],
			outputs: ['main'],
			properties: [],
		},
		async execute() {
			return await runShared(this, async (run) => {
				const options = { bytesPerFile: 1_000_000_000, keepOrder: true, name: 'chunks' };
				const sink = new ChunkFiles(run, options);
				const [first, second] = [0, 1].map((place) => ({ items: [0], place }));
				const taking = sink.take(
					[second],
					indexes(many).map((id) => ({ id })),
				);
				// It breathes while it takes that many.
				await new Promise((resolve) => setTimeout(resolve));
				await sink.done([first]);
				await taking;
				await sink.done([second]);
				await sink.end();
			});
		},
	} as INodeType;
	const { output } = await runNode({ node });
	const ids = idsOf(await linesOf(output[0]));
	expect(ids).toHaveLength(many);
	// Of a list of this length, a difference would be unreadable.
	expect(ids.findIndex((id, at) => id !== at)).toBe(-1);
});

it('nothing is left behind by a file whose parameters are refused', async () => {
	const set = jest.spyOn(global, 'setTimeout');
	const cleared = jest.spyOn(global, 'clearTimeout');
	const { output } = await chunkFile(articles(1), {}, { vectors: '={{ true }}' });
	expect(jsonOf(output)).toEqual([{ error: expect.stringContaining('Vectors') as string }]);
	const timers = set.mock.results.filter((_, at) => set.mock.calls[at][1] === 10_000);
	for (const { value } of timers) expect(cleared).toHaveBeenCalledWith(value);
	set.mockRestore();
	cleared.mockRestore();
});

it('Submit takes a chunking ID twice for the same text, of items and of a file', async () => {
	fault('submit', answerOf('SUBMITTED', 'c-twice'));
	const result = await chunkFile(
		[article(0, 'same'), article(1, 'same')],
		{ textsPerRequest: 1, concurrency: 1 },
		{ operation: 'submit' },
	);
	const items = await chunk([article(0, 'same'), article(1, 'same')], {
		operation: 'submit',
		options: { textsPerRequest: 1, concurrency: 1 },
	});
	expect(items.output.map(({ json }) => json.chunkingId)).toEqual(['c-twice', 'c-twice']);
	expect(summaryOf(result)).toMatchObject({ submitted: 2, failed: 0 });
});
