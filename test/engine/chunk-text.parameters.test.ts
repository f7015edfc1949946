/** Chunk Text: what it sends and keeps beside the texts, and parameters that are refused before that. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { texts, useChunkText } from '../../support/chunking';
import { runNode } from '../../support/engine';
import { CONTINUE, jsonOf } from '../../support/sandbox';

const { sandbox, chunk, credentials, submits } = useChunkText();

const SUBMIT = { operation: 'submit' };
const sent = () => submits().map(({ body }) => (body as { batch: IDataObject[] }).batch);

describe('Additional Text Fields', () => {
	const fields = (additionalTextFields: unknown): INodeParameters =>
		({ ...SUBMIT, options: { additionalTextFields } }) as INodeParameters;

	it('are sent beside the text of each item, which takes precedence', async () => {
		const items = [
			{ text: 'one', lang: 'en' },
			{ text: 'two', lang: 'de' },
		];
		const json = '={{ { language: $json.lang, text: "x", more: { a: [1] } } }}';
		await chunk(items, fields(json));
		expect(sent()).toEqual([
			[
				{ language: 'en', more: { a: [1] }, text: 'one' },
				{ language: 'de', more: { a: [1] }, text: 'two' },
			],
		]);
	});

	it.each<[string, unknown, IDataObject[]]>([
		['an object for all texts', '{"a":1}', [{ a: 1 }, { a: 1 }]],
		['a list with one object for each', '[{"a":1},{"b":2}]', [{ a: 1 }, { b: 2 }]],
		['nothing', ' ', [{}, {}]],
	])('of a list of texts may be %s', async (_case, json, expected) => {
		const parameters = { ...fields(json), textSource: 'list' };
		await chunk([{ texts: ['one', 'two'] }], parameters);
		expect(sent()).toEqual([
			[
				{ ...expected[0], text: 'one' },
				{ ...expected[1], text: 'two' },
			],
		]);
	});

	it.each<[string, string, RegExp]>([
		['JSON that is cut', '{"a":', /^'Additional Text Fields' is not valid JSON/],
		['a number', '7', /^'Additional Text Fields' is not a JSON object/],
		['too few objects', '[{"a":1}]', /^'Additional Text Fields' has 1 entry for 2 texts/],
		['a list of texts', '["a","b"]', /^'Additional Text Fields' is not a JSON object/],
	])('are refused before anything is sent: %s', async (_case, json, message) => {
		const parameters = { ...fields(json), textSource: 'list' };
		const { output } = await chunk([{ texts: ['one', 'two'] }], parameters, CONTINUE);
		expect(jsonOf(output)).toEqual([{ error: expect.stringMatching(message) as string }]);
		expect(sandbox().requests).toEqual([]);
	});

	it('of a file are the named fields of each record', async () => {
		const lines = [
			{ id: 'a', name: 'A', text: 'one', lang: 'en', meta: { tag: 7 } },
			{ id: 'b', name: 'B', text: 'two' },
		];
		await runNode({
			node: new ChunkText(),
			parameters: {
				...SUBMIT,
				textSource: 'file',
				modelId: { __rl: true, mode: 'id', value: 'gte-small' },
				chunker: 'dynamic-newline',
				options: { additionalTextFieldNames: 'lang, meta.tag' },
			},
			items: [
				{
					json: {},
					binary: {
						data: {
							data: Buffer.from(
								lines.map((line) => JSON.stringify(line)).join('\n'),
							).toString('base64'),
							mimeType: 'application/x-ndjson',
							fileName: 'a.jsonl',
						},
					},
				},
			],
			credentials: credentials(),
		});
		expect(sent()).toEqual([[{ text: 'one', lang: 'en', 'meta.tag': 7 }, { text: 'two' }]]);
	});
});

describe('Vector Quantization Method', () => {
	it.each<[string, INodeParameters, unknown]>([
		['Not Sent', { vectorQuantizationMethod: 'none' }, undefined],
		[
			'Custom',
			{ vectorQuantizationMethod: 'custom', customVectorQuantizationMethod: ' product ' },
			{ vectorQuantizationMethod: 'product' },
		],
		['an empty custom one', { vectorQuantizationMethod: 'custom' }, undefined],
	])('%s', async (_case, options, modelConfig) => {
		await chunk([{ text: 'one' }], { ...SUBMIT, options }, CONTINUE);
		expect((submits()[0]?.body as IDataObject).modelConfig).toEqual(modelConfig);
	});
});

describe('a parameter from an expression', () => {
	it.each<[string, INodeParameters]>([
		['-5', { chunker: 'dynamic-newline', chunkerSettings: { maxChunkSize: '={{ -5 }}' } }],
		['2.7', { chunker: 'dynamic-newline', chunkerSettings: { maxChunkSize: '={{ 2.7 }}' } }],
		['NaN', { options: { dimReductionSize: '={{ "x" }}' } }],
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
