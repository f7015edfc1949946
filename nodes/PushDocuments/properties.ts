import type { INodeProperties } from 'n8n-workflow';

import {
	concurrencyProperty,
	maxAttemptsProperty,
	timeoutProperty,
} from '../shared/n8n/bulk-requests';
import { MAX_PUSH_BYTES } from '../shared/service/limits';

const showForFields = { show: { documentSource: ['fields'] } };

/** Parameters of Push Documents. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Documents From',
		name: 'documentSource',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Whole Item',
				value: 'wholeItem',
				description: 'Each input item is a document and brings its own ID and name',
			},
			{
				name: 'Mapped Fields',
				value: 'fields',
				description: 'Each input item gives a document made of the fields below',
			},
			{
				name: 'JSON',
				value: 'json',
				description: 'Each input item gives a document, or a list of them, as JSON',
			},
		],
		default: 'wholeItem',
		description: 'Where the documents come from',
	},
	{
		displayName: 'ID',
		name: 'documentId',
		type: 'string',
		default: '={{ $json.id }}',
		required: true,
		placeholder: 'e.g. handbook/returns.md',
		description: 'A document with this ID is updated if the index has one, else added',
		displayOptions: showForFields,
	},
	{
		displayName: 'Name',
		name: 'documentName',
		type: 'string',
		default: '={{ $json.name }}',
		required: true,
		placeholder: 'e.g. Returns',
		description: 'Title of the document',
		displayOptions: showForFields,
	},
	{
		displayName: 'Description',
		name: 'documentDescription',
		type: 'string',
		default: '',
		placeholder: 'e.g. How to set up a data source',
		description: 'Recommended. Not sent while empty.',
		displayOptions: showForFields,
	},
	{
		displayName: 'URL',
		name: 'documentUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://example.com/page',
		description: 'Recommended. Not sent while empty.',
		displayOptions: showForFields,
	},
	{
		displayName: 'Additional Fields',
		name: 'additionalFields',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Field',
		default: {},
		options: [
			{
				displayName: 'Field',
				name: 'field',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						placeholder: 'e.g. category',
						description: 'Name of the field in the document',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						description:
							'An expression keeps its type: numbers, lists and objects stay as they are',
					},
				],
			},
		],
		description: 'Any further fields of the document',
		displayOptions: showForFields,
	},
	{
		displayName: 'Documents',
		name: 'documentJson',
		type: 'json',
		default: '={{ $json }}',
		required: true,
		description: 'One document as an object, or several as a list of objects',
		displayOptions: { show: { documentSource: ['json'] } },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			{
				displayName: 'Bytes per Request',
				name: 'bytesPerRequest',
				type: 'number',
				typeOptions: { minValue: 100, maxValue: MAX_PUSH_BYTES },
				default: MAX_PUSH_BYTES,
				description:
					'Most bytes of one request. The service leaves out what is larger than 5 MB, so more is never sent.',
			},
			concurrencyProperty(4),
			{
				displayName: 'Convert ID and Name to String',
				name: 'convertToString',
				type: 'boolean',
				default: false,
				description:
					'Whether to send numbers and booleans in the ID and the name as strings, instead of refusing the document',
			},
			{
				displayName: 'Documents per Request',
				name: 'documentsPerRequest',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 500,
				description: 'Most documents of one request',
			},
			{
				displayName: 'Drop Empty Values',
				name: 'dropEmpty',
				type: 'boolean',
				default: false,
				description:
					'Whether to leave out top-level fields that are null, empty text, or an empty list or object',
			},
			{
				displayName: 'Dry Run',
				name: 'dryRun',
				type: 'boolean',
				default: false,
				description:
					'Whether to check the documents and count the requests without sending anything',
			},
			{
				displayName: 'Duplicate IDs',
				name: 'duplicates',
				type: 'options',
				options: [
					{
						name: 'Fail',
						value: 'fail',
						description: 'Refuse every document whose ID came before',
					},
					{
						name: 'Keep Last',
						value: 'keepLast',
						description: 'Send only the last document of each ID',
					},
					{
						name: 'Send in Order',
						value: 'sendInOrder',
						description: 'Send all, the later one after the earlier one has arrived',
					},
				],
				default: 'keepLast',
				description: 'What to do with documents of one run that have the same ID',
			},
			{
				displayName: 'Exclude Fields',
				name: 'excludeFields',
				type: 'string',
				default: '',
				placeholder: 'e.g. vector, internalNotes',
				description:
					'Top-level fields to leave out of the documents, separated by commas. ID and name are always sent.',
			},
			maxAttemptsProperty,
			{
				displayName: 'Output',
				name: 'output',
				type: 'options',
				options: [
					{
						name: 'One Item per Document',
						value: 'documents',
						description: 'With the ID, the request it went with and the reply',
					},
					{
						name: 'Summary',
						value: 'summary',
						description:
							'One item with counts, bytes and time. Documents that failed come beside it.',
					},
				],
				default: 'documents',
				description: 'What comes out for documents that were pushed',
			},
			timeoutProperty,
		],
	},
];
