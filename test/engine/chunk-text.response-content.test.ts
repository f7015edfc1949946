/** Tests how Chunk Text handles responses that are valid JSON but have unexpected content. */
import { texts, useChunkText } from '../../support/chunking';
import { CONTINUE, hintsOf, jsonOf, pairedIndexes } from '../../support/sandbox';
import { naming } from '../../support/wording';

const { chunkingIds, chunk, getResults, fault, answers } = useChunkText();

const options = { maxWaitSeconds: 1 };
describe('a response with an unusual format', () => {
	it('means not ready if it is empty', async () => {
		const { output } = await chunk(texts(1), { operation: 'submit' });
		fault('results', { status: 204, times: 1 });
		const result = await getResults(jsonOf(output));
		expect(jsonOf(result.output)).toMatchObject([{ id: 'i0', status: 'SUBMITTED' }]);
		fault('results', { status: 204, times: 3 });
		const { hints, ...later } = await getResults(jsonOf(output), {
			wait: true,
		});
		expect(jsonOf(later.output)).toMatchObject([{ text: 'text 0' }]);
		expect(hints).toEqual([]);
	});

	it('fails a text whose entry has no chunks, and removes nothing for it', async () => {
		const chunkedData = [{ error: 'model overloaded' }, { chunks: ['text 1'] }, null];
		answers({ status: 'READY', chunkedData });
		const result = await chunk(
			texts(3),
			{ output: 'documents', options: { previousChunkCount: 2 } },
			CONTINUE,
		);
		expect(pairedIndexes(result)).toEqual([0, 1, 2]);
		const request = { chunkingId: chunkingIds()[0], textsInRequest: 3 };
		expect(jsonOf(result.output)).toMatchObject([
			{
				error: naming('"model overloaded"', request.chunkingId),
				advice: expect.any(String),
				...request,
				id: 'i0',
				textPosition: 0,
				response: { status: 'READY', chunkedData },
			},
			// Without spans, the node cannot know whether the chunks are complete, so it does not report any chunks as
			// removed.
			expect.objectContaining({ id: 'i1#0', text: 'text 1' }),
			{
				error: naming(request.chunkingId),
				advice: expect.any(String),
				...request,
				id: 'i2',
				textPosition: 2,
			},
		]);
	});
});

describe('vectors in an unknown format', () => {
	it('are named by a hint', async () => {
		fault('results', { damage: 'otherVectorShape' });
		const result = await chunk(texts(2), { options });
		expect(jsonOf(result.output)).toHaveLength(2);
		expect(hintsOf(result)).toEqual([
			"The AI service returned no readable vectors for 2 texts. If you do not need them, set 'Vectors' to 'None'.",
		]);
	});
});

it.each([
	[512, []],
	[
		513,
		[
			"The largest chunk has 513 tokens, but most embedding models read only about 512. The chunker 'Dynamic Sentence' limits the size of chunks.",
		],
	],
])('a chunk of %i tokens', async (inputTokens, expected) => {
	const vectors = [{ tokensUsed: { inputTokens }, vector: [1] }];
	answers({ status: 'READY', chunkedData: [{ chunks: ['text 0'], vectors }] });
	expect(hintsOf(await chunk(texts(1)))).toEqual(expected);
});
