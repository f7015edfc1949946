/** Chunk Text: chunking IDs, and what is fetched by them later: Get Results and Resume Chunking ID. */

import { texts, textsOf, useChunkText } from '../../support/chunking';
import { indexes, jsonOf, pairedIndexes } from '../../support/sandbox';

const { sandbox, chunk, getResults, polls, batches, fault, answers, jobsEnded } = useChunkText();

describe('Get Results', () => {
	it('fetches nothing more once the run has ended', async () => {
		sandbox().settings.resultsOnce = true;
		const { output } = await chunk(texts(5), {
			operation: 'submit',
			options: { textsPerRequest: 1 },
		});
		await jobsEnded();
		answers({ status: 'ERROR', message: 'Out of order' });
		const { error } = await getResults(jsonOf(output), { options: { concurrency: 1 } });
		expect(error?.message).toContain('"Out of order": the AI service reported ERROR');
		expect(polls()).toHaveLength(1);
	});

	it('leaves no trace of Submit on finished chunks that keep all fields', async () => {
		const { output } = await chunk(texts(1), { operation: 'submit' });
		await jobsEnded();
		const all = { options: { keepSourceFields: 'all' } };
		const result = await getResults(jsonOf(output), all);
		const chunks = [{ ...texts(1)[0], chunkIndex: 0, vector: expect.any(Array) as number[] }];
		expect(jsonOf(result.output)).toEqual(chunks);
	});
});

describe('Resume Chunking ID', () => {
	const resume = { resumeChunkingId: '={{ $json.chunkingId }}' };

	it('fetches the items that have one, submits the others, and mixes none of them up', async () => {
		sandbox().settings.resultsOnce = true;
		const before = await chunk(texts(3), {
			operation: 'submit',
			options: { textsPerRequest: 2, concurrency: 1 },
		});
		const [a, b, c] = jsonOf(before.output);
		const items = [{ text: 'new 0' }, b, { text: 'new 2', chunkingId: null }, c, a];
		const result = await chunk(items, { options: resume });
		expect(batches()).toEqual([['text 0', 'text 1'], ['text 2'], ['new 0', 'new 2']]);
		expect(textsOf(jsonOf(result.output))).toEqual([
			'new 0',
			'text 1',
			'new 2',
			'text 2',
			'text 0',
		]);
		expect(pairedIndexes(result)).toEqual(indexes(5));
		expect(polls()).toHaveLength(3);
	});

	it('is off unless the option is set', async () => {
		await chunk([{ text: 'a', chunkingId: 'b' }]);
		expect(batches()).toEqual([['a']]);
	});
});

describe('a submission', () => {
	it('is polled if its response has nothing but a chunking ID', async () => {
		fault('submit', { status: 200, body: '{"chunkingId":"c-1"}' });
		answers({ status: 'READY', chunkedData: [{ chunks: ['one'] }] });
		const { output } = await chunk(texts(1));
		expect(jsonOf(output).map(({ text }) => text)).toEqual(['one']);
		const { output: submitted } = await chunk(texts(1), { operation: 'submit' });
		expect(jsonOf(submitted)).toMatchObject([{ chunkingId: 'c-1', status: 'SUBMITTED' }]);
	});
});
