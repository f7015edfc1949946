/** Chunk Text at its edges: lists of texts that fail, responses of odd shapes, fields of the source. */
import type { IDataObject } from 'n8n-workflow';

import { DEMO } from '../../sandbox';
import { OFTEN, useChunkText } from '../../support/chunking';
import {
	hintsOf,
	indexes,
	jsonOf,
	pairedIndexes,
	useSandbox,
	useShortBackoff,
} from '../../support/sandbox';

useShortBackoff();
const sandbox = useSandbox({ settings: { vectorSize: 2 } });
const { chunk, getResults, submits, polls, fault, answers, jobsEnded } = useChunkText(sandbox);

const CONTINUE = { onError: 'continueRegularOutput' } as const;
const texts = (count: number): IDataObject[] =>
	indexes(count).map((at) => ({ id: `i${at}`, name: `N${at}`, text: `text ${at}` }));
const ids = () =>
	sandbox()
		.jobs()
		.map(({ chunkingId }) => chunkingId);

describe('an item with a list of texts', () => {
	const LIST = { textSource: 'list' };

	it('names every chunking ID of its texts that failed', async () => {
		sandbox().settings.chunkDelayMs = 60_000;
		const result = await chunk(
			[{ texts: ['a', 'b', 'c'] }],
			{ ...LIST, options: { ...OFTEN, textsPerRequest: 1, maxWaitSeconds: 1 } },
			CONTINUE,
		);
		const [json, ...others] = jsonOf(result.output);
		expect(others).toEqual([]);
		expect([...(json?.chunkingIds as string[])].sort()).toEqual([...ids()].sort());
		expect(json?.chunkingIds).toContain(json?.chunkingId);
	});

	it('fetches every text of an item that failed in several requests', async () => {
		sandbox().settings.chunkDelayMs = 60_000;
		const items = [{ id: 'd', texts: ['a', 'b', 'c'] }];
		const { output } = await chunk(
			items,
			{ ...LIST, options: { ...OFTEN, textsPerRequest: 2, maxWaitSeconds: 1 } },
			CONTINUE,
		);
		const [failed] = jsonOf(output);
		expect(failed?.failedTexts).toHaveLength(3);
		answers({ status: 'READY', chunkedData: [{ chunks: ['A'] }, { chunks: ['B'] }] });
		answers({ status: 'READY', chunkedData: [{ chunks: ['C'] }] });
		const result = await getResults([failed ?? {}], { options: { concurrency: 1 } });
		expect(jsonOf(result.output).map(({ text, textIndex }) => [text, textIndex])).toEqual([
			['A', 0],
			['B', 1],
			['C', 2],
		]);
	});

	it('keeps what came for one text though another one failed first', async () => {
		fault('submit', { status: 400, times: 1 });
		answers({ status: 'READY', chunkedData: [] });
		const result = await chunk(
			[{ texts: ['a', 'b'] }],
			{ ...LIST, options: { ...OFTEN, textsPerRequest: 1, concurrency: 1 } },
			CONTINUE,
		);
		expect(jsonOf(result.output)).toEqual([
			{
				error: expect.stringContaining('the text was not submitted') as string,
				httpStatus: 400,
				chunkingId: ids()[0],
				failedTexts: [
					{ chunkingId: ids()[0], textPosition: 0, textsInRequest: 1, textIndex: 1 },
				],
				textsWithoutChunkingId: [0],
				response: { status: 'READY', chunkedData: [] },
			},
		]);
	});
});

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
		expect(error?.message).toContain('The AI service reported ERROR, "Out of order"');
		expect(polls()).toHaveLength(1);
	});

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

	it('leaves no trace of Submit on finished chunks that keep all fields', async () => {
		const { output } = await chunk(texts(1), { operation: 'submit' });
		await jobsEnded();
		const all = { options: { sourceFields: 'all' } };
		const result = await getResults(jsonOf(output), all);
		expect(jsonOf(result.output)).toEqual([
			expect.objectContaining({ id: 'i0', text: 'text 0', chunkIndex: 0 }),
		]);
		const [json] = jsonOf(result.output);
		for (const field of ['status', 'textPosition', 'textsInRequest']) {
			expect(json).not.toHaveProperty(field);
		}
	});

	it('takes a chunking ID that is a number', async () => {
		answers({ status: 'READY', chunkedData: [{ chunks: ['seven'] }] });
		const { output } = await getResults([{ chunkingId: 7 }]);
		expect(jsonOf(output)).toMatchObject([{ text: 'seven', chunkingId: '7' }]);
		expect(polls()[0]?.path).toMatch(/\/7$/);
	});
});

