import type { INodeProperties } from 'n8n-workflow';

const submits = ['submitAndWait', 'submit'];

/** What is to be chunked, or which chunking is to be fetched. */
export const textProperties: INodeProperties[] = [
	{
		displayName: 'Chunking ID',
		name: 'chunkingId',
		type: 'string',
		default: '={{ $json.chunkingId }}',
		required: true,
		placeholder: 'e.g. 3f0a5c1e-7a0f-4b60-9d65-1f4f0c2b7a11',
		description: "As the operation 'Submit' has put it out",
		displayOptions: { show: { operation: ['getResults'] } },
	},
	{
		displayName: 'Text Position',
		name: 'textPosition',
		type: 'string',
		default: '={{ $json.textPosition }}',
		placeholder: 'e.g. 0',
		description:
			"Which text of the request this item stands for, counted from 0, as 'Submit' has put it out. Empty: all of them.",
		displayOptions: { show: { operation: ['getResults'] } },
	},
	{
		displayName: 'Wait for Results',
		name: 'wait',
		type: 'boolean',
		default: false,
		description:
			'Whether to wait until the chunks are there. Otherwise an item whose chunks are not there yet comes out with its status.',
		displayOptions: { show: { operation: ['getResults'] } },
	},
	{
		displayName: 'Texts From',
		name: 'textSource',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Expression',
				value: 'expression',
				description: 'One text for each input item',
			},
			{
				name: 'List Field',
				value: 'listField',
				description: 'A field of each input item holds a list of texts',
			},
		],
		default: 'expression',
		description: 'Where the texts come from',
		displayOptions: { show: { operation: submits } },
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		default: '={{ $json.text }}',
		required: true,
		placeholder: 'e.g. Goods may be returned within thirty days.',
		description: 'The text to chunk',
		displayOptions: { show: { operation: submits, textSource: ['expression'] } },
	},
	{
		displayName: 'List Field',
		name: 'textsField',
		type: 'string',
		default: 'texts',
		required: true,
		placeholder: 'e.g. paragraphs',
		description: 'Name of the field that holds the list of texts',
		requiresDataPath: 'single',
		displayOptions: { show: { operation: submits, textSource: ['listField'] } },
	},
];
