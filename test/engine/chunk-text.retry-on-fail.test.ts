/** Chunk Text with n8n's Retry On Fail: what a try has fetched or submitted is there for the next one. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { useFiles } from '../../support/binary-data';
import { OFTEN, texts, useChunkText } from '../../support/chunking';
import { indexes, jsonOf, pairedIndexes } from '../../support/sandbox';

const files = useFiles();
const { sandbox, chunk, getResults, submits, polls, batches, fault, jobsEnded } = useChunkText({
	resultsOnce: true,
});

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const CONTINUE = { ...RETRY, onError: 'continueRegularOutput' } as const;
const ONE_BY_ONE = { ...OFTEN, textsPerRequest: 1, concurrency: 1 };

const textsOf = (items: INodeExecutionData[]) => jsonOf(items).map(({ text }) => text);
/** Items with a chunking ID each, whose chunks are ready. */
const submitted = async (count: number): Promise<IDataObject[]> => {
	const { output } = await chunk(texts(count), { operation: 'submit', options: ONE_BY_ONE });
	await jobsEnded();
	sandbox().requests.length = 0;
	return jsonOf(output).map(({ chunkingId }) => ({ chunkingId }));
};
/** How often each chunking ID was polled. */
const pollsOf = (id: unknown) => polls().filter(({ path }) => path.endsWith(String(id))).length;

describe('Get Results returns what an earlier try has fetched', () => {
	it.each([['continueRegularOutput'], ['continueErrorOutput']] as const)(
		'if the first item fails each time: %s',
		async (onError) => {
			const items = await submitted(3);
			const result = await getResults(
				[{ chunkingId: '' }, ...items],
				{ options: OFTEN },
				{ ...RETRY, onError },
			);
			const [failed] = onError === 'continueErrorOutput' ? result.errorOutput : result.output;
			expect(failed.json.error).toMatch(/^'Chunking ID' is empty/);
			expect(textsOf(result.output).filter(Boolean)).toEqual(['text 0', 'text 1', 'text 2']);
			expect(pairedIndexes(result).sort()).toEqual(indexes(4));
			expect(items.map(({ chunkingId }) => pollsOf(chunkingId))).toEqual([1, 1, 1]);
		},
	);

	it('if a node that stops succeeds at its second try', async () => {
		const items = await submitted(3);
		fault('results', { status: 403, skip: 2, times: 1 });
		const options = { ...OFTEN, concurrency: 1 };
		const { output } = await getResults(items, { wait: false, options }, RETRY);
		expect(textsOf(output)).toEqual(['text 0', 'text 1', 'text 2']);
		expect(items.map(({ chunkingId }) => pollsOf(chunkingId))).toEqual([1, 1, 2]);
	});

	it('if the node is executed once', async () => {
		const [one, other, third] = await submitted(3);
		fault('results', { status: 403, skip: 1, times: 1 });
		const { output } = await getResults(
			[{ ...one, failedTexts: [one, other] }, third],
			{ wait: false, options: { concurrency: 1 } },
			{ ...RETRY, executeOnce: true },
		);
		expect(textsOf(output)).toEqual(['text 0', 'text 1']);
		expect([one, other, third].map(({ chunkingId }) => pollsOf(chunkingId))).toEqual([1, 2, 0]);
	});

	it('the first item failed for a reason that has passed', async () => {
		const items = await submitted(3);
		fault('results', { status: 403, times: 1 });
		const options = { ...OFTEN, concurrency: 1 };
		const result = await getResults(items, { wait: false, options }, CONTINUE);
		expect(textsOf(result.output)).toEqual(['text 0', 'text 1', 'text 2']);
		expect(items.map(({ chunkingId }) => pollsOf(chunkingId))).toEqual([2, 1, 1]);
	});

	it('also a response that no text could take', async () => {
		const response = { status: 'READY', chunkedData: [{ chunks: ['x'] }, { chunks: ['y'] }] };
		fault('results', { status: 200, body: JSON.stringify(response), times: 1 });
		const item = { chunkingId: 'c-1', textsInRequest: 1 };
		const { output } = await getResults([item], { wait: false }, CONTINUE);
		expect(jsonOf(output)).toMatchObject([
			{
				error: expect.stringMatching(/^The service returned 2 results for 1 text/),
				response,
			},
		]);
		expect(polls()).toHaveLength(1);
	});

	it('also one that cannot be read', async () => {
		const body = '{"chunkingId":"c-1","status":"READY","chunkedData":[{"chunks":["te';
		fault('results', { status: 200, body, times: 1 });
		fault('results', { status: 503, times: 1 });
		fault('results', { status: 200, body: '{"status":"RETRIEVED"}' });
		const { output } = await getResults([{ chunkingId: 'c-1' }], { options: OFTEN }, CONTINUE);
		expect(jsonOf(output)).toMatchObject([
			{
				error: expect.stringMatching(
					/^The service counts the chunks as retrieved, but they could not be read: what arrived is not a valid JSON object/,
				),
				response: body,
			},
		]);
	});

	it.each([
		['of a job that fails at the next try', false],
		['of a job that fails within the first try', true],
	])('also chunks that came early, %s', async (_, wait) => {
		const early = { status: 'SUBMITTED', chunkedData: [{ chunks: ['early'] }] };
		fault('results', { status: 200, body: JSON.stringify(early), times: 1 });
		fault('results', { status: 200, body: '{"status":"ERROR"}' });
		const items = [{ chunkingId: '' }, { chunkingId: 'c-1' }];
		const { output } = await getResults(items, { wait, options: OFTEN }, CONTINUE);
		expect(jsonOf(output)[1]).toMatchObject({
			error: expect.stringMatching(/^The AI service reported ERROR/),
			response: early,
		});
	});

	it('but not chunks that came early, once the job has finished', async () => {
		const [item] = await submitted(1);
		const early = { status: 'SUBMITTED', chunkedData: [{ chunks: ['early'] }] };
		fault('results', { status: 200, body: JSON.stringify(early), times: 1 });
		const { output } = await getResults([{ chunkingId: '' }, item], { wait: false }, CONTINUE);
		expect(textsOf(output)).toEqual([undefined, 'text 0']);
		expect(output[1].json).not.toHaveProperty('response');
	});

	it('and knows that a response may have been lost', async () => {
		const [item] = await submitted(1);
		fault('results', { reset: 'afterWork', times: 1 });
		const options = { maxAttempts: 1 };
		const { output } = await getResults([item], { wait: false, options }, CONTINUE);
		expect(jsonOf(output)[0].error).toMatch(
			/^The service counts the chunks as retrieved, and a response to this run may have been lost/,
		);
	});

	it('nothing of an execution before: each fetches for itself', async () => {
		Object.assign(sandbox().settings, { resultsOnce: false });
		const items = [{ chunkingId: '' }, ...(await submitted(1))];
		await getResults(items, { wait: false }, CONTINUE);
		await getResults(items, { wait: false }, CONTINUE);
		expect(pollsOf(items[1].chunkingId)).toBe(2);
	});
});

