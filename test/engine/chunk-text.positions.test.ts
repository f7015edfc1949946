/** Chunk Text: chunks and vectors never become those of another text. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultRule } from '../../sandbox';
import { texts, useChunkText } from '../../support/chunking';
import { CONTINUE, indexes, jsonOf, pairedIndexes } from '../../support/sandbox';

const { sandbox, jobs, chunk, getResults, submits, polls, fault, answers, jobsEnded } =
	useChunkText();

const DOCUMENTS = { output: 'documents' };
const textsById = (items: IDataObject[]) =>
	Object.fromEntries(items.map(({ id, text }) => [id, text]));
describe('documents that share a request', () => {
	const options = { maxWaitSeconds: 1 };
	const expected = { 'i0#0': 'text 0', 'i1#0': 'text 1' };

	/** What a run returns whose time runs out, with the fields of its input. */
	async function late(parameters: INodeParameters = {}) {
		sandbox().settings.chunkDelayMs = 1500;
		const { output } = await chunk(
			texts(2),
			{ ...DOCUMENTS, options, ...parameters },
			CONTINUE,
		);
		const failed = jsonOf(output);
		expect(failed.map(({ textPosition }) => textPosition)).toEqual([0, 1]);
		await jobsEnded();
		return texts(2).map((item, at) => ({ ...item, ...failed[at] }));
	}

	it('keep their own chunks when they are fetched after a timeout', async () => {
		const items = (await late()).reverse();
		const { output } = await getResults(items, DOCUMENTS);
		expect(textsById(jsonOf(output))).toEqual(expected);
	});

	it('keep their own chunks when they are resumed after a timeout', async () => {
		const items = (await late()).reverse();
		const resuming = { resumeChunkingId: '={{ $json.chunkingId }}' };
		const { output } = await chunk(items, { ...DOCUMENTS, options: resuming });
		expect(textsById(jsonOf(output))).toEqual(expected);
		expect(submits()).toHaveLength(1);
	});

	it.each(['documents', 'chunks'])(
		'fail rather than get the chunks of others if their position is lost: %s',
		async (output) => {
			const items = (await late()).map(({ id, name, chunkingId }) => ({
				id,
				name,
				chunkingId,
			}));
			const result = await getResults(items, { output }, CONTINUE);
			for (const { error } of jsonOf(result.output)) {
				expect(error).toMatch(/^The request has 2 texts, and the item does not say which/);
			}
			expect(jsonOf(result.output)[0]?.response).toMatchObject({ status: 'READY' });
		},
	);
});

describe('a response with another number of results than texts were sent', () => {
	const reply = {
		status: 'READY',
		chunkedData: [{ chunks: ['x'] }, { chunks: ['y'] }],
		more: 'kept',
	};

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'fails their items, with the chunking ID and the response: %s',
		async (onError) => {
			answers(reply);
			const result = await chunk(texts(3), {}, { onError });
			const [{ chunkingId }] = jobs();
			const isRegular = onError === 'continueRegularOutput';
			const items = isRegular ? result.output : result.errorOutput;
			const failed = {
				error: `The service returned 2 results for 3 texts, so it is unknown which belongs to which (chunking ID ${chunkingId})`,
				chunkingId,
			};
			expect(jsonOf(items)).toEqual(
				texts(3).map((item, at) => ({
					...(!isRegular && item),
					...failed,
					textPosition: at,
					textsInRequest: 3,
					...(at === 0 && { response: reply }),
				})),
			);
			expect(pairedIndexes(result)).toEqual([0, 1, 2]);
			expect(polls()).toHaveLength(1);
		},
	);

	it('is reported if it came with the submission', async () => {
		const body = { chunkingId: 'c-1', ...reply };
		fault('submit', { status: 200, body: JSON.stringify(body) });
		const { output } = await chunk(texts(1), {}, { onError: 'continueRegularOutput' });
		expect(jsonOf(output)).toEqual([
			{
				error: 'The service returned 2 results for 1 text, so it is unknown which belongs to which (chunking ID c-1)',
				chunkingId: 'c-1',
				textPosition: 0,
				textsInRequest: 1,
				response: body,
			},
		]);
	});
});

