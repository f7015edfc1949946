/** Tests the Code nodes of *Compare Chunkers* with what Chunk Text returns to them. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import workflow from '../../examples/src/compare-chunkers';
import compareScore from '../../examples/src/code/compare-score';
import compareTexts from '../../examples/src/code/compare-texts';
import type { ChunkResult, Score } from '../../examples/src/parts/compare-types';
import { useChunkText } from '../../support/chunking';
import { CONTINUE, jsonOf } from '../../support/sandbox';

const { sandbox, chunk, submits, fault } = useChunkText({
	vectorSize: 384,
	vectorsFromWords: true,
});

const { parameters } = workflow.nodes.find(({ name }) => name === 'Chunk Text') as {
	parameters: INodeParameters;
};

const documents = [
	{ id: 'kettle', text: '# Kettle\nUse vinegar against limescale. Rinse it twice.' },
	{ id: 'toaster', text: '# Toaster\nEmpty the crumb tray every week. Never use water.' },
];
const questions = [
	{ question: 'What helps against limescale?', document: 'kettle', phrase: 'vinegar' },
	{ question: 'When to empty the crumb tray?', document: 'toaster', phrase: 'every week. Never' },
];

async function scoreOf(chunker: string, config: object): Promise<Score> {
	const variant = { variant: 'A', chunker, config, model: 'gte-small' };
	const texts = compareTexts({ variant, documents, questions, now: 0 }).map(({ json }) => json);
	const { output } = await chunk(texts as unknown as IDataObject[], parameters, CONTINUE);
	const results = jsonOf(output) as unknown as ChunkResult[];
	return compareScore({ documents, questions, texts, results, now: 500 })[0].json;
}

test('the vectors of the chunks find the answers', async () => {
	expect(await scoreOf('sentence', { chunkSize: 1, overlapSize: 0 })).toMatchObject({
		...{ error: '', meanReciprocalRank: 0.5, hitAt1: 0.5, hitAt5: 0.5, phrasesCut: 1 },
		...{ chunks: 6, textsSent: 4, tokensUsed: expect.any(Number), seconds: 0.5 },
		missed: [
			{
				...{ ...questions[1], rank: null },
				found: { document: 'toaster', chunkIndex: 1, text: expect.stringMatching('crumb') },
			},
		],
	});
	expect(await scoreOf('dynamic-newline', {})).toMatchObject({ hitAt1: 1, phrasesCut: 0 });
});

test('each text is sent once with its data type, and a question stays whole', async () => {
	await scoreOf('sentence', { chunkSize: 1 });
	const bodies = submits().map(({ path, body }) => ({ path, ...(body as object) }));
	expect(bodies).toEqual([
		{
			path: '/ai/async-chunking/sentence/gte-small',
			batch: documents.map(({ text }) => ({ text })),
			...{ useCaseConfig: { dataType: 'passage' }, chunkerConfig: { chunkSize: 1 } },
			modelConfig: { vectorQuantizationMethod: 'max-scale' },
		},
		{
			path: '/ai/async-chunking/regex-splitter/gte-small',
			batch: questions.map(({ question }) => ({ text: question })),
			...{ useCaseConfig: { dataType: 'query' }, chunkerConfig: { regex: '(?!)' } },
			modelConfig: { vectorQuantizationMethod: 'max-scale' },
		},
	]);
});

test.each<[string, string, object, RegExp]>([
	['an unknown chunker', 'unknown', {}, /^2 of 4 texts failed: .*404/],
	['a setting out of range', 'sentence', { chunkSize: 0 }, /^2 of 4 texts failed: .*chunkSize/],
	['an expression that is not valid', 'regex-splitter', { regex: '(' }, /^2 of 4 texts failed: /],
	[
		'an expression that leaves nothing',
		'regex-splitter',
		{ regex: '(?s).+' },
		/'kettle' has no chunks/,
	],
])('a variant with %s says so', async (_, chunker, config, error) => {
	expect(await scoreOf(chunker, config)).toMatchObject({
		...{ error: expect.stringMatching(error), meanReciprocalRank: null, missed: [] },
	});
});

test('an outage and cut-off chunks are errors of the variant', async () => {
	sandbox().settings.maxChunks = 1;
	expect((await scoreOf('sentence', { chunkSize: 1 })).error).toMatch('has no chunks');
	sandbox().settings.maxChunks = undefined;
	fault('submit', { status: 400 });
	expect((await scoreOf('sentence', { chunkSize: 1 })).error).toMatch(
		/^4 of 4 texts failed: .*400/,
	);
});