describe('a response of an odd shape', () => {
	it('means not ready if it is empty', async () => {
		const { output } = await chunk(texts(1), { operation: 'submit' });
		fault('results', { status: 204, times: 1 });
		const result = await getResults(jsonOf(output));
		expect(jsonOf(result.output)).toMatchObject([{ id: 'i0', status: 'SUBMITTED' }]);
		fault('results', { status: 204, times: 3 });
		const { hints, ...later } = await getResults(jsonOf(output), {
			wait: true,
			options: OFTEN,
		});
		expect(jsonOf(later.output)).toMatchObject([{ text: 'text 0' }]);
		expect(hints).toEqual([]);
	});

	it('fails a text whose entry has no chunks, and removes nothing for it', async () => {
		const chunkedData = [{ error: 'model overloaded' }, { chunks: ['text 1'] }, null];
		answers({ status: 'READY', chunkedData });
		const result = await chunk(
			texts(3),
			{ output: 'documents', options: { ...OFTEN, previousChunkCount: 2 } },
			CONTINUE,
		);
		expect(pairedIndexes(result)).toEqual([0, 1, 2]);
		const request = { chunkingId: ids()[0], textsInRequest: 3 };
		expect(jsonOf(result.output)).toEqual([
			{
				error: `The service returned no readable chunks for the text, "model overloaded" (chunking ID ${ids()[0]})`,
				...request,
				id: 'i0',
				textPosition: 0,
				response: { status: 'READY', chunkedData },
			},
			// Without spans it is unknown whether these are all chunks, so none is returned as removed.
			expect.objectContaining({ id: 'i1#0', text: 'text 1' }),
			{
				error: `The service returned no readable chunks for the text (chunking ID ${ids()[0]})`,
				...request,
				id: 'i2',
				textPosition: 2,
			},
		]);
	});

	it('deletes no previous chunks of a text that was cut off', async () => {
		sandbox().settings.maxChunks = 1;
		const text =
			'The first line of three.\nThe second line of three.\nThe third line of three.';
		const { output, hints } = await chunk([{ id: 'd', name: 'D', text }], {
			output: 'documents',
			options: { previousChunkCount: 3 },
		});
		expect(jsonOf(output).map(({ id }) => id)).toEqual(['d#0']);
		expect(hints.map(({ message }) => message).join()).toContain('omitted the end of 1 text');
	});

	it.each(['READY', 'RETRIEVED'])(
		'is returned by Raw with status %s, whatever it contains',
		async (status) => {
			const body = { status, passages: [{ of: 'tomorrow' }] };
			answers(body);
			const { output } = await chunk(texts(1), { output: 'raw', options: OFTEN });
			expect(jsonOf(output)).toEqual([{ chunkingId: ids()[0], ...body }]);
			expect(polls()).toHaveLength(1);
		},
	);

	it('that never becomes chunks says how to see it', async () => {
		fault('results', { status: 200, body: '{"status":"READY","passages":[]}' });
		const { error } = await chunk(texts(1), { options: { ...OFTEN, maxWaitSeconds: 1 } });
		expect(error?.message).toContain('Not finished after 1 second (status READY)');
		expect(error?.description).toContain("set 'Output' to 'Raw'");
	});

	it('shows a status in one line, without a secret', async () => {
		const status = `waiting\nfor ${DEMO.clientSecret}`;
		fault('results', { status: 200, body: JSON.stringify({ status }) });
		const { error } = await chunk(texts(1), { options: { ...OFTEN, maxWaitSeconds: 1 } });
		expect(error?.message).toContain('Not finished after 1 second (status waiting for ***)');
	});

	it('shows the words of a response with ERROR in one line, without a secret', async () => {
		const message = `${DEMO.clientSecret} lacks\nquota ${'x'.repeat(5000)}`;
		answers({ status: 'ERROR', message });
		const { error } = await chunk(texts(1), { options: OFTEN });
		expect(error?.message).toMatch(
			/The AI service reported ERROR, "\*\*\* lacks quota x{400,500}…" \(chunking ID [-0-9a-f]{36}\)$/,
		);
	});
});

