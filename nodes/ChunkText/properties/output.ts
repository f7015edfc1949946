import type { INodeProperties } from 'n8n-workflow';

const chunks = ['submitAndWait', 'getResults'];
const documents = { show: { operation: chunks, output: ['documents'] } };

/** What comes out. */
export const outputProperties: INodeProperties[] = [
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Documents Ready to Push',
				value: 'documents',
				description: 'One item per chunk, made for Push Documents',
			},
			{
				name: 'One Item per Chunk',
				value: 'chunks',
				description: 'Text, position and vector',
			},
			{
				name: 'One Item per Text',
				value: 'texts',
				description: 'With a list of its chunks',
			},
			{
				name: 'Raw',
				value: 'raw',
				description: 'The reply of the service, one item per request',
			},
		],
		default: 'chunks',
		description: 'What comes out for a text',
		displayOptions: { show: { operation: chunks } },
	},
	{
		displayName: 'Document ID',
		name: 'documentId',
		type: 'string',
		default: '={{ $json.id }}',
		required: true,
		placeholder: 'e.g. handbook/returns.md',
		description:
			'ID of the document the text belongs to. The chunks of "a" get the IDs a#0, a#1 and so on.',
		displayOptions: documents,
	},
	{
		displayName: 'Document Name',
		name: 'documentName',
		type: 'string',
		default: '={{ $json.name }}',
		required: true,
		placeholder: 'e.g. Returns',
		description: 'Name each chunk of the document gets',
		displayOptions: documents,
	},
	{
		displayName: 'Document Description',
		name: 'documentDescription',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.summary }}',
		description: 'Left out while empty',
		displayOptions: documents,
	},
	{
		displayName: 'Document URL',
		name: 'documentUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.url }}',
		description: 'Left out while empty',
		displayOptions: documents,
	},
];
