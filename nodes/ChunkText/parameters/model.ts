import { properties, property } from '../../shared/n8n/parameters/properties';

const customQuantizationMethod = property({
	displayName: 'Custom Vector Quantization Method',
	name: 'customVectorQuantizationMethod',
	type: 'string',
	default: '',
	placeholder: 'e.g. max-scale',
	description: 'Method that is not in the list, as the service expects it',
	displayOptions: { show: { vectorQuantizationMethod: ['custom'] } },
});

/** Which model embeds the chunks, and how. */
export const modelProperties = properties([
	{
		displayName: 'Model ID',
		name: 'modelId',
		type: 'resourceLocator',
		default: { mode: 'id', value: '' },
		required: true,
		description: 'Embedding model that computes the vectors',
		modes: [
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. gte-small',
			},
			// The service has no list of its models.
			{
				displayName: 'Known Models',
				name: 'list',
				type: 'list',
				placeholder: 'Select a model of the documentation...',
				typeOptions: { searchListMethod: 'listModels' },
			},
		],
	},
	{
		displayName: 'Model Settings',
		name: 'modelSettings',
		type: 'collection',
		placeholder: 'Add Setting',
		default: {},
		options: [
			{
				displayName: 'Data Type',
				name: 'dataType',
				type: 'options',
				options: [
					{ name: 'Custom', value: 'custom', description: "Use 'Custom Data Type'" },
					{ name: 'Not Sent', value: 'notSent', description: 'The service decides' },
					{ name: 'Passage', value: 'passage', description: 'Text that is searched' },
					{ name: 'Query', value: 'query', description: 'Text that people search with' },
				],
				default: 'passage',
				description: 'Whether the texts are passages or queries',
			},
			{
				displayName: 'Custom Data Type',
				name: 'customDataType',
				type: 'string',
				default: '',
				placeholder: 'e.g. passage',
				description: 'Data type that is not in the list, as the model expects it',
				displayOptions: { show: { dataType: ['custom'] } },
			},
			{
				displayName: 'Dimension Reduction Size',
				name: 'dimReductionSize',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 256,
				description:
					"Length of each vector, up to the model's own. Shorter vectors allow more chunks per request. Not sent if 0.",
			},
			{
				displayName: 'Vector Quantization Method',
				name: 'vectorQuantizationMethod',
				type: 'options',
				options: [
					{
						name: 'Custom',
						value: 'custom',
						description: "Use 'Custom Vector Quantization Method'",
					},
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
					{ name: 'Not Sent', value: 'none', description: 'The service decides' },
				],
				default: 'max-scale',
				description: 'Makes vectors smaller, which allows more chunks per request',
			},
			customQuantizationMethod,
		],
		description: 'Only settings you add are sent',
	},
]);
