/** Chunk Text claims nothing that is not known, mixes no documents, and loses nothing delivered once. */
import {
	NodeHelpers,
	type IDataObject,
	type INodeParameters,
	type INodeProperties,
} from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { OFTEN, useChunkText } from '../../support/chunking';
import { hintsOf, indexes, jsonOf, useSandbox, useShortBackoff } from '../../support/sandbox';

useShortBackoff();
const sandbox = useSandbox({ settings: { vectorSize: 2 } });
const { chunk, getResults, submits, polls, batches, fault, answers, jobsEnded, credentials } =
	useChunkText(sandbox);

const CONTINUE = { onError: 'continueRegularOutput' } as const;
const DOCUMENTS = { output: 'documents' };
const texts = (count: number): IDataObject[] =>
	indexes(count).map((at) => ({ id: `i${at}`, name: `N${at}`, text: `text ${at}` }));
const textsById = (items: IDataObject[]) =>
	Object.fromEntries(items.map(({ id, text }) => [id, text]));
const removed = (items: IDataObject[]) =>
	items.filter((item) => item.removed === true).map(({ id }) => id);

describe('documents that share a request', () => {
	const options = { ...OFTEN, maxWaitSeconds: 1 };
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
		const resuming = { ...OFTEN, resumeChunkingId: '={{ $json.chunkingId }}' };
		const { output } = await chunk(items, { ...DOCUMENTS, options: resuming });
		expect(textsById(jsonOf(output))).toEqual(expected);
		expect(submits()).toHaveLength(1);
	});

	it.each(['documents', 'chunks', 'texts'])(
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

describe('a chunk is returned as removed only if it is certain that it no longer exists', () => {
	const options = { ...OFTEN, previousChunkCount: 3, maxWaitSeconds: 1 };
	const run = async (parameters: INodeParameters = {}) =>
		jsonOf((await chunk(texts(1), { ...DOCUMENTS, options, ...parameters }, CONTINUE)).output);

	it('if its text is covered completely', async () => {
		expect(removed(await run())).toEqual(['i0#1', 'i0#2']);
	});

	it.each(['RUNNING', 'QUEUED', 'submitted', 'EMBEDDING'])(
		'not while the status is %s, whatever list comes with it',
		async (status) => {
			answers({ status, chunkedData: [] }, { status, chunkedData: [{ chunks: [] }] });
			expect(removed(await run())).toEqual(['i0#1', 'i0#2']);
			expect(polls().length).toBeGreaterThanOrEqual(3);
		},
	);

	it.each<[string, unknown]>([
		['no chunks at all', { chunks: [], spans: [] }],
		['chunks without spans', { chunks: ['text 0'] }],
		['chunks of a part of the text', { chunks: ['t'], spans: [[0, 1]] }],
	])('not if the service returned %s', async (_case, entry) => {
		answers({ status: 'READY', chunkedData: [entry] });
		const long = { id: 'i0', name: 'N0', text: 'text 0 and a good deal more of it' };
		const { output } = await chunk([long], { ...DOCUMENTS, options });
		expect(removed(jsonOf(output))).toEqual([]);
	});

	it('not by Get Results, which does not know the text', async () => {
		const { output } = await chunk(texts(1), { operation: 'submit' });
		await jobsEnded();
		const items = [{ ...texts(1)[0], ...jsonOf(output)[0] }];
		const result = await getResults(items, {
			...DOCUMENTS,
			options: { previousChunkCount: 3 },
		});
		expect(jsonOf(result.output)).toHaveLength(1);
		expect(removed(jsonOf(result.output))).toEqual([]);
	});

	it.each<[string, INodeParameters, boolean]>([
		['Submit and Wait', { operation: 'submitAndWait', output: 'documents' }, true],
		['Get Results', { operation: 'getResults', output: 'documents' }, false],
		['chunks', { operation: 'submitAndWait', output: 'chunks' }, false],
	])('and the number of previous chunks is asked for only then: %s', (_case, values, isShown) => {
		const { description } = new ChunkText();
		const all = description.properties.find(({ name }) => name === 'options')?.options;
		const option = (all as INodeProperties[]).find(({ name }) => name === 'previousChunkCount');
		expect(option && NodeHelpers.displayParameter({}, option, null, description, values)).toBe(
			isShown,
		);
	});

	it('never for more chunks than a document can have', async () => {
		const huge = { ...options, previousChunkCount: 1.7e12 };
		const { error } = await chunk(texts(1), { ...DOCUMENTS, options: huge });
		expect(error?.message).toMatch(/^'Previous Chunk Count' must be at most 100000/);
		expect(sandbox().requests).toEqual([]);
	});
});

describe('what the service delivers only once is never lost', () => {
	const options = { ...OFTEN, maxWaitSeconds: 1 };

	it.each<[string, IDataObject]>([
		['READY in a shape nobody knows', { status: 'READY', passages: [{ of: 'tomorrow' }] }],
		['ERROR with data', { status: 'ERROR', chunkedData: [{ chunks: ['half'] }] }],
		['FAILED with data', { status: 'failed', chunkedData: [{ chunks: ['half'] }] }],
	])('%s comes with the failed item', async (_case, body) => {
		answers(body);
		const { output } = await chunk(texts(2), { options }, CONTINUE);
		expect(jsonOf(output)[0]?.response).toEqual(body);
		expect(jsonOf(output)[1]).not.toHaveProperty('response');
	});

	it.each(['fail', 'output'])(
		'data that come with SUBMITTED are returned at the end: %s',
		async (mode) => {
			const body = { status: 'SUBMITTED', chunkedData: [{ chunks: ['half'] }] };
			fault('results', { status: 200, body: JSON.stringify(body) });
			const late = { ...options, whenTimeRunsOut: mode };
			const { output } = await chunk(texts(1), { options: late }, CONTINUE);
			expect(jsonOf(output)).toMatchObject([{ response: body, textPosition: 0 }]);
			expect(polls().length).toBeGreaterThan(1);
		},
	);

	it('one response nested thousands of levels deep costs no other job its chunks', async () => {
		const deep = `${'{"message":'.repeat(3000)}"x"${'}'.repeat(3000)}`;
		fault('results', { status: 200, body: `{"status":"ERROR","message":${deep}}`, times: 1 });
		const { output } = await chunk(
			texts(3),
			{ options: { ...OFTEN, textsPerRequest: 1, concurrency: 1 } },
			CONTINUE,
		);
		const items = jsonOf(output);
		expect(items.filter(({ error }) => error !== undefined)).toHaveLength(1);
		expect(items.filter(({ chunkIndex }) => chunkIndex === 0)).toHaveLength(2);
	});

	it('chunks of another request are not given to a text', async () => {
		answers({ chunkingId: 'another', status: 'READY', chunkedData: [{ chunks: ['wrong'] }] });
		const { output } = await chunk(texts(1), { options });
		expect(jsonOf(output).map(({ text }) => text)).toEqual(['text 0']);
		expect(polls()).toHaveLength(2);
	});

	it('a chunk that is null is not the text "null"', async () => {
		answers({ status: 'READY', chunkedData: [{ chunks: [null] }] });
		const { output } = await chunk(texts(1), { options }, CONTINUE);
		expect(jsonOf(output)).toMatchObject([
			{ error: expect.stringMatching(/^The service returned no readable chunks/) as string },
		]);
	});
});

describe('a request that ends in ERROR', () => {
	const options = { ...OFTEN, textsPerRequest: 2 };
	const items = texts(4).map((item, at) => ({
		...item,
		model: at > 1 ? 'broken-model' : 'gte-small',
	}));
	const parameters = { modelId: '={{ $json.model }}', options };

	it('has its texts submitted again one by one, so that a bad one fails alone', async () => {
		const { output } = await chunk(items, parameters, CONTINUE);
		expect(batches().map(({ length }) => length)).toEqual([2, 2, 1, 1]);
		expect(jsonOf(output).map(({ error }) => error !== undefined)).toEqual([
			false,
			false,
			true,
			true,
		]);
		expect(jsonOf(output)[3]).toMatchObject({ textsInRequest: 1, textPosition: 0 });
	});

	it('is not repeated as long as no other request has succeeded', async () => {
		const { output } = await chunk(items.slice(2), parameters, CONTINUE);
		expect(submits()).toHaveLength(1);
		expect(jsonOf(output)[0]?.error).toMatch(/for a request with 2 texts, any of which/);
	});

	it.each<[string, INodeParameters, object]>([
		['the option is off', { options: { ...options, isolateFailingTexts: false } }, CONTINUE],
		['the node stops at failures', {}, {}],
	])('is not repeated if %s', async (_case, more, settings) => {
		await chunk(items, { ...parameters, ...more }, settings);
		expect(submits()).toHaveLength(2);
	});
});

describe('a parameter from an expression', () => {
	it.each<[string, INodeParameters]>([
		['-5', { chunker: 'dynamic-newline', chunkerSettings: { maxChunkSize: '={{ -5 }}' } }],
		['2.7', { chunker: 'dynamic-newline', chunkerSettings: { maxChunkSize: '={{ 2.7 }}' } }],
		['NaN', { modelSettings: { dimReductionSize: '={{ "x" }}' } }],
		['"maybe"', { chunker: 'semantic', chunkerSettings: { approximate: '={{ "maybe" }}' } }],
	])('is refused before any request if it cannot be meant: %s', async (_value, parameters) => {
		const { error } = await chunk(texts(1), parameters);
		expect(error?.message).toMatch(/^'.*' must be /);
		expect(sandbox().requests).toEqual([]);
	});

	it('is sent as what it means', async () => {
		await chunk(texts(1), {
			chunker: 'semantic',
			chunkerSettings: { approximate: '={{ "false" }}', maxChunkSize: '={{ "128" }}' },
			operation: 'submit',
		});
		expect(submits()[0]?.body).toMatchObject({
			chunkerConfig: { approximate: false, maxChunkSize: 128 },
		});
	});

	it('may be the scope, without a Custom Scope', async () => {
		const scope = '={{ "machinelearning.predict" }}';
		const { status } = await chunk(texts(1), { scope });
		expect(status).toBe('success');
	});

	it.each([
		'results/{chunkingId}',
		'/r/{chunkingId}?x=1',
		'/r#{chunkingId}',
		'/../{chunkingId}',
		'/r',
	])('is refused before any request as the results path: %s', async (resultsPath) => {
		const { error } = await chunk(texts(1), { options: { resultsPath } });
		expect(error?.message).toMatch(/^'Results Path' must/);
		expect(sandbox().requests).toEqual([]);
	});
});

describe('one chunking ID', () => {
	it('that two submissions of the same text get is one job', async () => {
		const submitted = { chunkingId: 'c-1', status: 'SUBMITTED' };
		fault('submit', { status: 200, body: JSON.stringify(submitted) });
		const span = { spans: [[0, 6]] };
		answers({ status: 'SUBMITTED' }, { status: 'SUBMITTED' });
		answers({ status: 'READY', chunkedData: [{ chunks: ['both'], ...span }] });
		const same = texts(2).map((item) => ({ ...item, text: 'same' }));
		const { output } = await chunk(same, {
			options: { ...OFTEN, textsPerRequest: 1, firstIntervalSeconds: 0.3 },
		});
		expect(submits()).toHaveLength(2);
		expect(jsonOf(output).map(({ text }) => text)).toEqual(['both', 'both']);
	});
});

describe('a submission', () => {
	it('is polled if its response has nothing but a chunking ID', async () => {
		fault('submit', { status: 200, body: '{"chunkingId":"c-1"}' });
		answers({ status: 'READY', chunkedData: [{ chunks: ['one'] }] });
		const { output } = await chunk(texts(1), { options: OFTEN });
		expect(jsonOf(output).map(({ text }) => text)).toEqual(['one']);
		const { output: submitted } = await chunk(texts(1), { operation: 'submit' });
		expect(jsonOf(submitted)).toMatchObject([{ chunkingId: 'c-1', status: 'SUBMITTED' }]);
	});

	it('fails the texts of two requests that got the same chunking ID', async () => {
		const submitted = { chunkingId: 'c-1', status: 'SUBMITTED' };
		fault('submit', { status: 200, body: JSON.stringify(submitted) });
		answers({ status: 'SUBMITTED' }, { status: 'SUBMITTED' });
		answers({ status: 'READY', chunkedData: [{ chunks: ['text 0'] }] });
		const options = { ...OFTEN, textsPerRequest: 1, firstIntervalSeconds: 0.3, concurrency: 1 };
		const { output } = await chunk(texts(2), { options }, CONTINUE);
		const error = expect.stringMatching(/the same chunking ID for another request/) as string;
		const response = { status: 'READY', chunkedData: [{ chunks: ['text 0'] }] };
		expect(jsonOf(output)).toMatchObject([{ error, chunkingId: 'c-1', response }, { error }]);
	});

	it('fails the texts of a request that gets the chunking ID of one already returned', async () => {
		const submitted = { chunkingId: 'c-1', status: 'SUBMITTED' };
		const body = JSON.stringify(submitted);
		const error = expect.stringMatching(/the same chunking ID for another request/) as string;
		const options = { ...OFTEN, textsPerRequest: 1, concurrency: 1 };
		fault('submit', { status: 200, body, times: 3 });
		const { output } = await chunk(texts(2), { operation: 'submit', options }, CONTINUE);
		expect(jsonOf(output)).toEqual([
			expect.objectContaining({ id: 'i0', chunkingId: 'c-1' }),
			expect.objectContaining({ error }),
		]);
		// The first job has ended before the second submission is answered.
		fault('submit', { status: 200, body, latencyMs: 700 });
		answers({ status: 'READY', chunkedData: [{ chunks: ['text 0'] }] });
		const waited = await chunk(texts(2), { options }, CONTINUE);
		expect(jsonOf(waited.output)).toEqual([
			expect.objectContaining({ text: 'text 0', chunkingId: 'c-1' }),
			expect.objectContaining({ error }),
		]);
	});

	it('of failing texts one by one keeps their first error if it fails', async () => {
		const items = texts(4).map((item, at) => ({
			...item,
			model: at > 1 ? 'broken-model' : 'gte-small',
		}));
		fault('submit', { status: 503, skip: 2 });
		const { output } = await chunk(
			items,
			{
				modelId: '={{ $json.model }}',
				options: { ...OFTEN, textsPerRequest: 2, concurrency: 1 },
			},
			CONTINUE,
		);
		const [, broken] = sandbox().jobs();
		expect(jsonOf(output).slice(2)).toMatchObject(
			[0, 1].map((textPosition) => ({
				error: expect.stringMatching(/^The AI service reported ERROR/) as string,
				chunkingId: broken?.chunkingId,
				textPosition,
			})),
		);
	});
});

describe('Max Wait', () => {
	it('counts from the submission of each request', async () => {
		sandbox().settings.chunkDelayMs = 700;
		// The second request is submitted when more than half of the time is over.
		fault('submit', { latencyMs: 700, skip: 1, times: 1 });
		const result = await chunk(texts(2), {
			options: { ...OFTEN, textsPerRequest: 1, maxWaitSeconds: 1 },
		});
		expect(result.status).toBe('success');
		expect(jsonOf(result.output)).toHaveLength(2);
		expect(hintsOf(result)).toEqual([]);
	});
});

describe('Raw', () => {
	it('never has a top-level field error, since n8n would treat the item as failed', async () => {
		answers({ status: 'READY', chunkedData: [{ chunks: ['a'] }], error: 'none' });
		const { output } = await chunk(texts(1), { output: 'raw' });
		expect(jsonOf(output)[0]).toMatchObject({ responseError: 'none' });
		expect(jsonOf(output)[0]).not.toHaveProperty('error');
	});
});

describe('a response that repeats a secret', () => {
	it.each<[string, INodeParameters, IDataObject]>([
		['Raw', { output: 'raw' }, { status: 'READY', chunkedData: [{ chunks: ['a'] }] }],
		['with a failed item', {}, { status: 'ERROR', passages: [{ of: 'tomorrow' }] }],
		['with an unfinished item', {}, { status: 'SUBMITTED', passages: [{ of: 'tomorrow' }] }],
	])('is returned without it: %s', async (_case, parameters, body) => {
		const { clientSecret } = credentials().aiServiceOAuth2Api ?? {};
		const said = { ...body, note: `for ${String(clientSecret)}`, more: [[clientSecret]] };
		fault('results', { status: 200, body: JSON.stringify(said) });
		const options = { ...OFTEN, maxWaitSeconds: 1, whenTimeRunsOut: 'output' };
		const { output } = await chunk(texts(1), { ...parameters, options }, CONTINUE);
		const text = JSON.stringify(jsonOf(output));
		expect(text).toContain('for ***');
		expect(text).not.toContain(String(clientSecret));
	});

	it('is returned with its chunks as they came, since they are the own text of the user', async () => {
		const { clientSecret } = credentials().aiServiceOAuth2Api ?? {};
		answers({ status: 'READY', chunkedData: [{ chunks: [clientSecret] }] });
		const { output } = await chunk(texts(1), { output: 'raw' });
		expect(jsonOf(output)[0]).toMatchObject({ chunkedData: [{ chunks: [clientSecret] }] });
	});
});
