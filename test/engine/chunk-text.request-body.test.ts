/** What Chunk Text sends beside the texts, and what it leaves to the service. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { ChunkText } from '../../nodes/ChunkText/ChunkText.node';
import { useChunkText } from '../../support/chunking';
import { runNode } from '../../support/engine';
import { jsonOf, useSandbox, useShortBackoff } from '../../support/sandbox';

useShortBackoff();
const sandbox = useSandbox({ settings: { vectorSize: 2 } });
const { chunk, submits, credentials } = useChunkText(sandbox);

const CONTINUE = { onError: 'continueRegularOutput' } as const;
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
	])('%s', async (_case, modelSettings, modelConfig) => {
		await chunk([{ text: 'one' }], { ...SUBMIT, modelSettings }, CONTINUE);
		expect((submits()[0]?.body as IDataObject).modelConfig).toEqual(modelConfig);
	});
});
