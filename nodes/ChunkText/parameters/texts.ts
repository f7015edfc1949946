import { properties } from '../../shared/n8n/properties';

/** Which texts to chunk. */
export const textProperties = properties([
	{
		displayName: 'Texts From',
		name: 'textSource',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'One Text per Item',
				value: 'item',
				description: 'Each input item has one text',
			},
			{
				name: 'List in a Field',
				value: 'list',
				description: 'A field of each input item has a list of texts',
			},
		],
		default: 'item',
		description: 'Where the texts are',
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		default: '={{ $json.text }}',
		required: true,
		placeholder: 'e.g. Goods may be returned within thirty days.',
		description: 'The text to chunk',
		displayOptions: { show: { textSource: ['item'] } },
	},
	{
		displayName: 'List Field',
		name: 'textsField',
		type: 'string',
		default: 'texts',
		required: true,
		placeholder: 'e.g. paragraphs',
		description: 'Name of the field that has the list of texts',
		requiresDataPath: 'single',
		displayOptions: { show: { textSource: ['list'] } },
	},
]);
