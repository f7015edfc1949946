import type { INodeProperties } from 'n8n-workflow';

import {
	concurrencyProperty,
	maxAttemptsProperty,
	timeoutProperty,
} from '../shared/n8n/bulk-requests';

/** Parameters of Delete Document. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Document IDs From',
		name: 'idSource',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Expression', value: 'expression', description: 'One ID for each input item' },
			{
				name: 'List Field',
				value: 'listField',
				description: 'A field of each input item holds a list of IDs',
			},
		],
		default: 'expression',
		description: 'Where the IDs come from',
	},
	{
		displayName: 'Document ID',
		name: 'documentId',
		type: 'string',
		default: '={{ $json.id }}',
		required: true,
		placeholder: 'e.g. handbook/chapter-1',
		description: 'ID of the document to delete, exactly as it was pushed',
		displayOptions: { show: { idSource: ['expression'] } },
	},
	{
		displayName: 'List Field',
		name: 'idsField',
		type: 'string',
		default: 'ids',
		required: true,
		placeholder: 'e.g. removedIds',
		description: 'Name of the field that holds the list of IDs',
		requiresDataPath: 'single',
		displayOptions: { show: { idSource: ['listField'] } },
	},
	{
		displayName: 'Commit',
		name: 'commit',
		type: 'options',
		options: [
			{
				name: 'Every Delete',
				value: 'everyDelete',
				description:
					'Searches no longer find a document as soon as it is deleted. Slow for many.',
			},
			{
				name: 'Last Delete Only',
				value: 'lastDeleteOnly',
				description: 'The last request, sent after all others, commits them all at once',
			},
			{
				name: 'Service Default',
				value: 'serviceDefault',
				description: 'The service commits all deletes it has received about once a minute',
			},
		],
		default: 'serviceDefault',
		description: 'When the deletes take effect in searches',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			// Each delete is a request of its own, so only this hides the time they take.
			concurrencyProperty(8),
			{
				displayName: 'Ignore Not Found',
				name: 'ignoreNotFound',
				type: 'boolean',
				default: false,
				description:
					'Whether an ID the service does not know counts as done, instead of failing the item',
			},
			maxAttemptsProperty,
			timeoutProperty,
		],
	},
];
