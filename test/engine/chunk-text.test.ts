/** Tests what Chunk Text sends (docs/service-interface.md, Chunking request) and what it returns. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { submitPath } from '../../nodes/shared/service/chunking/chunking';
import { submitAction } from '../../nodes/shared/service/outcome-messages';
import { PATHS } from '../../nodes/shared/service/url';
import { textsOf, useChunkText } from '../../support/chunking';
import {
	TO_ERROR_OUTPUT,
	CONTINUE,
	hintsOf,
	indexes,
	jsonOf,
	pairedIndexes,
} from '../../support/sandbox';
import { maybeDone, naming, notDone } from '../../support/wording';

const {
	sandbox,
	chunk,
	getResults,
	requests,
	submits,
	polls,
	batches,
	fault,
	answers,
	jobsEnded,
	chunkingIds,
} = useChunkText();

const ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const anId = expect.stringMatching(ID) as string;
const aVector = [expect.any(Number), expect.any(Number)];
const bodies = () => submits().map(({ body }) => body as IDataObject);
const bodyOf = async (parameters: INodeParameters) => {
	await chunk([{ text: 'one' }], { operation: 'submit', ...parameters });
	return bodies()[0];
};
const sourceFieldsOf = (json: IDataObject) => {
	const own = ['text', 'chunkIndex', 'vector'];
	return Object.fromEntries(Object.entries(json).filter(([key]) => !own.includes(key)));
};

describe('a submission', () => {
	it('sends exactly what the interface says, and polls with the chunking ID', async () => {
		await chunk([{ text: 'one\ntwo' }], { chunker: 'regex-splitter', regex: '\\n' });
		const [chunkingId] = chunkingIds();
		expect(submits()).toHaveLength(1);
		expect(submits()[0]).toMatchObject({
			method: 'POST',
			path: submitPath('regex-splitter', 'gte-small'),
			query: {},
			headers: {
				authorization: 'Bearer ***',
				'content-type': 'application/json',
				accept: 'application/json',
			},
			status: 200,
		});
		expect(bodies()).toEqual([
			{ batch: [{ text: 'one\ntwo' }], chunkerConfig: { regex: '\\n' } },
		]);
		for (const look of polls()) {
			expect(look).toMatchObject({
				method: 'GET',
				path: `${PATHS.chunking}/${String(chunkingId)}`,
				query: {},
				headers: { authorization: 'Bearer ***', accept: 'application/json' },
				bodyBytes: 0,
			});
		}
		expect(polls().length).toBeGreaterThan(0);
		expect(requests('token').map(({ query }) => query)).toEqual([
			{ scope: 'machinelearning.predict', grant_type: 'client_credentials' },
		]);
	});

	it('omits what the user left empty', async () => {
		expect(
			await bodyOf({
				chunker: 'regex-splitter',
				regex: '',
				options: {
					dimReductionSize: 0,
					vectorQuantizationMethod: '={{ $json.none }}',
					additionalBodyFields: '  ',
				},
			}),
		).toEqual({ batch: [{ text: 'one' }] });
	});

	it.each<[string, IDataObject]>([
		['dynamic-newline', { maxChunkSize: 64 }],
		['sentence', { overlapSize: 1 }],
		['regex-splitter', { regex: '\\r?\\n\\s*\\n' }],
	])('omits settings left over from another chunker: %s', async (chunker, chunkerConfig) => {
		const left = { approximate: true, cosineThreshold: 0.5, maxChunkSize: 64, overlapSize: 1 };
		expect(await bodyOf({ chunker, chunkerSettings: left })).toEqual({
			batch: [{ text: 'one' }],
			chunkerConfig,
		});
	});

	it.each<[INodeParameters, IDataObject]>([
		[
			{ vectorQuantizationMethod: 'max-scale', dimReductionSize: 1 },
			{ modelConfig: { vectorQuantizationMethod: 'max-scale', dimReductionSize: 1 } },
		],
		[
			{ vectorQuantizationMethod: 'min-max' },
			{ modelConfig: { vectorQuantizationMethod: 'min-max' } },
		],
		[{ dataType: 'query' }, { useCaseConfig: { dataType: 'query' } }],
		[{ dataType: 'passage' }, { useCaseConfig: { dataType: 'passage' } }],
		[{ dataType: '={{ " faq " }}' }, { useCaseConfig: { dataType: 'faq' } }],
		[
			{ vectorQuantizationMethod: '={{ "product" }}' },
			{ modelConfig: { vectorQuantizationMethod: 'product' } },
		],
	])('has the model settings %j', async (options, members) => {
		expect(await bodyOf({ options, chunkerSettings: {} })).toEqual({
			batch: [{ text: 'one' }],
			...members,
		});
	});

	it("fails with Python's words if Python rejects the regex", async () => {
		const { error } = await chunk([{ text: 'a' }], {
			chunker: 'regex-splitter',
			regex: '(?<x>a)',
			options: {},
		});
		expect(bodies()[0].chunkerConfig).toEqual({ regex: '(?<x>a)' });
		expect(error?.message).toMatch(/^"Invalid regular expression: unknown extension \?<x.*": /);
		expect(error?.description).toContain("'Regex'");
	});
});

describe('bad input', () => {
	it('names the fields of the item if the expression for the text finds nothing', async () => {
		const { error } = await chunk([{ body: 'a', views: 1 }], { output: 'chunks' });
		expect(error?.message).toBe("'Text' is empty");
		expect(error?.description).toContain("The fields of the item are: 'body', 'views'.");
	});

	it.each<[string, IDataObject, INodeParameters, RegExp]>([
		['an empty text', { text: '' }, {}, /^'Text' is empty$/],
		[
			'a text that is an object',
			{ text: { a: 1 } },
			{},
			/^'Text' must be a string or a list of pages$/,
		],
		['a model that is ..', { text: 'a' }, { modelId: '..' }, /^'Model ID' must not be/],
		[
			'a missing chunker name',
			{ text: 'a' },
			{ chunker: 'custom', chunkerName: ' ' },
			/^'Chunker Name' is empty$/,
		],
		[
			'a chunker config that is no JSON',
			{ text: 'a' },
			{ chunker: 'custom', chunkerName: 'x', chunkerConfig: '{"a":' },
			/^'Chunker Config' is not valid JSON: /,
		],
		[
			'additional fields that are no JSON',
			{ text: 'a' },
			{ options: { additionalBodyFields: '{a: 1}' } },
			/^'Additional Body Fields' is not valid JSON: /,
		],
		[
			'additional fields that would replace the texts',
			{ text: 'a' },
			{ options: { additionalBodyFields: '{"batch": []}' } },
			/^'Additional Body Fields' must not contain 'batch'$/,
		],
		[
			'a custom scope that is empty',
			{ text: 'a' },
			{ scope: 'custom', customScope: ' ' },
			/^'Custom Scope' is empty$/,
		],
		[
			'a results path without an ID',
			{ text: 'a' },
			{ options: { resultsPath: '/ai/results' } },
			/^'Results Path' must start with \//,
		],
		[
			'a chunking ID that is empty',
			{ chunkingId: '' },
			{ operation: 'getResults' },
			/^'Chunking ID' is empty$/,
		],
		...['x', -1, 1.5, true, ' '].map(
			(textPosition): [string, IDataObject, INodeParameters, RegExp] => [
				`a text position of ${JSON.stringify(textPosition)}`,
				{ chunkingId: 'a', textPosition },
				{ operation: 'getResults' },
				/text position/,
			],
		),
	])('is found before any request: %s', async (_case, item, parameters, message) => {
		const { error, status } = await chunk([item], parameters);
		expect(status).toBe('error');
		expect(error).toMatchObject({ name: 'NodeOperationError' });
		expect(error?.message).toMatch(message);
		expect(error?.description).toBeTruthy();
		expect(sandbox().requests).toEqual([]);
	});

	it('fails only its own item, and every other item is returned once', async () => {
		const items = [{ text: 'a' }, { n: 0, text: '' }, { text: 'c' }, { n: 1 }];
		const regular = await chunk(items, {}, CONTINUE);
		expect(pairedIndexes(regular)).toEqual([0, 1, 2, 3]);
		const advice = expect.any(String) as string;
		expect(jsonOf(regular.output)[1]).toMatchObject({
			error: naming("'Text'", 'item 1'),
			advice,
		});
		const routed = await chunk(items, {}, TO_ERROR_OUTPUT);
		expect(pairedIndexes(routed)).toEqual([0, 2, 1, 3]);
		expect(jsonOf(routed.errorOutput)).toMatchObject([
			{ n: 0, text: '', error: naming("'Text'", 'item 1'), advice },
			{ n: 1, error: naming("'Text'", 'item 3'), advice },
		]);
		expect(hintsOf(routed)).toContain(
			"2 of 4 texts failed. See the field 'error' in the Error output.",
		);
		expect(batches()).toEqual([
			['a', 'c'],
			['a', 'c'],
		]);
	});
});

describe('the output', () => {
	const items = [
		{ id: 1, text: 'ä\nb c 😀' },
		{ id: 2, text: 'd' },
	];

	it('is one item per chunk, linked to its input item, with details on request', async () => {
		const { output, status } = await chunk(items, { options: { chunkDetails: true } });
		expect(status).toBe('success');
		const [{ chunkingId }] = jsonOf(output);
		expect(chunkingId).toMatch(ID);
		expect(output).toEqual([
			{
				json: {
					text: 'ä',
					chunkIndex: 0,
					chunkCount: 2,
					chunkingId,
					start: 0,
					end: 1,
					tokensUsed: 2,
					vector: aVector,
				},
				pairedItem: { item: 0 },
			},
			{
				json: {
					text: 'b c 😀',
					chunkIndex: 1,
					chunkCount: 2,
					chunkingId,
					start: 2,
					end: 7,
					tokensUsed: 4,
					vector: aVector,
				},
				pairedItem: { item: 0 },
			},
			{
				json: {
					text: 'd',
					chunkIndex: 0,
					chunkCount: 1,
					chunkingId,
					start: 0,
					end: 1,
					tokensUsed: 2,
					vector: aVector,
				},
				pairedItem: { item: 1 },
			},
		]);
	});

	it.each<[string, INodeParameters, IDataObject]>([
		['none unless asked for', {}, {}],
		['none', { keepSourceFields: 'none' }, {}],
		['all', { keepSourceFields: 'all' }, { id: 1, meta: { tags: ['x'], lang: 'de' } }],
		[
			'those listed, also by a path',
			{ keepSourceFields: 'listed', sourceFieldsToKeep: 'id, meta.lang ,missing' },
			{ id: 1, 'meta.lang': 'de' },
		],
	])('keeps fields of the source: %s', async (_case, options, kept) => {
		const source = [{ id: 1, text: 'a\nb', meta: { tags: ['x'], lang: 'de' } }];
		for (const output of ['chunks', 'documents']) {
			const result = await chunk(source, { output, options });
			for (const { json } of result.output) expect(sourceFieldsOf(json)).toEqual(kept);
		}
	});

	it('is one item without text, and a hint, for a text without chunks', async () => {
		answers({ status: 'READY', chunkedData: [[], ['a'], []].map((chunks) => ({ chunks })) });
		const result = await chunk([{ text: ' \n ' }, { text: 'a' }, { text: 'b' }], {
			vectors: 'none',
		});
		expect(pairedIndexes(result)).toEqual([0, 1, 2]);
		expect(jsonOf(result.output)[0]).toEqual({ chunkCount: 0 });
		expect(hintsOf(result)).toEqual([
			"The AI service returned no chunks for 2 texts. Check the texts and the settings of the chunker, or lower 'Texts per Request'.",
		]);
	});

	it('has a hint with the numbers if the end of a text was omitted', async () => {
		sandbox().settings.maxChunks = 3;
		const long = indexes(5).map((at) => `${at} 0123456789 😀`);
		const result = await chunk([{ text: long.join('\n') }, { text: 'x' }], {
			options: { textsPerRequest: 1 },
		});
		expect(result.output).toHaveLength(4);
		// The service omits the last two lines. Each has 14 characters and a line break before it.
		expect(hintsOf(result)).toEqual([
			expect.stringMatching(
				/^The AI service omitted the end of 1 text, 30 characters in total\. Shorten the texts/,
			),
		]);
	});

	it.each(['chunks', 'documents'])('leaves the input as it was: %s', async (output) => {
		const source = [
			{ id: 'a', name: 'A', text: 'a\nb', deep: { list: [1, { x: 2 }] } },
			{ id: 'b', name: 'B', text: 'c', deep: { list: [] } },
		];
		const before = structuredClone(source);
		const { input, status } = await chunk(source, {
			output,
			options: { keepSourceFields: 'all' },
		});
		expect(status).toBe('success');
		expect(jsonOf(input)).toEqual(before);
	});
});

describe('Submit', () => {
	it('returns each text with what Get Results needs, and does not poll', async () => {
		const result = await chunk(
			indexes(3).map((at) => ({ id: at, text: `t${at}`, deep: { x: at } })),
			{ operation: 'submit', options: { textsPerRequest: 2, concurrency: 1 } },
		);
		const [one, other] = sandbox()
			.jobs()
			.map(({ chunkingId }) => chunkingId);
		expect(result.output).toEqual([
			{
				json: {
					id: 0,
					text: 't0',
					deep: { x: 0 },
					chunkingId: one,
					status: 'SUBMITTED',
					textPosition: 0,
					textsInRequest: 2,
				},
				pairedItem: { item: 0 },
			},
			{
				json: expect.objectContaining({ id: 1, chunkingId: one, textPosition: 1 }),
				pairedItem: { item: 1 },
			},
			{
				json: expect.objectContaining({
					id: 2,
					chunkingId: other,
					textPosition: 0,
					textsInRequest: 1,
				}),
				pairedItem: { item: 2 },
			},
		]);
		expect(polls()).toEqual([]);
		expect(hintsOf(result)).toEqual([]);
	});

	it.each<[INodeParameters, IDataObject]>([
		[{ keepSourceFields: 'none' }, {}],
		[{ keepSourceFields: 'listed', sourceFieldsToKeep: 'id' }, { id: 'x' }],
	])('keeps the fields of the source that Source Fields names: %j', async (options, kept) => {
		const { output } = await chunk([{ id: 'x', text: 'a' }], { operation: 'submit', options });
		expect(jsonOf(output)).toEqual([
			{
				...kept,
				chunkingId: anId,
				status: 'SUBMITTED',
				textPosition: 0,
				textsInRequest: 1,
			},
		]);
	});

	it.each<[unknown, string[]]>([
		[
			{ status: 'ERROR', message: 'Quota is used up' },
			['"Quota is used up"', notDone(submitAction())],
		],
		[
			{ chunkingId: 'c-1', status: 'ERROR', message: 'No such model' },
			['"No such model"', notDone(submitAction())],
		],
		[
			{ status: 'SUBMITTED', message: 'Please stand by' },
			['"Please stand by"', maybeDone(submitAction())],
		],
		[{ status: 'SUBMITTED' }, ['chunking ID', maybeDone(submitAction())]],
		[{ ok: true }, ['chunking ID', maybeDone(submitAction())]],
		[{ errorMessage: 'Timed out' }, ['"Timed out"', maybeDone(submitAction())]],
		// A text in JSON is no page, whatever it contains.
		['<html></html>', ['chunking ID', maybeDone(submitAction())]],
	])('fails a text whose submission gives ERROR or no chunking ID: %j', async (body, facts) => {
		fault('submit', { status: 200, body: JSON.stringify(body) });
		const { error } = await chunk([{ text: 'a' }], { operation: 'submit' });
		expect(error?.message).toEqual(naming(...facts));
		expect(submits()).toHaveLength(1);
	});
});

describe('Get Results', () => {
	const submitted = async (texts: string[], options: INodeParameters = {}) => {
		const { output } = await chunk(
			texts.map((text, at) => ({ id: at, text })),
			{ operation: 'submit', options },
		);
		await jobsEnded();
		return jsonOf(output);
	};

	beforeEach(() => {
		sandbox().settings.resultsOnce = true;
	});

	it('fetches a request once for all its items, each with its own chunks', async () => {
		const items = await submitted(['a\nb', 'c', 'd', 'e\nf'], { textsPerRequest: 3 });
		const result = await getResults(items);
		expect(polls()).toHaveLength(2);
		expect(textsOf(jsonOf(result.output))).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
		expect(pairedIndexes(result)).toEqual([0, 0, 1, 2, 3, 3]);
		expect(jsonOf(result.output)[3]).toEqual({
			text: 'd',
			chunkIndex: 0,
			vector: aVector,
		});
	});

	it('returns all texts of a request for an item without a position', async () => {
		const [{ chunkingId }] = await submitted(['a\nb', 'c']);
		const options = { keepSourceFields: 'all', chunkDetails: true };
		const result = await getResults([{ chunkingId }], { options });
		expect(
			jsonOf(result.output).map(({ text, textPosition, chunkIndex }) => [
				text,
				textPosition,
				chunkIndex,
			]),
		).toEqual([
			['a', 0, 0],
			['b', 0, 1],
			['c', 1, 0],
		]);
		expect(pairedIndexes(result)).toEqual([0, 0, 0]);
	});

	it('returns an item with its status and all its fields if the chunks are not ready', async () => {
		sandbox().settings.chunkDelayMs = 60_000;
		const { output } = await chunk([{ id: 'x', text: 'a' }], { operation: 'submit' });
		const result = await getResults(jsonOf(output));
		expect(result.status).toBe('success');
		expect(result.output).toEqual(output);
		expect(polls()).toHaveLength(1);
		expect(hintsOf(result)).toEqual([
			"1 text is not finished. Fetch the chunks later with the operation 'Get Results'.",
		]);
	});

	it('says that the chunks were fetched before', async () => {
		const items = await submitted(['a']);
		await getResults(items);
		const { error } = await getResults(items);
		expect(error?.message).toEqual(naming('already retrieved', String(items[0].chunkingId)));
	});

	it('fails an item whose position does not exist in the request, and keeps the response', async () => {
		const [one, other] = await submitted(['a', 'b']);
		const result = await getResults([one, { ...other, textPosition: 5 }], {}, CONTINUE);
		expect(pairedIndexes(result)).toEqual([0, 1]);
		expect(jsonOf(result.output)).toMatchObject([
			{ text: 'a' },
			{
				error: naming("'Text Position'", 5, '2 texts', String(one.chunkingId)),
				advice: expect.any(String),
				chunkingId: one.chunkingId,
				textPosition: 5,
				textsInRequest: 2,
				response: expect.objectContaining({
					chunkedData: [expect.anything(), expect.objectContaining({ chunks: ['b'] })],
				}),
			},
		]);
	});

	it('returns an item whose results have no texts as one without chunks', async () => {
		answers({ status: 'READY', chunkedData: [] });
		const result = await getResults([{ chunkingId: 'c-1' }]);
		expect(jsonOf(result.output)).toEqual([{ chunkCount: 0 }]);
		expect(hintsOf(result)).toEqual([
			"The AI service returned no chunks for 1 text. Check the texts and the settings of the chunker, or lower 'Texts per Request'.",
		]);
	});

	it.each([false, true])(
		'fails only the request that it is not allowed to fetch: Wait %s',
		async (wait) => {
			const items = await submitted(['a', 'b', 'c'], { textsPerRequest: 1 });
			fault('results', { status: 403, times: 1 });
			const result = await getResults(items, { wait, options: { concurrency: 1 } }, CONTINUE);
			expect(jsonOf(result.output)).toEqual([
				expect.objectContaining({ httpStatus: 403, chunkingId: items[0].chunkingId }),
				expect.objectContaining({ text: 'b' }),
				expect.objectContaining({ text: 'c' }),
			]);
		},
	);

	it('fails only the unknown ID', async () => {
		const items = await submitted(['a']);
		const result = await getResults(
			[{ chunkingId: 'nobody knows/it?' }, ...items],
			{},
			CONTINUE,
		);
		expect(pairedIndexes(result)).toEqual([0, 1]);
		expect(jsonOf(result.output)[0]).toMatchObject({
			error: naming(`"There is no chunking request '…'"`, 404, 'nobody knows/it?'),
			chunkingId: 'nobody knows/it?',
			httpStatus: 404,
		});
		expect(
			polls()
				.map(({ path }) => path)
				.sort()[1],
		).toBe(`${PATHS.chunking}/nobody%20knows%2Fit%3F`);
	});
});
