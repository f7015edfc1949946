import type { IDataObject, IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import type { Parameters } from '../../nodes/shared/parameters/parameters';
import { properties, property } from '../../nodes/shared/parameters/property';
import { readOnEngine, type Reading } from '../../support/parameters';

const concurrencyProperty = (initial: number) =>
	property({
		displayName: 'Concurrency',
		name: 'concurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 64 },
		default: initial,
	});

const SAMPLE = properties([
	{
		displayName: 'Title',
		name: 'title',
		type: 'string',
		default: '={{ $json.title }}',
		placeholder: 'e.g. Returns',
	},
	{ displayName: 'Document ID', name: 'documentId', type: 'string', default: '={{ $json.id }}' },
	{
		displayName: 'Size',
		name: 'size',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 1000 },
		default: 512,
	},
	{
		displayName: 'Threshold',
		name: 'threshold',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 3 },
		default: 0.5,
	},
	{ displayName: 'Wait', name: 'wait', type: 'boolean', default: false },
	{
		displayName: 'Commit',
		name: 'commit',
		type: 'options',
		options: [
			{ name: 'Every Delete', value: 'everyDelete' },
			{ name: 'Service Default', value: 'serviceDefault' },
		],
		default: 'serviceDefault',
	},
	{ displayName: 'Config', name: 'config', type: 'json', default: '{}' },
	{ displayName: 'List Field', name: 'listField', type: 'string', default: 'ids' },
	{ displayName: 'File', name: 'file', type: 'string', default: 'data' },
	{
		displayName: 'Source',
		name: 'source',
		type: 'resourceLocator',
		default: { mode: 'id', value: '' },
		modes: [{ displayName: 'ID', name: 'id', type: 'string' }],
	},
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		default: {},
		options: [
			{
				displayName: 'Field',
				name: 'field',
				values: [
					{ displayName: 'Name', name: 'name', type: 'string', default: '' },
					{ displayName: 'Value', name: 'value', type: 'string', default: '' },
				],
			},
		],
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		default: {},
		options: [
			concurrencyProperty(4),
			{ displayName: 'Dry Run', name: 'dryRun', type: 'boolean', default: false },
			{
				displayName: 'Exclude Fields',
				name: 'excludeFields',
				type: 'string',
				default: '',
				requiresDataPath: 'multiple',
			},
			{
				displayName: 'Previous Chunk Count',
				name: 'previousChunkCount',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 1_000_000 },
				default: 0,
			},
			{
				displayName: 'Resume',
				name: 'resume',
				type: 'string',
				default: '={{ $json.chunkingId }}',
			},
			{
				displayName: 'Duplicates',
				name: 'duplicates',
				type: 'options',
				options: [
					{ name: 'Fail', value: 'fail' },
					{ name: 'Keep Last', value: 'keepLast' },
				],
				default: 'keepLast',
			},
		],
	},
]);
type Sample = typeof SAMPLE;

const read = async <T>(
	reader: (parameters: Parameters<Sample>, itemIndex: number) => T,
	parameters: INodeParameters = {},
	items: IDataObject[] = [{}],
	watched?: (context: IExecuteFunctions) => IExecuteFunctions,
): Promise<Reading[]> => await readOnEngine(SAMPLE, { parameters, items }, reader, watched);

const first = ([{ value, error }]: Reading[]): unknown => (error ? error.message : value);

describe('text', () => {
	it.each([
		['={{ $json.a }}', ' as it is ', ' as it is '],
		['={{ $json.a }}', 5, '5'],
		['={{ $json.a }}', true, 'true'],
		['={{ $json.a }}', null, ''],
		['={{ $json.missing }}', 1, ''],
		['={{ $json.a + "!" }}', 'x', 'x!'],
		['={{ $json.a }} ', 'x', 'x '],
		['typed', 1, 'typed'],
		['={{ $json.a }}', ['x'], "'Title' must be text, but it is a list"],
		['={{ $json.a }}', { x: 1 }, "'Title' must be text, but it is an object"],
		['={{ NaN }}', 1, "'Title' must be text, but it is NaN"],
	])('%s of %j is %j', async (title, a, expected) => {
		const readings = await read((parameters, at) => parameters.get('title', at), { title }, [
			{ a },
		]);
		expect(first(readings)).toBe(expected);
	});

	it('is required, and the error names the parameter and its placeholder', async () => {
		const [{ error }] = await read((parameters, at) => parameters.requiredText('title', at), {
			title: '  ',
		});
		expect(error?.message).toBe("'Title' is empty");
		expect(error?.description).toContain('e.g. Returns');
	});
});

type Reader = (parameters: Parameters<Sample>, itemIndex: number) => unknown;

/**
 * The list at the end of each case contains pairs: a value that an expression returns, and the value that the node
 * reads from it or an error message.
 */
