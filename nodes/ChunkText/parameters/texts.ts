import { documentFieldProperties } from '../../shared/n8n/sources/document-fields';
import { fileProperties, RECORD_FILES } from '../../shared/n8n/sources/file-properties';
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
				description: `Files with one record per text, not .txt or .md files: ${RECORD_FILES.text}, of any size`,
				// AI agents only pass on JSON.
				displayOptions: { hide: { '@tool': [true] } },
			},
			{
				name: 'List in a Field',
				value: 'list',
				description: 'A field of each input item has a list of texts',
			},
			{
				name: 'One Text per Item',
				value: 'item',
				description:
					"Each input item has one text. For .txt and .md files put n8n's Extract from File before this node.",
			},
		],
		default: 'item',
		description: 'Where the texts are',
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
		displayName: 'List Field',
		name: 'textsField',
		type: 'string',
		default: 'texts',
		required: true,
		placeholder: 'e.g. paragraphs',
		description: 'Name of the field that has the list of texts, or an expression for the list',
		requiresDataPath: 'single',
		displayOptions: { show: { textSource: ['list'] } },
	},
]);

const file = { show: { textSource: ['file'] } };
/** Hidden only by outputs that need no documents: Submit has no output, but Get Results may need them later. */
const fileDocuments = {
	show: { textSource: ['file'] },
	hide: { output: ['chunks', 'perDocument', 'texts', 'raw'] },
};

/** Where the texts are in a file, and the documents they belong to. */
export const fileTextProperties = properties([
	...fileProperties(RECORD_FILES, file.show),
	{
		displayName: 'Text Field',
		name: 'textField',
		type: 'string',
		default: 'text',
		required: true,
		placeholder: 'e.g. body',
		description: 'Field or column with the text, e.g. body or content.body',
		displayOptions: file,
	},
	...shownFor(fileDocuments, documentFieldProperties),
]);