describe('Get Results', () => {
	it('returns no chunks if the results have fewer texts than the request', async () => {
		const { output } = await chunk(texts(3), { operation: 'submit' });
		const chunkedData = [{ chunks: ['text 1'] }, { chunks: ['text 2'] }];
		answers({ status: 'READY', chunkedData });
		const result = await getResults(jsonOf(output), {}, CONTINUE);
		const items = jsonOf(result.output);
		expect(pairedIndexes(result)).toEqual([0, 1, 2]);
		for (const { error } of items) expect(error).toContain('2 results for 3 texts');
		expect(items[0]?.response).toMatchObject({ chunkedData });
	});
});

describe('vectors', () => {
	const options = {};
	const items: IDataObject[] = ['A', 'B'].map((name) => ({
		id: name,
		name,
		text: `${name} one\n${name} two`,
	}));
	/** A response with the two chunks of each text, in the older shape. */
	const older = (vectors: number) => ({
		status: 'READY',
		chunkedData: [{ chunks: ['A one', 'A two'] }, { chunks: ['B one', 'B two'] }],
		vector: indexes(vectors).map((at) => ({ vector: [at, at] })),
	});
	const nested = (...vectors: unknown[]) => ({
		status: 'READY',
		chunkedData: [
			{ chunks: ['A one', 'A two'], vectors },
			{ chunks: ['B one'], vectors: [{ vector: [7, 7] }] },
		],
	});

	it.each([3, 5, 1, 8])(
		'older shape, four chunks and %i vectors: both texts fail and keep the response',
		async (vectors) => {
			answers(older(vectors));
			const { output } = await chunk(items, { options }, CONTINUE);
			const error = expect.stringMatching(
				new RegExp(`^The service returned ${vectors} vectors? for 4 chunks`),
			) as string;
			expect(jsonOf(output)).toEqual([
				expect.objectContaining({ error, textPosition: 0, response: older(vectors) }),
				expect.objectContaining({ error, textPosition: 1 }),
			]);
			expect(jsonOf(output)[1]).not.toHaveProperty('response');
		},
	);

	it('older shape with as many vectors as chunks: each text gets its own', async () => {
		answers(older(4));
		const { output } = await chunk(items, { options });
		expect(jsonOf(output).map(({ text, vector }) => [text, vector])).toEqual([
			['A one', [0, 0]],
			['A two', [1, 1]],
			['B one', [2, 2]],
			['B two', [3, 3]],
		]);
	});

	it.each<[string, unknown[]]>([
		['one vector less', [{ vector: [1, 2] }]],
		['one vector more', [{ vector: [1, 2] }, { vector: [3, 4] }, { vector: [5, 6] }]],
		['null in place of one', [null, { vector: [3, 4] }]],
		['one of another shape', [{ vector: [1, 2] }, { embedding: [3, 4] }]],
	])('%s than chunks in the entry of a text: it fails alone', async (_case, vectors) => {
		answers(nested(...vectors));
		const { output } = await chunk(items, { options }, CONTINUE);
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({
				error: expect.stringMatching(
					/^The service returned [13] vectors? for 2 chunks, so it is unknown which belongs to which/,
				) as string,
				response: nested(...vectors),
			}),
			expect.objectContaining({ text: 'B one', vector: [7, 7] }),
		]);
	});

	it.each<[FaultRule['damage'], string, number]>([
		['oneVectorLess', 'nested', 1],
		['oneVectorMore', 'nested', 1],
		['oneVectorLess', 'topLevelVector', 2],
		['oneVectorMore', 'topLevelVector', 2],
	])('%s from the service (%s) fails %i of two texts', async (damage, resultShape, failures) => {
		Object.assign(sandbox().settings, { resultShape });
		fault('results', { damage });
		const { output } = await chunk(items, { options }, CONTINUE);
		expect(jsonOf(output).filter(({ error }) => error !== undefined)).toHaveLength(failures);
	});

	it.each<[string, object]>([
		['older', older(3)],
		['newer', nested({ vector: [1, 2] })],
	])(
		'without vectors the texts succeed, whatever their number: %s shape',
		async (_shape, body) => {
			answers(body);
			const { output } = await chunk(items, { options, vectors: 'none' });
			const texts = jsonOf(output);
			expect(texts.slice(0, 3).map(({ text }) => text)).toEqual(['A one', 'A two', 'B one']);
			expect(texts.some((item) => 'vector' in item)).toBe(false);
		},
	);
});
