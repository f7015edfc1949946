import { properties } from '../../shared/n8n/parameters/properties';

/** The operations that send texts. */
export const submits = { show: { '/operation': ['submitAndWait', 'submit'] } };

/**
 * Embedding models that the service's documentation names (docs/service-interface.md, Models). The service
 * has no list of its models: any other is entered by its ID.
 */
export const MODELS = ['e5-small-v2', 'gte-small'];

/** Which model embeds the chunks, and how. */
export const modelProperties = properties([
	{
		displayName: 'Model ID',
		name: 'modelId',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: 'Embedding model that computes the vectors',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Select a model...',
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
]);

/** How the model embeds the chunks; only what is added is sent. */
export const modelOptions = properties([
	{
		displayName: 'Data Type',
		name: 'dataType',
		type: 'options',
		options: [
			{ name: 'Passage', value: 'passage', description: 'Text that is searched' },
			{ name: 'Query', value: 'query', description: 'Text that people search with' },
		],
		default: 'passage',
		description:
			'How the model should treat the texts. For any other value, use an expression.',
		displayOptions: submits,
	},
	{
		displayName: 'Dimension Reduction Size',
		name: 'dimReductionSize',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 256,
		description:
			"Number of dimensions of each vector, up to the model's own. Fewer allow more chunks per request. Omitted if 0.",
		displayOptions: submits,
	},
	{
		displayName: 'Vector Quantization Method',
		name: 'vectorQuantizationMethod',
		type: 'options',
		options: [
			{
				name: 'Max Scale',
				value: 'max-scale',
				description: 'Integers from -127 to 127, practically lossless',
			},
			{
				name: 'Min Max',
				value: 'min-max',
				description: 'Integers from 0 to 255, the least precise',
			},
		],
		default: 'max-scale',
		description:
			'Makes vectors smaller, which allows more chunks per request. For any other method, use an expression.',
		displayOptions: submits,
	},
]);