describe.each<[string, string, Reader, Array<[value: unknown, expected: unknown]>]>([
	[
		'ID',
		'documentId',
		(parameters, at) => parameters.id('documentId', at),
		[
			[' a/1 ', ' a/1 '],
			[0, '0'],
			[-5, '-5'],
			[9_007_199_254_740_991, '9007199254740991'],
			[
				9_007_199_254_740_992,
				"'Document ID' is 9007199254740992, a number too large to be exact",
			],
			[1.5, "'Document ID' must be text or a whole number, but it is 1.5"],
			[true, "'Document ID' must be text or a whole number, but it is true"],
			[['a'], "'Document ID' must be text or a whole number, but it is a list"],
			[{ a: 1 }, "'Document ID' must be text or a whole number, but it is an object"],
			[NaN, "'Document ID' must be text or a whole number, but it is NaN"],
			[Infinity, "'Document ID' must be text or a whole number, but it is Infinity"],
			['', "'Document ID' is empty"],
			[' ', "'Document ID' is empty"],
			[null, "'Document ID' is empty"],
			[undefined, "'Document ID' is empty"],
		],
	],
	[
		'number',
		'size',
		(parameters, at) => parameters.get('size', at),
		[
			[128, 128],
			['128', 128],
			[' 7 ', 7],
			[undefined, 512],
			[null, 512],
			['', 512],
			[' ', `'Size' must be a number, but it is " "`],
			['5 MB', `'Size' must be a number, but it is "5 MB"`],
			[true, "'Size' must be a number, but it is true"],
			[[], "'Size' must be a number, but it is a list"],
			[NaN, "'Size' must be a number, but it is NaN"],
			['Infinity', `'Size' must be a number, but it is "Infinity"`],
			[2.7, "'Size' must be a whole number, but it is 2.7"],
			[-5, "'Size' must be at least 1, but it is -5"],
			[1001, "'Size' must be at most 1000, but it is 1001"],
		],
	],
	[
		'number with a fraction',
		'threshold',
		(parameters, at) => parameters.get('threshold', at),
		[['0.25', 0.25]],
	],
	[
		'boolean',
		'wait',
		(parameters, at) => parameters.get('wait', at),
		[
			[true, true],
			['true', true],
			['false', false],
			[' TRUE ', true],
			[undefined, false],
			['', false],
			['no', `'Wait' must be true or false, but it is "no"`],
			[1, "'Wait' must be true or false, but it is 1"],
			[[], "'Wait' must be true or false, but it is a list"],
		],
	],
	[
		'choice',
		'commit',
		(parameters, at) => {
			const choice: 'everyDelete' | 'serviceDefault' = parameters.get('commit', at);
			return choice;
		},
		[
			['everyDelete', 'everyDelete'],
			[undefined, 'serviceDefault'],
			['never', `'Commit' must be one of everyDelete, serviceDefault, but it is "never"`],
		],
	],
	[
		'JSON object',
		'config',
		(parameters, at) => parameters.get('config', at),
		[
			['{"a": 1}', { a: 1 }],
			[{ a: 1 }, { a: 1 }],
			['', {}],
			[' ', {}],
			[undefined, {}],
			['[1]', "'Config' is not a JSON object"],
			[[1], "'Config' is not a JSON object"],
			[5, "'Config' is not a JSON object"],
			['null', "'Config' is not a JSON object"],
			['{a', expect.stringContaining("'Config' is not valid JSON: ")],
		],
	],
])('%s', (_kind, name, reader, rows) => {
	it.each(rows)('%j is %j', async (value, expected) => {
		const items = [{ value } as IDataObject];
		const readings = await read(reader, { [name]: '={{ $json.value }}' }, items);
		expect(first(readings)).toEqual(expected);
	});
});

it('accepts a list from an expression', async () => {
	const parameters = { listField: '={{ $json.some }}' };
	const readings = await read(
		(reader, at) => reader.list('listField', at, 'Enter one.'),
		parameters,
		[{ some: ['a', 'b'] }, { some: [] }, { some: { a: 1 } }],
	);
	expect(readings).toMatchObject([
		{ value: { field: 'List Field', list: ['a', 'b'] } },
		{ value: { field: 'List Field', list: [] } },
		{ error: { message: "'List Field' must be text, but it is an object" } },
	]);
});

it('finds a list by the name of its field or by a dotted path', async () => {
	const parameters = { listField: '={{ $json.field }}' };
	const readings = await read(
		(reader, at) => reader.list('listField', at, 'Enter one.'),
		parameters,
		[
			{ field: 'ids', ids: ['a'] },
			{ field: 'a.b', a: { b: [1] } },
			{ field: 'a.b', a: { b: 1 } },
			{ field: '' },
		],
	);
	expect(readings).toMatchObject([
		{ value: { field: 'ids', list: ['a'] } },
		{ value: { field: 'a.b', list: [1] } },
		{ error: { message: "The field 'a.b' is not a list" } },
		{ error: { message: "'List Field' is empty" } },
	]);
});

