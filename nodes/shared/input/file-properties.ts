import type { INodeProperties } from 'n8n-workflow';

import { FORMATS, formatsWith, type RecordFormat } from '../formats/format';
import { properties, property, shownFor, type Member, type Values } from '../parameters/property';

interface FileKind {
	formats: readonly RecordFormat[];
	/** List of the formats, such as "CSV, JSON or JSON Lines". */
	text: string;
	autoDetectText: string;
}

const fileKind = (formats: readonly RecordFormat[], autoDetectText: string): FileKind => {
	const text = formats.map((format) => FORMATS[format].name).join(', ');
	return { formats, text: text.replace(/, ([^,]+)$/, ' or $1'), autoDetectText };
};

export const RECORD_FILES = fileKind(
	formatsWith(({ isOnlyIds }) => !isOnlyIds),
	"Detected from the file's extension, MIME type or content",
);

/** Files that contain either one ID per line or records with an ID. */
export const ID_FILES = fileKind(
	formatsWith(() => true),
	"Detected from the file's extension or MIME type. Any other file is read as one ID per line, unless it begins with [ or {.",
);

export const fileProperty = property({
	displayName: 'Input Data Field Name',
	name: 'binaryPropertyName',
	type: 'string',
	typeOptions: { binaryDataProperty: true },
	default: 'data',
	required: true,
	placeholder: 'e.g. attachment_0',
	hint: 'The name of the input field that contains the file',
	description:
		'Name of the binary field that contains the file. To read records from several files, separate the field names with commas. A text file needs a single name.',
});

/** These parameters have separate names because their defaults differ from the defaults of the item parameters. */
export const textFileDocumentProperties = properties([
	{
		displayName: 'Document ID',
		name: 'fileDocumentId',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.path }}',
		hint: 'If empty, the file name without its folder is used',
		description:
			'ID of the document. If this field is empty, the node uses the file name without the folder.',
	},
	{
		displayName: 'Document Name',
		name: 'fileDocumentName',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.title }}',
		hint: 'If empty, the file name without its extension is used',
		description: 'Name of the document',
	},
]);

/**
 * Returns the parameters that describe a file's format.
 *
 * @param show conditions under which the editor shows the parameters
 */
export const fileProperties = (
	{ formats, autoDetectText }: FileKind,
	show: Record<string, string[]>,
) =>
	properties([
		{
			displayName: 'File Format',
			name: 'fileFormat',
			type: 'options',
			options: [
				{ name: 'Auto-Detect', value: 'auto', description: autoDetectText },
				...formats
					.map((value) => {
						const { name, description } = FORMATS[value];
						return { name, value, description };
					})
					.sort((one, other) => one.name.localeCompare(other.name)),
			],
			default: 'auto',
			description: 'Format of the file. The file can be compressed with gzip.',
			displayOptions: { show },
		},
		{
			displayName: 'Path to List',
			name: 'listPath',
			type: 'string',
			default: '',
			placeholder: 'e.g. items.docs',
			description:
				'Dotted path to the list of records in a JSON file. Leave empty if the whole file is the list.',
			displayOptions: {
				show: { ...show, fileFormat: ['auto', ...formatsWith(({ isList }) => isList)] },
			},
		},
	]);

export const bytesPerFileProperty = property({
	displayName: 'Bytes per File',
	name: 'bytesPerFile',
	type: 'number',
	// The maximum exists because n8n stores a file in a single step, so a very large file would block n8n.
	typeOptions: { minValue: 1000, maxValue: 100_000_000 },
	default: 32_000_000,
	description:
		'Maximum size, in bytes, of each file that the node returns. A larger record gets a larger file.',
});