describe('an item that is not finished in time', () => {
	it('is returned with a hint that names the errors of its polls', async () => {
		fault('results', { html: true });
		const result = await chunk(texts(1), {
			options: { ...OFTEN, maxWaitSeconds: 1, whenTimeRunsOut: 'output' },
		});
		expect(jsonOf(result.output)).toMatchObject([{ status: 'SUBMITTED', id: 'i0' }]);
		expect(hintsOf(result)).toContain(
			'The final poll failed: What the AI service returned is not a valid chunking response',
		);
	});

	it('is returned with the first of many errors of polls, and how many there are', async () => {
		const messages = indexes(30).map((at) => JSON.stringify({ message: `Trouble ${at}` }));
		for (const body of messages) {
			fault('results', { status: 503, body, times: 1, retryAfter: '9' });
		}
		const result = await chunk(texts(8), {
			options: {
				...OFTEN,
				textsPerRequest: 1,
				maxWaitSeconds: 1,
				whenTimeRunsOut: 'output',
			},
		});
		expect(result.output).toHaveLength(8);
		const hints = hintsOf(result).filter((hint) => hint.toLowerCase().includes('final poll'));
		expect(hints.slice(0, 5)).toEqual(
			Array(5).fill(expect.stringMatching(/^The final poll failed: .*"Trouble \d+"/)),
		);
		expect(hints.slice(5)).toEqual(['Final polls failed with 3 more errors']);
	});

	it('ends soon after Max Wait if the service hangs', async () => {
		fault('results', { latencyMs: 20_000 });
		const startedAt = Date.now();
		const { error } = await chunk(texts(8), {
			options: { ...OFTEN, textsPerRequest: 1, concurrency: 2, maxWaitSeconds: 1 },
		});
		expect(error?.message).toContain('Not finished after 1 second');
		expect(Date.now() - startedAt).toBeLessThan(15_000);
	});
});

describe('fields of the source', () => {
	it('never replace the position, tokens and vector of a chunk', async () => {
		const source = { text: 'a', vector: [9, 9], tokensUsed: 99, start: 7, status: 'published' };
		const { output } = await chunk([source], {
			vectors: 'none',
			options: { sourceFields: 'all' },
		});
		expect(jsonOf(output)).toMatchObject([{ start: 0, status: 'published' }]);
		expect(jsonOf(output)[0]).not.toHaveProperty('vector');
		expect(jsonOf(output)[0]?.tokensUsed).not.toBe(99);
	});

	it('named error is not kept: Retry On Fail would submit everything again', async () => {
		const { output } = await chunk(
			[{ text: 'a', error: 'earlier' }],
			{ operation: 'submit' },
			{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		);
		expect(submits()).toHaveLength(1);
		expect(jsonOf(output)).toMatchObject([{ text: 'a', status: 'SUBMITTED' }]);
		expect(jsonOf(output)[0]).not.toHaveProperty('error');
	});

	it('to keep may be a list, and are read before anything is sent', async () => {
		const { output } = await chunk([{ text: 'a', id: 'x', meta: { lang: 'en' }, other: 1 }], {
			options: { sourceFields: 'listed', listedFields: '={{ ["id", "meta.lang"] }}' },
		});
		expect(jsonOf(output)).toMatchObject([{ id: 'x', 'meta.lang': 'en' }]);
		expect(jsonOf(output)[0]).not.toHaveProperty('other');
	});
});

it('an expression that fails for one item fails that item alone', async () => {
	const result = await chunk(
		[{ text: 'a' }, { text: 'b', x: 1 }, { text: 'c' }],
		{ options: { resumeChunkingId: '={{ $json.x === 1 ? $("nope").item.json.id : "" }}' } },
		CONTINUE,
	);
	expect(pairedIndexes(result)).toEqual([0, 1, 2]);
	expect(jsonOf(result.output).map(({ text }) => text)).toEqual(['a', undefined, 'c']);
});

it('a text that is too large stops the run before anything is sent', async () => {
	const { error } = await chunk([{ text: 'a' }, { text: 'x'.repeat(5000) }], {
		options: { bytesPerRequest: 1000, textsPerRequest: 1, concurrency: 1 },
	});
	expect(error?.message).toBe("'Text' has 5,000 bytes, more than the 1,000 a request may have");
	expect(submits()).toEqual([]);
});

it("n8n's own operation Custom API Call points to the HTTP Request node", async () => {
	const { error } = await chunk(texts(1), { operation: '__CUSTOM_API_CALL__' });
	expect(error?.message).toBe("Unknown operation '__CUSTOM_API_CALL__'");
	expect(error?.description).toContain('HTTP Request node');
});
