import {
	fieldProperty,
	listFieldProperty,
	requiredFieldProperties,
} from '../../shared/n8n/sources/document-fields';
import {
	fileProperties,
	RECORD_FILES,
	textFileDocumentProperties,
	textFileProperty,
} from '../../shared/n8n/sources/file-properties';
import { filledByModel, properties, shownFor } from '../../shared/n8n/parameters/properties';

/** Which texts to chunk. */
export const textProperties = properties([
	{
		displayName: 'Texts From',
		name: 'textSource',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'File',
				value: 'file',
				description: `Each input item has a file of any size with a text in each record: ${RECORD_FILES.text}`,
				// AI agents only pass on JSON.
				displayOptions: { hide: { '@tool': [true] } },
			},
			{
				name: 'List in a Field',
				value: 'list',
				description: 'Each input item has a field with a list of texts',
			},
			{
				name: 'One Text per Item',
				value: 'item',
				description: 'Each input item has one text',
			},
			{
				name: 'Text File',
				value: 'textFile',
				description: 'Each input item has a file, such as .txt or .md, that is one text',
				displayOptions: { hide: { '@tool': [true] } },
			},
		],
		default: 'item',
		description: 'Where to read the texts from',
	},
	...filledByModel(
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
		'The complete text to split',
	),
	{
		...listFieldProperty('texts', 'texts', 'paragraphs'),
		displayOptions: { show: { textSource: ['list'] } },
	},
	{ ...textFileProperty, displayOptions: { show: { textSource: ['textFile'] } } },
	...fileProperties(RECORD_FILES, { textSource: ['file'] }),
	{
		...fieldProperty('text', 'Text', 'body'),
		displayOptions: { show: { textSource: ['file'] } },
	},
	...shownFor(
		// Submit has no output, but Get Results may need the documents later.
		{ show: { textSource: ['file'] }, hide: { output: ['chunks', 'perDocument'] } },
		requiredFieldProperties,
	),
]);

const ofDocuments = { output: ['documents', 'perDocument'] };

/** The document of an item, for outputs that are ready to push. */
export const documentProperties = shownFor(
	{ show: ofDocuments, hide: { textSource: ['file', 'textFile'] } },
	[
		...filledByModel({
			displayName: 'Document ID',
			name: 'documentId',
			type: 'string',
			default: '={{ $json.id }}',
			required: true,
			placeholder: 'e.g. handbook/returns.md',
			description:
				'ID of the document that the text belongs to. The chunks of "a" get the IDs a#0, a#1 and so on.',
		}),
		...filledByModel(
			{
				displayName: 'Document Name',
				name: 'documentName',
				type: 'string',
				default: '={{ $json.name }}',
				required: true,
				placeholder: 'e.g. Returns',
				description: 'Name of each chunk of the document',
			},
			'Title of the document that the text belongs to',
		),
	],
);

/** The document of a text file. */
export const fileDocumentProperties = shownFor(
	{ show: { ...ofDocuments, textSource: ['textFile'] } },
	textFileDocumentProperties,
);

/** Which earlier request to fetch. */
export const previousRequestProperties = properties([
	...filledByModel(
		{
			displayName: 'Chunking ID',
			name: 'chunkingId',
			type: 'string',
			default: '={{ $json.chunkingId }}',
			required: true,
			placeholder: 'e.g. 3f0a5c1e-7a0f-4b60-9d65-1f4f0c2b7a11',
			description: "Chunking ID of the request, as returned by 'Submit'",
		},
		'Chunking ID of the request, as it was returned when the text was submitted',
	),
	...filledByModel(
		{
			displayName: 'Text Position',
			name: 'textPosition',
			type: 'string',
			default: '={{ $json.textPosition }}',
			placeholder: 'e.g. 0',
			description:
				"Zero-based position of the text in its request, as returned by 'Submit'. Can be empty if the request has one text.",
		},
		'Position of the text in the request, as it was returned when the text was submitted',
		true,
	),
	{
		displayName: 'Wait for Results',
		name: 'wait',
		type: 'boolean',
		default: false,
		description:
			'Whether to wait until the chunks are ready. If off, items whose chunks are not ready are returned with their status.',
	},
]);