describe('no text is submitted again that an earlier try has submitted', () => {
	const withEmpty = [{ text: '' }, ...texts(4)];

	it('Submit', async () => {
		const options = { textsPerRequest: 2, concurrency: 1 };
		const result = await chunk(withEmpty, { operation: 'submit', options }, CONTINUE);
		expect(batches()).toEqual([
			['text 0', 'text 1'],
			['text 2', 'text 3'],
		]);
		const jobs = sandbox()
			.jobs()
			.map(({ chunkingId }) => chunkingId);
		expect(jsonOf(result.output).map(({ chunkingId }) => chunkingId)).toEqual(
			[undefined, 0, 0, 1, 1].map((job) => (job === undefined ? undefined : jobs[job])),
		);
		expect(jsonOf(result.output).map(({ textPosition }) => textPosition)).toEqual([
			undefined,
			0,
			1,
			0,
			1,
		]);
		expect(pairedIndexes(result)).toEqual(indexes(5));
	});

	it('Submit with the results in the response', async () => {
		const chunkedData = [{ chunks: ['text 0'], spans: [[0, 6]] }];
		const body = JSON.stringify({ chunkingId: 'c-1', status: 'READY', chunkedData });
		fault('submit', { status: 200, body, times: 1 });
		const items = [{ text: '' }, ...texts(1)];
		const { output } = await chunk(items, { operation: 'submit' }, CONTINUE);
		expect(textsOf(output)).toEqual([undefined, 'text 0']);
		expect(submits()).toHaveLength(1);
	});

	it('a node that stops at the second of its submissions', async () => {
		fault('submit', { status: 500, skip: 1, times: 1 });
		const { output } = await chunk(
			texts(2),
			{ operation: 'submit', options: ONE_BY_ONE },
			RETRY,
		);
		expect(submits()).toHaveLength(3);
		const ids = jsonOf(output).map(({ chunkingId }) => chunkingId);
		expect(ids).toEqual(
			sandbox()
				.jobs()
				.map(({ chunkingId }) => chunkingId),
		);
	});

	it('Submit and Wait, which also returns the chunks it has', async () => {
		const result = await chunk(withEmpty, { options: OFTEN }, CONTINUE);
		expect(textsOf(result.output)).toEqual([undefined, 'text 0', 'text 1', 'text 2', 'text 3']);
		expect(submits()).toHaveLength(1);
		expect(polls().filter(({ status }) => status === 200).length).toBeGreaterThan(0);
	});

	it('one that was not finished in time is waited for once more', async () => {
		Object.assign(sandbox().settings, { chunkDelayMs: 1500 });
		const { output } = await chunk(
			texts(1),
			{ options: { ...OFTEN, maxWaitSeconds: 1 } },
			CONTINUE,
		);
		expect(textsOf(output)).toEqual(['text 0']);
		expect(submits()).toHaveLength(1);
	});

	it('but one whose job has failed is, alone', async () => {
		fault('results', { status: 200, body: '{"status":"ERROR"}', times: 1 });
		const options = { ...ONE_BY_ONE, isolateFailingTexts: false };
		const { output } = await chunk(texts(3), { options }, CONTINUE);
		expect(textsOf(output)).toEqual(['text 0', 'text 1', 'text 2']);
		expect(
			batches()
				.map(([text]) => text)
				.sort(),
		).toEqual(['text 0', 'text 0', 'text 1', 'text 2']);
	});
});

