/** What the service delivers once is never thrown away, even if it is not valid JSON. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import type { FaultRule } from '../../sandbox';
import { OFTEN, texts, useChunkText } from '../../support/chunking';
import { runNode } from '../../support/engine';
import { CONTINUE, hintsOf, jsonOf } from '../../support/sandbox';

const { sandbox, chunk, getResults, credentials, polls, fault, answers } = useChunkText({
	resultsOnce: true,
});

const options = { ...OFTEN, maxWaitSeconds: 2 };

describe('a vector with values that are not numbers', () => {
	it.each<[FaultRule['damage'], string]>([
		['nan', 'nested'],
		['infinity', 'nested'],
		['nan', 'topLevelVector'],
	])('fails its text alone, with the response: %s, %s', async (damage, resultShape) => {
		Object.assign(sandbox().settings, { resultShape });
		fault('results', { damage });
		const { output } = await chunk(texts(2), { options }, CONTINUE);
		const [failed, good, ...others] = jsonOf(output);
		expect(others).toEqual([]);
		expect(failed).toMatchObject({
			error: expect.stringMatching(
				/^The vector of chunk 0 has values that are not numbers/,
			) as string,
			textPosition: 0,
			response: { chunkedData: [{ chunks: ['text 0'] }, { chunks: ['text 1'] }] },
		});
		expect(good).toMatchObject({
			text: 'text 1',
			vector: [expect.any(Number), expect.any(Number)],
		});
	});

	it.each<[string, INodeParameters]>([
		['Include Vectors is No', { vectors: 'none' }],
		['Output is Raw', { output: 'raw' }],
	])('fails nothing if %s', async (_case, parameters) => {
		fault('results', { damage: 'nan' });
		const { output, status } = await chunk(texts(2), { options, ...parameters });
		expect(status).toBe('success');
		expect(JSON.stringify(jsonOf(output))).toContain('text 0');
		expect(polls()).toHaveLength(1);
	});

	it('may be an infinite number that JSON allows', async () => {
		const body = '{"status":"READY","chunkedData":[{"chunks":["a"],"vectors":[[1e400,1]]}]}';
		fault('results', { status: 200, body });
		const { output } = await chunk(texts(1), { options }, CONTINUE);
		expect(jsonOf(output)[0]?.error).toMatch(/^The vector of chunk 0 has values/);
	});
});

it('chunks that come before a job fails are kept beside what the failure has', async () => {
	const early = { status: 'RUNNING', chunkedData: [{ chunks: ['text'] }] };
	const failed = { status: 'ERROR', details: { model: 'overloaded' } };
	fault('results', { status: 200, body: JSON.stringify(early), times: 2 });
	fault('results', { status: 200, body: JSON.stringify(failed) });
	const { output } = await chunk(texts(1), { options }, CONTINUE);
	expect(jsonOf(output)).toMatchObject([{ response: [early, failed] }]);
});

it.each([
	['more chunks', { status: 'ERROR', chunkedData: [{ chunks: ['text', 'more'] }] }, ['text']],
	['anything if there were none', { status: 'ERROR', details: { model: 'overloaded' } }, []],
])('%s take the place of what came before', async (_what, failed, chunks) => {
	const early = { status: 'RUNNING', chunkedData: [{ chunks }] };
	fault('results', { status: 200, body: JSON.stringify(early), times: 2 });
	fault('results', { status: 200, body: JSON.stringify(failed) });
	const { output } = await chunk(texts(1), { options }, CONTINUE);
	expect(jsonOf(output)[0].response).toEqual(failed);
});

describe('results that are not valid JSON', () => {
	const DAMAGES: Array<[string, Omit<FaultRule, 'route'>]> = [
		['truncated', { truncate: true }],
		['followed by other bytes', { damage: 'trailingBytes' }],
		['with a control character', { damage: 'controlCharacter' }],
		['as JSON in a JSON string', { damage: 'jsonInString' }],
	];

	it.each(DAMAGES)('are returned with the failed item: %s', async (_case, rule) => {
		fault('results', { ...rule, times: 1 });
		const { output } = await chunk(texts(2), { options }, CONTINUE);
		const [first, second] = jsonOf(output);
		expect(first).toMatchObject({
			error: expect.stringMatching(
				/they could not be read: what arrived is not a valid JSON object/,
			) as string,
			response: expect.stringMatching(/"chunks":\["./) as string,
		});
		expect(second).toMatchObject({ textPosition: 1, error: first?.error });
		expect(second).not.toHaveProperty('response');
	});

	it.each(DAMAGES)('are returned by Get Results that asks once: %s', async (_case, rule) => {
		const { output } = await chunk(texts(1), { operation: 'submit' });
		while (sandbox().jobs()[0]?.status !== 'READY') await new Promise(setImmediate);
		fault('results', { ...rule, times: 1 });
		const result = await getResults(jsonOf(output), {}, CONTINUE);
		expect(jsonOf(result.output)).toMatchObject([
			{
				error: expect.stringMatching(
					/^What the AI service returned is not a valid JSON object/,
				) as string,
				response: expect.stringMatching(/"chunks":\["./) as string,
			},
		]);
	});

	it('are in the responses file of a file', async () => {
		fault('results', { damage: 'trailingBytes', times: 1 });
		const lines = texts(2).map((text) => JSON.stringify(text));
		const { output } = await runNode({
			node: new ChunkText(),
			parameters: {
				textSource: 'file',
				modelId: { __rl: true, mode: 'id', value: 'gte-small' },
				chunker: 'dynamic-newline',
				options,
			},
			items: [
				{
					json: {},
					binary: {
						data: {
							data: Buffer.from(lines.join('\n')).toString('base64'),
							mimeType: 'application/x-ndjson',
							fileName: 'a.jsonl',
						},
					},
				},
			],
			credentials: credentials(),
			...CONTINUE,
		});
		const file = output.at(-1)?.binary?.responses;
		const line = Buffer.from(file?.data ?? '', 'base64').toString();
		expect(JSON.parse(line)).toMatchObject({
			record: 1,
			response: expect.stringMatching(/"chunks":\["text 0"\]/) as string,
		});
	});

	it('are forgotten once a later poll brings good ones', async () => {
		sandbox().settings.resultsOnce = false;
		fault('results', { truncate: true, times: 1 });
		const result = await chunk(texts(1), { options });
		expect(jsonOf(result.output)).toMatchObject([{ text: 'text 0' }]);
		expect(hintsOf(result)).toEqual(['1 request sent again after transient errors']);
	});

	it('are returned without secrets, in a text of any length', async () => {
		const { clientSecret } = credentials().aiServiceOAuth2Api ?? {};
		const long = Array.from({ length: 30_000 }, (_, at) => `chunk number ${at} of the text`);
		const body = JSON.stringify({ status: 'READY', chunkedData: [{ chunks: long }] });
		const secret = encodeURIComponent(String(clientSecret));
		answers({ status: 'SUBMITTED' });
		fault('results', { status: 200, body: `${body} ${secret} ${body.slice(0, -2)}` });
		const { output } = await chunk(
			texts(1),
			{ options: { ...options, maxWaitSeconds: 1 } },
			CONTINUE,
		);
		const response = String(jsonOf(output)[0]?.response);
		expect(response.length).toBeGreaterThan(1.5 * body.length);
		expect(response).toContain('chunk number 29999 of the text');
		expect(response).not.toContain(secret);
		expect(response).toContain('***');
	});

	it('that are no results at all are not kept', async () => {
		fault('results', { html: true });
		const { output } = await chunk(
			texts(1),
			{ options: { ...options, maxWaitSeconds: 1 } },
			CONTINUE,
		);
		expect(jsonOf(output)[0]).not.toHaveProperty('response');
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
