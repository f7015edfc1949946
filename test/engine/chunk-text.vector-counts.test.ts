/** A vector never becomes that of another chunk or document: Chunk Text counts before it assigns. */
import type { IDataObject } from 'n8n-workflow';

import type { FaultRule } from '../../sandbox';
import { OFTEN, useChunkText } from '../../support/chunking';
import { indexes, jsonOf, useSandbox, useShortBackoff } from '../../support/sandbox';

useShortBackoff();
const sandbox = useSandbox({ settings: { vectorSize: 2 } });
const { chunk, answers, fault } = useChunkText(sandbox);

const CONTINUE = { onError: 'continueRegularOutput' } as const;
const options = OFTEN;
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
])('without vectors the texts succeed, whatever their number: %s shape', async (_shape, body) => {
	answers(body);
	const { output } = await chunk(items, { options, vectors: 'none' });
	const texts = jsonOf(output);
	expect(texts.slice(0, 3).map(({ text }) => text)).toEqual(['A one', 'A two', 'B one']);
	expect(texts.some((item) => 'vector' in item)).toBe(false);
});
