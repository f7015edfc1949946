import { recommendedFieldProperties, requiredFieldProperties } from '../shared/input/field-mapping';
import {
	encodingProperty,
	fileOptionProperties,
	fileProperties,
	fileProperty,
	RECORD_FILES,
	textFileDocumentProperties,
	type RunOptions,
} from '../shared/input/file-properties';
import { listedSourceFieldProperties } from '../shared/input/source-fields';
import type { Parameters } from '../shared/parameters/parameters';
import {
	filledByModel,
	notForTools,
	onePerInputItem,
	onlyForTools,
	optionsProperty,
	properties,
	property,
	shownFor,
} from '../shared/parameters/property';
import { requestProperties } from '../shared/parameters/request-properties';
import { MAX_PUSH_BYTES } from '../shared/service/push/push-document';

const showForFields = { show: { documentSource: ['fields'] } };
const showForTextFile = { show: { documentSource: ['textFile'] } };
const showForMapped = { show: { documentSource: ['fields', 'textFile'] } };
const showForFile = { show: { documentSource: ['file'] } };
/** A slash before a name means that the parameter is outside the collection. */
const showOptionForFile = { show: { '/documentSource': ['file'] } };
const hideOptionForFile = { hide: { '/documentSource': ['file'] } };

/**
 * AI agents see this variant of the parameter. Agents pass only JSON to a tool, so this variant offers no choice that
 * reads files.
 */
const source = property({
	displayName: 'Documents From',
	name: 'documentSource',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Mapped Fields',
			value: 'fields',
			description: 'Each input item becomes one document, built from the fields below',
		},
		{
			name: 'JSON',
			value: 'json',
			description: 'Each input item contains one document or a list of documents as JSON',
		},
	],
	default: 'fields',
	description: 'Where to read the documents from',
});

const options = optionsProperty([
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{
				name: 'One Item per Document',
				value: 'perDocument',
				description: 'Each item contains the ID, the request number and the response',
			},
			onePerInputItem,
			{
				name: 'Summary',
				value: 'summary',
				description:
					'One item for the whole run, with counts, bytes and time. Also one item for each failed document.',
			},
		],
		default: 'perDocument',
		description: 'What to return for documents that were pushed',
		displayOptions: hideOptionForFile,
	},
	...shownFor(
		{ show: { output: ['perInputItem'] }, ...hideOptionForFile },
		listedSourceFieldProperties,
	),
	{
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: false,
		required: true,
		description:
			'Whether to check the documents and count the requests without sending anything',
	},
	{
		displayName: 'Exclude Fields',
		name: 'excludeFields',
		type: 'string',
		default: '',
		placeholder: 'e.g. vector, internalNotes',
		requiresDataPath: 'multiple',
		description:
			'Names of top-level fields to omit from the documents. Separate the names with commas. ID and name are always sent.',
	},
	{
		displayName: 'Drop Empty Values',
		name: 'dropEmpty',
		type: 'boolean',
		default: false,
		description:
			'Whether to omit top-level fields that are null, an empty string, an empty list or an empty object',
	},
	{
		displayName: 'Documents per Request',
		name: 'documentsPerRequest',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 500,
		description: 'Maximum number of documents in one request',
	},
	{
		displayName: 'Bytes per Request',
		name: 'bytesPerRequest',
		type: 'number',
		typeOptions: { minValue: 100 },
		default: MAX_PUSH_BYTES,
		description:
			'Maximum number of bytes in one request. The service does not index requests larger than 5 MB, so increase it only for a compatible service that does.',
	},
	...requestProperties(4),
	{ ...encodingProperty, displayOptions: { show: { '/documentSource': ['file', 'textFile'] } } },
	...shownFor(showOptionForFile, fileOptionProperties),
]);

export const pushProperties = properties([
	notForTools({
		...source,
		options: [
			{
				name: 'Whole Item',
				value: 'wholeItem',
				description: 'Push each input item with all its fields',
			},
			...source.options,
			{
				name: 'File',
				value: 'file',
				description: `Push each record in a file of any size (${RECORD_FILES.text})`,
			},
			{
				name: 'Text File',
				value: 'textFile',
				description:
					'Each input item has a file, e.g. .txt or .md, that contains the text of one document',
			},
		],
		default: 'wholeItem',
	}),
	onlyForTools(source),
	...filledByModel({
		displayName: 'Document ID',
		name: 'documentId',
		type: 'string',
		default: '={{ $json.id }}',
		required: true,
		placeholder: 'e.g. handbook/returns.md',
		description:
			'ID of the document. If the index already contains this ID, the document is updated. Otherwise, it is added.',
		displayOptions: showForFields,
	}),
	...filledByModel({
		displayName: 'Document Name',
		name: 'documentName',
		type: 'string',
		default: '={{ $json.name }}',
		required: true,
		placeholder: 'e.g. Returns',
		description: 'Title of the document',
		displayOptions: showForFields,
	}),
	{ ...fileProperty, displayOptions: { show: { documentSource: ['file', 'textFile'] } } },
	...shownFor(showForTextFile, textFileDocumentProperties),
	...filledByModel(
		{
			displayName: 'Document Description',
			name: 'documentDescription',
			type: 'string',
			default: '',
			placeholder: 'e.g. How to return goods',
			description:
				'Short description of the document. Recommended, but not required. Omitted if empty.',
			displayOptions: showForMapped,
		},
		'One sentence that says what the document is about. Empty if unknown.',
		true,
	),
	...filledByModel(
		{
			displayName: 'Document URL',
			name: 'documentUrl',
			type: 'string',
			default: '',
			placeholder: 'e.g. https://example.com/handbook/returns',
			description: 'URL of the document. Recommended, but not required. Omitted if empty.',
			displayOptions: showForMapped,
		},
		'URL of the document. Empty if there is none.',
		true,
	),
	...filledByModel(
		{
			displayName: 'Document Text',
			name: 'documentText',
			type: 'string',
			default: '',
			placeholder: 'e.g. Goods may be returned within thirty days.',
			description: "Text of the document, sent in the 'text' field. Omitted if empty.",
			displayOptions: showForFields,
		},
		'Text of the document',
		true,
	),
	// When the node runs as a tool, its item contains only the agent's input, so there are no other fields to include.
	notForTools({
		displayName: 'Include Other Input Fields',
		name: 'includeOtherFields',
		type: 'boolean',
		default: false,
		description:
			"Whether to also send the other fields of the input item, such as text and vector. To omit some of them, add the option 'Exclude Fields'.",
		displayOptions: showForFields,
	}),
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
							'Value of the field. Numbers, lists and objects that an expression returns keep their type.',
					},
				],
			},
		],
		description: 'More fields to add to the document',
		displayOptions: showForMapped,
	},
	{
		displayName: 'Documents',
		name: 'documentJson',
		type: 'json',
		default: '={{ $json }}',
		required: true,
		description: 'One document as an object, or several documents as a list of objects',
		displayOptions: { show: { documentSource: ['json'] } },
	},
	...fileProperties(RECORD_FILES, showForFile.show),
	...shownFor({ show: { documentSource: ['wholeItem', 'file'] } }, [
		...requiredFieldProperties,
		...recommendedFieldProperties,
	]),
	options,
]);

export type PushParameters = Parameters<typeof pushProperties>;

export type PushOptions = RunOptions<typeof pushProperties>;
