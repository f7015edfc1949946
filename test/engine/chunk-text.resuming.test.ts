/** Tests the IDs of chunking jobs, and how Get Results uses them to fetch chunks later. */

import type { IDataObject } from 'n8n-workflow';

import { texts, textsOf, useChunkText } from '../../support/chunking';
import { CONTINUE, jsonOf } from '../../support/sandbox';
import { naming } from '../../support/wording';

const { sandbox, chunk, getResults, polls, batches, fault, answers, jobsEnded, arrived } =
	useChunkText();

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
		expect(error?.message).toEqual(naming('"Out of order"', 'ERROR'));
		expect(polls()).toHaveLength(1);
	});

	it('removes the fields of Submit from finished chunks that keep all fields', async () => {
		const { output } = await chunk(texts(1), { operation: 'submit' });
		await jobsEnded();
		const all = { options: { keepSourceFields: 'all' } };
		const result = await getResults(jsonOf(output), all);
		const chunks = [{ ...texts(1)[0], chunkIndex: 0, vector: expect.any(Array) as number[] }];
		expect(jsonOf(result.output)).toEqual(chunks);
	});
});

describe('a second run with the items of the first one', () => {
	/** Acts like an IF node that sends only items with a `chunkingId` to Get Results. */
	const secondRun = async (items: IDataObject[]) => {
		const withId = items.filter(({ chunkingId }) => Boolean(chunkingId));
		const others = items.filter(({ chunkingId }) => !chunkingId);
		return [
			await getResults(withId, { wait: true }),
			...(others.length > 0 ? [await chunk(others)] : []),
		];
	};

	/** Makes all jobs look unfinished, until a later run has polled this many of them. */
	const holdJobs = () => {
		fault('results', { status: 200, body: '{"status":"SUBMITTED"}' });
		return async (count: number) => {
			await arrived('results', polls().length + count);
			sandbox().faults.clear();
		};
	};

	it('submits nothing twice: unfinished texts are fetched, and only new ones submitted', async () => {
		const release = holdJobs();
		const first = await chunk(texts(3), {
			options: {
				textsPerRequest: 2,
				concurrency: 1,
				maxWaitSeconds: 1,
				whenTimeRunsOut: 'output',
			},
		});
		const unfinished = jsonOf(first.output);
		expect(unfinished).toMatchObject([
			{ textPosition: 0, textsInRequest: 2 },
			{ textPosition: 1, textsInRequest: 2 },
			{ textPosition: 0, textsInRequest: 1 },
		]);
		sandbox().settings.resultsOnce = true;
		const second = secondRun([...unfinished, { text: 'new' }]);
		await release(2);
		const [fetched, submitted] = await second;
		expect(batches()).toEqual([['text 0', 'text 1'], ['text 2'], ['new']]);
		expect(textsOf(jsonOf(fetched.output))).toEqual(['text 0', 'text 1', 'text 2']);
		expect(jsonOf(fetched.output).map(({ chunkIndex }) => chunkIndex)).toEqual([0, 0, 0]);
		expect(textsOf(jsonOf(submitted.output))).toEqual(['new']);
	});

	it('submits nothing twice after texts ran out of time', async () => {
		const release = holdJobs();
		const options = { textsPerRequest: 1, maxWaitSeconds: 1 };
		const { output } = await chunk(texts(2), { options }, CONTINUE);
		const failed = jsonOf(output);
		expect(failed).toMatchObject([
			{ error: expect.any(String) },
			{ error: expect.any(String) },
		]);
		const second = secondRun(failed);
		await release(2);
		const [fetched] = await second;
		expect(batches()).toHaveLength(2);
		expect(textsOf(jsonOf(fetched.output))).toEqual(['text 0', 'text 1']);
	});
});

describe('a submission', () => {
	it('is polled if its response contains only a chunking ID', async () => {
		fault('submit', { status: 200, body: '{"chunkingId":"c-1"}' });
		answers({ status: 'READY', chunkedData: [{ chunks: ['one'] }] });
		const { output } = await chunk(texts(1));
		expect(jsonOf(output).map(({ text }) => text)).toEqual(['one']);
		const { output: submitted } = await chunk(texts(1), { operation: 'submit' });
		expect(jsonOf(submitted)).toMatchObject([{ chunkingId: 'c-1', status: 'SUBMITTED' }]);
	});
});
