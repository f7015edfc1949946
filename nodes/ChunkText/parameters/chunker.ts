import { properties } from '../../shared/parameters/property';

/**
 * Embedding models named in the service's documentation (docs/service-interface.md, Models). To use any other
 * model, users enter its ID.
 */
export const MODELS = ['e5-small-v2', 'gte-small'];

const onlyFor = (...chunkers: string[]) => ({ show: { '/chunker': chunkers } });

/** To add a chunker, add an option and its settings here. */
export const chunkerProperties = properties([
	{
		displayName: 'Model ID',
		name: 'modelId',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description:
			"Embedding model that computes the vectors. The list shows the models that appear in the Lucidworks documentation. To use another model from the service's Use Case API, enter its ID.",
		modes: [
			{
				displayName: 'Documented Models',
				name: 'list',
				type: 'list',
				placeholder: 'Select a documented model...',
				typeOptions: { searchListMethod: 'listModels' },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. gte-small',
			},
		],
	},
	{
		displayName: 'Chunker',
		name: 'chunker',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Custom', value: 'custom', description: 'Any other chunker, by name' },
			{
				name: 'Dynamic Newline',
				value: 'dynamic-newline',
				description: 'Joins lines up to a maximum number of tokens',
			},
			{
				name: 'Dynamic Sentence',
				value: 'dynamic-sentence',
				description: 'Joins sentences up to a maximum number of tokens',
			},
			{
				name: 'Regex Splitter',
				value: 'regex-splitter',
				description: 'Splits where a regular expression matches',
			},
			{
				name: 'Semantic',
				value: 'semantic',
				description: 'Splits where the meaning changes',
			},
			{
				name: 'Sentence',
				value: 'sentence',
				description: 'Joins a fixed number of sentences',
			},
		],
		default: 'regex-splitter',
		description: 'How to split each text',
	},
	{
		displayName: 'Regex',
		name: 'regex',
		type: 'string',
		// Matches blank lines, including lines that contain only white space. Without the CR, every chunk of a file with
		// Windows line ends would end with a CR.
		default: '\\r?\\n\\s*\\n',
		placeholder: 'e.g. \\r?\\n(?=## )',
		description:
			'Python regular expression to split on. The default splits on blank lines. If this field is empty, the service uses its own default.',
		displayOptions: { show: { chunker: ['regex-splitter'] } },
	},
	{
		displayName: 'Chunker Settings',
		name: 'chunkerSettings',
		type: 'collection',
		placeholder: 'Add Setting',
		default: {},
		description: 'Only settings you add are sent',
		displayOptions: {
			show: { chunker: ['dynamic-newline', 'dynamic-sentence', 'semantic', 'sentence'] },
		},
		options: [
			{
				displayName: 'Approximate',
				name: 'approximate',
				type: 'boolean',
				default: true,
				description: 'Whether to compare sentences in a faster, less exact way',
				displayOptions: onlyFor('semantic'),
			},
			{
				displayName: 'Chunk Size (Sentences)',
				name: 'chunkSize',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 5,
				description: 'Number of sentences per chunk',
				displayOptions: onlyFor('sentence'),
			},
			{
				displayName: 'Cosine Threshold',
				name: 'cosineThreshold',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 1, numberPrecision: 3 },
				default: 0.567,
				description: 'How similar neighboring sentences must be to stay in one chunk',
				displayOptions: onlyFor('semantic'),
			},
			{
				displayName: 'Max Chunk Size (Tokens)',
				name: 'maxChunkSize',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 512,
				description: 'Maximum number of tokens per chunk',
				displayOptions: onlyFor('dynamic-newline', 'dynamic-sentence', 'semantic'),
			},
			{
				displayName: 'Overlap Size (Sentences)',
				name: 'overlapSize',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 1,
				description: 'Number of sentences that neighboring chunks share',
				displayOptions: onlyFor('dynamic-sentence', 'semantic', 'sentence'),
			},
		],
	},
	{
		displayName: 'Chunker Name',
		name: 'chunkerName',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. regex-splitter',
		description: 'Name of the chunker in the path /ai/async-chunking/{chunker}/{model}',
		displayOptions: { show: { chunker: ['custom'] } },
	},
	{
		displayName: 'Chunker Config',
		name: 'chunkerConfig',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"maxChunkSize": 256}',
		description: 'Chunker settings as a JSON object. Omitted if empty.',
		displayOptions: { show: { chunker: ['custom'] } },
	},
]);

export const CHUNKER_NAMES = Object.fromEntries(
	chunkerProperties[1].options.map(({ value, name }) => [value, name]),
);
