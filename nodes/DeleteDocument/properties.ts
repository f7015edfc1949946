import { requiredFieldProperties } from '../shared/input/field-mapping';
import {
	encodingProperty,
	fileOptionProperties,
	fileProperties,
	fileProperty,
	ID_FILES,
	type RunOptions,
} from '../shared/input/file-properties';
import { listedSourceFieldProperties } from '../shared/input/source-fields';
import type { Parameters } from '../shared/parameters/parameters';
import {
	filledByModel,
	onePerInputItem,
	optionsProperty,
	properties,
	shownFor,
} from '../shared/parameters/property';
import { requestProperties } from '../shared/parameters/request-properties';

const showForFile = { show: { idSource: ['file'] } };
/** A slash before a name means that the parameter is outside the collection. */
const showOptionForFile = { show: { '/idSource': ['file'] } };
const hideOptionForFile = { hide: { '/idSource': ['file'] } };

const options = optionsProperty([
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{
				name: 'One Item per Document',
				value: 'perDocument',
				description: 'Contains the ID and whether the document was deleted',
			},
			onePerInputItem,
		],
		default: 'perDocument',
		description: 'What to return for documents that were deleted',
		displayOptions: hideOptionForFile,
	},
	...shownFor(
		{ show: { output: ['perInputItem'] }, ...hideOptionForFile },
		listedSourceFieldProperties,
	),
	{
		displayName: 'Chunk Count',
		name: 'chunkCount',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 100_000 },
		default: 0,
		required: true,
		description:
			'Number of chunks in the document. If this is above 0, the node deletes the chunks (ID#0, ID#1 and so on) instead of the document.',
		displayOptions: { show: { '/idSource': ['item'] } },
	},
	{
		displayName: 'Ignore Not Found',
		name: 'ignoreNotFound',
		type: 'boolean',
		default: false,
		description: 'Whether an unknown ID counts as a success instead of a failure',
	},
	{
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: false,
		required: true,
		description: 'Whether to check and count the IDs without deleting anything',
	},
	// Each document needs its own request, so only parallel requests save time.
	...requestProperties(8),
	...shownFor(showOptionForFile, [encodingProperty, ...fileOptionProperties]),
]);

export const deleteProperties = properties([
	{
		displayName: 'Document IDs From',
		name: 'idSource',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'One ID per Item',
				value: 'item',
				description: 'Each input item contains one ID',
			},
			{
				name: 'List in a Field',
				value: 'list',
				description: 'Each input item has a field that contains a list of IDs',
			},
			{
				name: 'File',
				value: 'file',
				description: `Read the IDs from a file of any size (${ID_FILES.text})`,
				// AI agents pass only JSON to a tool, so a tool cannot read a file.
				displayOptions: { hide: { '@tool': [true] } },
			},
		],
		default: 'item',
		description: 'Where to read the IDs from',
	},
	...filledByModel(
		{
			displayName: 'Document ID',
			name: 'documentId',
			type: 'string',
			default: '={{ $json.id }}',
			required: true,
			placeholder: 'e.g. handbook/chapter-1',
			description:
				"ID of the document to delete, exactly as it was pushed. To delete the chunks of a document, add the option 'Chunk Count'.",
			displayOptions: { show: { idSource: ['item'] } },
		},
		'ID of the document to delete, exactly as it was added',
	),
	{
		displayName: 'List Field',
		name: 'listField',
		type: 'string',
		requiresDataPath: 'single',
		default: 'ids',
		required: true,
		placeholder: 'e.g. removedIds',
		description:
			'Name of the field that contains the list of IDs, or an expression that returns the list',
		displayOptions: { show: { idSource: ['list'] } },
	},
	{ ...fileProperty, displayOptions: showForFile },
	...fileProperties(ID_FILES, showForFile.show),
	{
		...requiredFieldProperties[0],
		description:
			'Field or column (e.g. sku or meta.sku) that contains the ID. Ignored if the records themselves are IDs.',
		displayOptions: showForFile,
	},
	{
		displayName: 'Commit',
		name: 'commit',
		type: 'options',
		options: [
			{
				name: 'Every Delete',
				value: 'everyDelete',
				description: 'Ask for a commit with every delete. Slow for many documents.',
			},
			{
				name: 'Once, at the End',
				value: 'lastDeleteOnly',
				description: 'Ask for a single commit, in the last delete request',
			},
			{
				name: 'Service Default',
				value: 'serviceDefault',
				description:
					'About once a minute, the service commits the deletes that it has received',
			},
		],
		default: 'serviceDefault',
		description:
			'When the service commits the deletes. Until then, searches still find the documents.',
	},
	options,
]);

export type DeleteParameters = Parameters<typeof deleteProperties>;

export type DeleteOptions = Omit<RunOptions<typeof deleteProperties>, 'chunkCount'>;