it('accepts the name of an input data field, or a file itself', async () => {
	const file = { mimeType: 'text/csv', data: 'eA==' };
	const readings = await read(
		(parameters, at) => parameters.file('file', at),
		{
			file: '={{ $json.f }}',
		},
		[{ f: ' data ' }, { f: file }, { f: '' }],
	);
	expect(readings).toMatchObject([
		{ value: 'data' },
		{ value: file },
		{ error: { message: "'File' is empty" } },
	]);
});

it('reads the rows of a fixedCollection with the types of their values', async () => {
	const field = [
		{ name: 'fixed', value: 'x' },
		{ name: '={{ $json.n }}', value: '={{ $json.v }}' },
		{ name: 'sum', value: '={{ $json.v[0] + 1 }}' },
	];
	const reader = (parameters: Parameters<Sample>, at: number) =>
		parameters.rows('additionalFields.field', at);
	const readings = await read(reader, { additionalFields: { field } }, [
		{ n: 'a', v: [1] },
		{ n: 'b', v: [2] },
	]);
	const row = (n: string, v: number) => [
		{ name: 'fixed', value: 'x' },
		{ name: n, value: [v] },
		{ name: 'sum', value: v + 1 },
	];
	expect(readings).toEqual([{ value: row('a', 1) }, { value: row('b', 2) }]);
	expect(await read(reader)).toEqual([{ value: [] }]);
});

describe('collection', () => {
	const whole = (parameters: Parameters<Sample>) => {
		const options = parameters.collection('options', ['previousChunkCount', 'resume']);
		// This code compiles only if the types derived from the properties are right.
		const typed: {
			concurrency: number;
			dryRun: boolean;
			duplicates: 'fail' | 'keepLast';
			excludeFields: string[];
		} = options;
		return typed;
	};

	it('has the defaults of its properties', async () => {
		expect(first(await read(whole))).toEqual({
			concurrency: 4,
			dryRun: false,
			duplicates: 'keepLast',
			excludeFields: [],
		});
	});

	it.each([
		['a,b', ['a', 'b']],
		[' a ,b, ', ['a', 'b']],
		[',a,,b', ['a', 'b']],
		['={{ ["a", "", " b "] }}', ['a', 'b']],
		[' ', []],
		[',', []],
		['={{ "" }}', []],
		['={{ null }}', []],
	])('has names without spaces and empty names: %j', async (excludeFields, expected) => {
		const found = first(await read(whole, { options: { excludeFields } }));
		expect(found).toMatchObject({ excludeFields: expected });
	});

	it('contains the members that were added', async () => {
		const options = {
			concurrency: 64,
			dryRun: '={{ "true" }}',
			excludeFields: '={{ ["a", " b "] }}',
			previousChunkCount: 'read for each item',
		};
		expect(first(await read(whole, { options }))).toEqual({
			concurrency: 64,
			dryRun: true,
			duplicates: 'keepLast',
			excludeFields: ['a', 'b'],
		});
	});

	it.each([
		['={{ 2.7 }}', "'Concurrency' must be a whole number, but it is 2.7"],
		[65, "'Concurrency' must be at most 64, but it is 65"],
	])('refuses %s by its label', async (concurrency, message) => {
		const options = { concurrency };
		expect(first(await read(whole, { options }))).toBe(message);
	});

	it('contains members with a separate value for each item', async () => {
		const options = { previousChunkCount: '={{ $json.n }}', resume: '={{ $json.r }}' };
		const readings = await read(
			(parameters, at) => [
				parameters.get('options.previousChunkCount', at),
				parameters.get('options.resume', at),
			],
			{ options },
			[{ n: 3, r: 'x' }, { n: 1.7e12 }],
		);
		expect(readings).toMatchObject([
			{ value: [3, 'x'] },
			{ error: { message: expect.stringContaining('must be at most 1000000') as string } },
		]);
	});

	it('uses a default that is an expression only if the member was added', async () => {
		const reader = (parameters: Parameters<Sample>, at: number) => [
			parameters.membersAdded('options').has('resume'),
			parameters.get('options.resume', at),
		];
		const items = [{ chunkingId: 'c1' }];
		expect(first(await read(reader, {}, items))).toEqual([false, '']);
		const options = { resume: '={{ $json.chunkingId }}' };
		expect(first(await read(reader, { options }, items))).toEqual([true, 'c1']);
	});

	it('contains only members that were added and are not empty, within their bounds', async () => {
		const reader = (parameters: Parameters<Sample>, at: number) =>
			parameters.get('options', at);
		const options = { concurrency: '={{ $json.n }}', dryRun: '={{ $json.d }}' };
		const readings = await read(reader, { options }, [
			{ n: '8', d: false },
			{ n: '' },
			{ n: -5 },
		]);
		expect(readings).toMatchObject([
			{ value: { concurrency: 8, dryRun: false } },
			{ value: {} },
			{ error: { message: "'Concurrency' must be at least 1, but it is -5" } },
		]);
	});
});