export const encodingProperty = property({
	displayName: 'Encoding',
	name: 'encoding',
	type: 'options',
	options: [
		{
			name: 'Auto-Detect',
			value: 'auto',
			description:
				'Detects UTF-16 by its byte order mark. Otherwise reads each line as UTF-8, or as Windows-1252 if it is not valid UTF-8. After a letter in UTF-8, such a line fails.',
		},
		{ name: 'Big5', value: 'big5', description: 'Traditional Chinese' },
		{ name: 'EUC-JP', value: 'euc-jp', description: 'Japanese' },
		{ name: 'EUC-KR', value: 'euc-kr', description: 'Korean' },
		{ name: 'GB18030, GBK', value: 'gb18030', description: 'Simplified Chinese' },
		{ name: 'IBM866', value: 'ibm866', description: 'Cyrillic, from MS-DOS' },
		{ name: 'ISO-8859-15', value: 'iso-8859-15', description: 'Western European' },
		{ name: 'ISO-8859-2', value: 'iso-8859-2', description: 'Central European' },
		{ name: 'KOI8-R', value: 'koi8-r', description: 'Cyrillic' },
		{
			name: 'Macintosh',
			value: 'macintosh',
			description: 'Western European, as Excel on a Mac writes it',
		},
		{ name: 'Shift JIS', value: 'shift_jis', description: 'Japanese' },
		{ name: 'UTF-16 BE', value: 'utf-16be', description: 'Without a byte order mark' },
		{ name: 'UTF-16 LE', value: 'utf-16le', description: 'Without a byte order mark' },
		{
			name: 'UTF-8',
			value: 'utf-8',
			description: 'A record fails if it has a line that is not UTF-8',
		},
		{ name: 'Windows-1250', value: 'windows-1250', description: 'Central European' },
		{ name: 'Windows-1251', value: 'windows-1251', description: 'Cyrillic' },
		{ name: 'Windows-1252', value: 'windows-1252', description: 'Western European' },
		{ name: 'Windows-1253', value: 'windows-1253', description: 'Greek' },
		{ name: 'Windows-1254', value: 'windows-1254', description: 'Turkish' },
		{ name: 'Windows-1255', value: 'windows-1255', description: 'Hebrew' },
		{ name: 'Windows-1256', value: 'windows-1256', description: 'Arabic' },
		{ name: 'Windows-1257', value: 'windows-1257', description: 'Baltic' },
		{ name: 'Windows-1258', value: 'windows-1258', description: 'Vietnamese' },
	],
	default: 'auto',
	description:
		'Encoding of the text. To use an encoding that is not listed, enter its Encoding Standard label as an expression.',
});

const showForCsv = { show: { '/fileFormat': ['auto', 'csv'] } };

/** Options for reading files, except the encoding. */
export const readOptionProperties = properties([
	...shownFor(showForCsv, [
		{
			displayName: 'CSV Delimiter',
			name: 'delimiter',
			type: 'string',
			default: '',
			placeholder: 'e.g. ;',
			description:
				'Character that separates the cells of a CSV file, or \\t for a tab. If empty, the node detects it from the header row.',
		},
		{
			displayName: 'Quotes',
			name: 'quotes',
			type: 'options',
			options: [
				{
					name: 'None',
					value: 'none',
					description: 'A quote is a character like any other',
				},
				{
					name: 'On',
					value: 'on',
					description: 'Cells can be in double quotes, as spreadsheets write them',
				},
			],
			default: 'on',
			description: 'Whether the cells of a CSV file can be in quotes',
		},
		{
			displayName: 'JSON Columns',
			name: 'jsonColumns',
			type: 'string',
			default: '',
			placeholder: 'e.g. price, inStock, tags, vector',
			requiresDataPath: 'multiple',
			description:
				'Comma-separated names of CSV columns whose cells contain JSON, such as numbers, booleans or lists. All other cells are text.',
		},
	]),
	{
		displayName: 'Skip Records',
		name: 'skipRecords',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'Number of records to skip at the start. To resume a run, use the number in the error or summary of that run.',
	},
	{
		displayName: 'Max Records',
		name: 'maxRecords',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			"Maximum number of records to read after the skipped ones, or 0 for all. The output field 'atEnd' says whether the end of the file was reached.",
	},
]);

export const PER_ITEM_OPTIONS = ['encoding', 'skipRecords', 'maxRecords'] as const;

export type RunOptions<P extends INodeProperties[]> = Omit<
	Values<Member<P, 'options'>>,
	(typeof PER_ITEM_OPTIONS)[number]
>;

/** Options for nodes that write files only for failed records. */
export const fileOptionProperties = properties([...readOptionProperties, bytesPerFileProperty]);