describe('what the service returned for a job that failed', () => {
	const unreadable = { status: 'READY', answer: [{ passage: 'text 0' }, { passage: 'text 1' }] };
	const other = { status: 'READY', answer: ['another try'] };
	const options = { ...OFTEN, textsPerRequest: 2, concurrency: 1 };

	it('is returned once with the texts that fail again, beside what comes then', async () => {
		fault('results', { status: 200, body: JSON.stringify(unreadable), times: 1 });
		fault('results', { status: 200, body: JSON.stringify(other), times: 1 });
		fault('results', { status: 200, body: '{"status":"ERROR"}' });
		const { output } = await chunk(texts(2), { options }, CONTINUE);
		expect(submits()).toHaveLength(3);
		const [first, second] = jsonOf(output);
		expect(first).toMatchObject({ response: unreadable, responses: [unreadable, other] });
		expect(first.error).toMatch(/^The AI service reported ERROR/);
		expect(second).not.toHaveProperty('response');
		expect(second).not.toHaveProperty('responses');
	});

	it('also if these cannot be submitted, or have not finished in time', async () => {
		const submitFails = [
			{ status: 400 },
			{ status: 200, body: '{"chunkingId":"c-2","status":"SUBMITTED"}' },
		];
		for (const again of submitFails) {
			sandbox().faults.clear();
			fault('results', { status: 200, body: JSON.stringify(unreadable), times: 1 });
			fault('results', { status: 200, body: '{"status":"RUNNING"}' });
			fault('submit', { ...again, skip: 1 });
			const { output } = await chunk(
				texts(1),
				{ options: { ...options, maxWaitSeconds: 1, whenTimeRunsOut: 'output' } },
				{ ...CONTINUE, maxTries: 2 },
			);
			expect(jsonOf(output)).toMatchObject([{ response: unreadable }]);
		}
	});

	it('of a list of texts too', async () => {
		fault('results', { status: 200, body: JSON.stringify(unreadable), times: 1 });
		fault('results', { status: 200, body: JSON.stringify(other), times: 1 });
		fault('results', { status: 200, body: '{"status":"ERROR"}' });
		const { output } = await chunk(
			[{ texts: ['text 0', 'text 1'] }],
			{ textSource: 'list', textsField: 'texts', options },
			CONTINUE,
		);
		const [{ failedTexts, ...item }] = jsonOf(output);
		expect(item).toMatchObject({ response: unreadable, responses: [unreadable, other] });
		expect(failedTexts).toHaveLength(2);
		expect(JSON.stringify(failedTexts)).not.toContain('response');
	});

	it('is not returned with texts that succeed then', async () => {
		fault('results', { status: 200, body: JSON.stringify(unreadable), times: 1 });
		const { output } = await chunk(texts(1), { options }, CONTINUE);
		expect(jsonOf(output)).toMatchObject([{ text: 'text 0' }]);
		expect(output[0].json).not.toHaveProperty('response');
	});

	it('can be fetched later: a node that stops names its chunking ID', async () => {
		fault('results', { status: 200, body: JSON.stringify(unreadable), times: 1 });
		fault('submit', { status: 400, skip: 1 });
		const { error } = await chunk(texts(1), { options }, RETRY);
		const [{ chunkingId }] = sandbox().jobs();
		expect(error?.description).toContain(`Chunking IDs failed: ${chunkingId}.`);
	});
});

it('without Retry On Fail, nothing is kept for a run that follows', async () => {
	const { output } = await chunk(
		[{ text: '' }, ...texts(1)],
		{ options: OFTEN },
		{
			onError: 'continueRegularOutput',
		},
	);
	expect(textsOf(output)).toEqual([undefined, 'text 0']);
});

describe('texts from files', () => {
	const parameters: INodeParameters = {
		textSource: 'file',
		textField: 'text',
		output: 'documents',
	};
	const lines = (count: number) =>
		texts(count)
			.map((each) => `${JSON.stringify({ ...each, name: each.id })}\n`)
			.join('');

	it.each([['submitAndWait'], ['submit']])(
		'%s: a file that was finished is not sent again',
		async (operation) => {
			const file = await files.item(lines(3), 'texts.jsonl');
			const items = [{ json: {} }, file] as unknown as IDataObject[];
			const result = await chunk(
				items,
				{ ...parameters, operation, options: OFTEN },
				CONTINUE,
			);
			expect(submits()).toHaveLength(1);
			expect(jsonOf(result.output)[0].error).toMatch(/data/);
			expect(jsonOf(result.output).at(-1)).toMatchObject({ file: 'texts.jsonl', failed: 0 });
			expect(new Set(pairedIndexes(result))).toEqual(new Set([0, 1]));
		},
	);
});