describe('the number of evaluations', () => {
	/** Returns a context that counts how often n8n evaluates a parameter. */
	const counting = (count: { evaluations: number }) => (context: IExecuteFunctions) =>
		new Proxy(context, {
			get(target, name) {
				const member: unknown = Reflect.get(target, name);
				if (name !== 'getNodeParameter') {
					return typeof member === 'function' ? member.bind(target) : member;
				}
				return (...args: ReadArguments) => {
					if (!args[3]?.rawExpressions) count.evaluations++;
					return target.getNodeParameter(...args);
				};
			},
		});
	type ReadArguments = [string, number, unknown, { rawExpressions?: boolean }?];

	it.each([
		['a constant', 'fixed', 0],
		['a plain path', '={{ $json.title }}', 1],
		['a plain path with a step that is missing', '={{ $json.a.b[3] }}', 1],
		['any other expression', '={{ $json.title + "" }}', 100],
	])('for 100 items of %s is bounded', async (_what, title, evaluations) => {
		const count = { evaluations: 0 };
		const items = Array.from({ length: 100 }, (_, at) => ({ title: `T${at}` }));
		await read(
			(parameters, at) => parameters.get('title', at),
			{ title },
			items,
			counting(count),
		);
		expect(count.evaluations).toBe(evaluations);
	});
});

it('rejects for every item what n8n rejects', async () => {
	const title = '={{ $json.arguments }}';
	const items = [{ arguments: 'a' }, { arguments: 'b' }];
	const readings = await read((parameters, at) => parameters.get('title', at), { title }, items);
	const message = expect.stringContaining('due to security concerns') as string;
	expect(readings).toMatchObject([{ error: { message } }, { error: { message } }]);
});

describe('several parameters with the same name', () => {
	const overlap = (label: string, minValue: number) => ({
		displayName: label,
		name: 'overlapSize',
		type: 'number' as const,
		typeOptions: { minValue },
		default: minValue,
	});
	const settings = (chunker: string, label: string, minValue: number) =>
		property({
			displayName: 'Settings',
			name: 'settings',
			type: 'collection',
			default: {},
			options: [overlap(label, minValue)],
			displayOptions: { show: { chunker: [chunker] } },
		});
	const CHUNKERS = properties([
		{
			displayName: 'Chunker',
			name: 'chunker',
			type: 'options',
			options: [
				{ name: 'Sentence', value: 'sentence' },
				{ name: 'Paragraph', value: 'paragraph' },
			],
			default: 'sentence',
		},
		settings('sentence', 'Overlap Size (Sentences)', 0),
		settings('paragraph', 'Overlap Size (Paragraphs)', 2),
	]);

	it.each([
		['sentence', -1, "'Overlap Size (Sentences)' must be at least 0, but it is -1"],
		['paragraph', 1, "'Overlap Size (Paragraphs)' must be at least 2, but it is 1"],
	])('the one that is shown counts: %s', async (chunker, overlapSize, message) => {
		const [reading] = await readOnEngine(
			CHUNKERS,
			{ parameters: { chunker, settings: { overlapSize } }, items: [{}] },
			(parameters, at) => parameters.get('settings', at),
		);
		expect(reading).toMatchObject({ error: { message } });
	});

	const defaultIn = (name: string, versions: number[], initial: number) =>
		property({
			displayName: 'Limit',
			name,
			type: 'number',
			default: initial,
			displayOptions: { show: { '@version': versions } },
		});
	const VERSIONS = properties([
		defaultIn('limit', [1], 5),
		defaultIn('limit', [1.1], 7),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			default: {},
			options: [defaultIn('size', [1], 50), defaultIn('size', [1.1], 70)],
		},
	]);

	it.each([
		[1, { limit: 5, size: 50 }],
		[1.1, { limit: 7, size: 70 }],
	])('a saved workflow keeps the defaults of its version: %d', async (typeVersion, value) => {
		const [reading] = await readOnEngine(
			VERSIONS,
			{ typeVersion, items: [{}] },
			(parameters, at) => ({
				limit: parameters.get('limit', at),
				...parameters.collection('options'),
			}),
		);
		expect(reading).toEqual({ value });
	});
});
