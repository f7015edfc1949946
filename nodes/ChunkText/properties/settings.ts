import type { INodeProperties } from 'n8n-workflow';

import { scopeProperties } from '../../shared/service/scope';

const submits = ['submitAndWait', 'submit'];
const showForChunker = (chunker: string) => ({ show: { operation: submits, chunker: [chunker] } });

const maxChunkSize: INodeProperties = {
	displayName: 'Max Chunk Size',
	name: 'maxChunkSize',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 512,
	description: 'Most tokens of a chunk',
};

const overlapSize: INodeProperties = {
	displayName: 'Overlap Size',
	name: 'overlapSize',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 1,
	description: 'How many sentences neighboring chunks share',
};

const chunkerSettings = (chunker: string, options: INodeProperties[]): INodeProperties => ({
	displayName: 'Chunker Settings',
	name: 'chunkerSettings',
	type: 'collection',
	placeholder: 'Add Setting',
	default: {},
	options,
	description: 'What is not added is left to the service',
	displayOptions: showForChunker(chunker),
});

/** How texts are chunked. */
export const settingsProperties: INodeProperties[] = [
	{
		displayName: 'Model ID',
		name: 'modelId',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. gte-small',
		description: 'Embedding model that makes the vectors',
		displayOptions: { show: { operation: submits } },
	},
	{
		displayName: 'Chunker',
		name: 'chunker',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Custom',
				value: 'custom',
				description: 'Any chunker of the service, by its name',
			},
			{
				name: 'Dynamic Newline',
				value: 'dynamic-newline',
				description: 'Joins lines up to a number of tokens',
			},
			{
				name: 'Dynamic Sentence',
				value: 'dynamic-sentence',
				description: 'Joins sentences up to a number of tokens',
			},
			{
				name: 'Regex Splitter',
				value: 'regex-splitter',
				description: 'Splits where a regular expression matches',
			},
			{
				name: 'Semantic',
				value: 'semantic',
				description: 'Splits where the meaning changes. The slowest one.',
			},
			{
				name: 'Sentence',
				value: 'sentence',
				description: 'Joins a fixed number of sentences',
			},
		],
		default: 'regex-splitter',
		description: 'How the service splits a text',
		displayOptions: { show: { operation: submits } },
	},
	{
		displayName: 'Regex',
		name: 'regex',
		type: 'string',
		default: '',
		placeholder: 'e.g. \\n\\n+',
		description:
			"Where to split, in the syntax of Python's re module. Sent as it is. Left empty, the service uses its own.",
		displayOptions: showForChunker('regex-splitter'),
	},
	chunkerSettings('dynamic-newline', [maxChunkSize]),
	chunkerSettings('dynamic-sentence', [maxChunkSize, overlapSize]),
	chunkerSettings('sentence', [
		{
			displayName: 'Chunk Size',
			name: 'chunkSize',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 5,
			description: 'How many sentences a chunk has',
		},
		overlapSize,
	]),
	chunkerSettings('semantic', [
		{
			displayName: 'Approximate',
			name: 'approximate',
			type: 'boolean',
			default: true,
			description: 'Whether to compare sentences in a faster, less exact way',
		},
		{
			displayName: 'Cosine Threshold',
			name: 'cosineThreshold',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 3 },
			default: 0.567,
			description: 'How alike neighboring sentences must be to stay in one chunk',
		},
		maxChunkSize,
		overlapSize,
	]),
	{
		displayName: 'Chunker Name',
		name: 'chunkerName',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. regex-splitter',
		description: 'As it stands in the path: /ai/async-chunking/{chunker}/{model}',
		displayOptions: showForChunker('custom'),
	},
	{
		displayName: 'Chunker Config',
		name: 'chunkerConfig',
		type: 'json',
		default: '',
		placeholder: 'e.g. {"maxChunkSize": 256}',
		description: 'Settings of the chunker as a JSON object. Not sent while empty.',
		displayOptions: showForChunker('custom'),
	},
];

/** What the model is told, and the scope of the access token. */
export const modelProperties: INodeProperties[] = [
	{
		displayName: 'Model Settings',
		name: 'modelSettings',
		type: 'collection',
		placeholder: 'Add Setting',
		default: {},
		options: [
			{
				displayName: 'Custom Data Type',
				name: 'customDataType',
				type: 'string',
				default: '',
				placeholder: 'e.g. passage',
				description: 'What the model is to take the texts for, in its own words',
				displayOptions: { show: { dataType: ['custom'] } },
			},
			{
				displayName: 'Data Type',
				name: 'dataType',
				type: 'options',
				options: [
					{
						name: 'Custom',
						value: 'custom',
						description: "The value of 'Custom Data Type'",
					},
					{ name: 'Not Sent', value: 'notSent', description: 'Leave it to the service' },
					{ name: 'Passage', value: 'passage', description: 'Text that is to be found' },
					{ name: 'Query', value: 'query', description: 'Text that people search with' },
				],
				default: 'passage',
				description: 'What the model is to take the texts for',
			},
			{
				displayName: 'Dimension Reduction Size',
				name: 'dimReductionSize',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 256,
				description:
					"Numbers of each vector, at most the model's own. Fewer allow more chunks.",
			},
			{
				displayName: 'Vector Quantization Method',
				name: 'vectorQuantizationMethod',
				type: 'options',
				options: [
					{
						name: 'Max Scale',
						value: 'max-scale',
						description: 'Whole numbers from -127 to 127, practically without loss',
					},
					{
						name: 'Min Max',
						value: 'min-max',
						description: 'Whole numbers from 0 to 255, with the most loss',
					},
					{ name: 'None', value: 'none', description: 'Leave the vectors as they are' },
				],
				default: 'max-scale',
				description:
					'Makes vectors smaller, so that the service takes more chunks of a text',
			},
		],
		description: 'What is not added is left to the service',
		displayOptions: { show: { operation: submits } },
	},
	...scopeProperties(
		'Scope the access token is requested for. Chunking needs Machine Learning Predict.',
	),
];
