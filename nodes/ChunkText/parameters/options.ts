import { recommendedFieldProperties } from '../../shared/input/field-mapping';
import {
	bytesPerFileProperty,
	encodingProperty,
	readOptionProperties,
} from '../../shared/input/file-properties';
import { keepListed, keepNone, sourceFieldsToKeepProperty } from '../../shared/input/source-fields';
import { optionsProperty, properties, property, shownFor } from '../../shared/parameters/property';
import { requestProperties } from '../../shared/parameters/request-properties';
import { DEFAULT_RESULTS_PATH, MAX_CHUNK_TEXT_BYTES } from '../../shared/service/chunking/chunking';

const submits = { show: { '/operation': ['submitAndWait', 'submit'] } };
const fetching = { '/operation': ['submitAndWait', 'getResults'] };
const fetches = { show: fetching };
const ofDocuments = { '/output': ['documents', 'perDocument'] };

// index.ts explains why a condition on 'Texts From' or 'Output' also names operations.
const submitAndWait = { '/operation': ['submitAndWait'] };
const getResults = { '/operation': ['getResults'] };
const textsFromFile = { '/textSource': ['file'] };

const itemDocumentOptions = properties([
	{
		displayName: 'Document Description',
		name: 'documentDescription',
		type: 'string',
		default: '={{ $json.description }}',
		placeholder: 'e.g. How to return goods',
		description:
			'Description of each chunk. Without this option, the description in the item is used.',
	},
	{
		displayName: 'Document Fields',
		name: 'documentFields',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"category": "Ladders"}',
		description:
			'JSON object with further fields of each chunk, for filters and for display. The names of other fields of a chunk are not allowed.',
	},
	{
		displayName: 'Document URL',
		name: 'documentUrl',
		type: 'string',
		default: '={{ $json.url }}',
		placeholder: 'e.g. https://example.com/handbook/returns',
		description: 'URL of each chunk. Without this option, the URL in the item is used.',
	},
]);

const whenTimeRunsOut = property({
	displayName: 'When Time Runs Out',
	name: 'whenTimeRunsOut',
	type: 'options',
	options: [
		{
			name: 'Fail With Chunking ID',
			value: 'fail',
			description: 'Unfinished texts fail, and each error includes the chunking ID',
		},
		{
			name: 'Output With Chunking ID',
			value: 'output',
			description:
				'Unfinished texts are returned with their status, so that Get Results can fetch the chunks later',
		},
	],
	default: 'fail',
	description: "What to do with texts that still have no chunks after 'Max Wait (Seconds)'",
});

export const allOptions = optionsProperty([
	{
		displayName: 'Keep Source Fields',
		name: 'keepSourceFields',
		type: 'options',
		options: [
			{
				name: 'All',
				value: 'all',
				description: 'All fields of the input item or record, except the text of a record',
			},
			keepListed,
			keepNone,
		],
		default: 'all',
		description:
			"Which input fields to keep in the output. Without this option, chunks keep no fields. Unfinished texts and the results of 'Submit' keep all fields.",
	},
	sourceFieldsToKeepProperty,
	{
		displayName: 'Vectors',
		name: 'vectors',
		type: 'options',
		options: [
			{
				name: 'Compact',
				value: 'compact',
				description:
					'One string per vector. Push Documents converts the string to numbers. Files always contain lists of numbers.',
			},
			{
				name: 'Number Lists',
				value: 'list',
				description:
					'One list of numbers per vector, for nodes other than Push Documents. Slow to display in the editor.',
			},
			{
				name: 'None',
				value: 'none',
				description: 'No vectors. Full-text search does not need them.',
			},
		],
		default: 'compact',
		description:
			'How to return the embedding vector of each chunk. Semantic search needs vectors, but they make up most of the data.',
		// A model cannot use vectors, so tools never return them.
		displayOptions: { show: fetching, hide: { '@tool': [true] } },
	},
	{
		displayName: 'Output To',
		name: 'outputTo',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Files',
				value: 'files',
				description:
					"JSON Lines files, one item per file, for more chunks than n8n can keep in memory. Push Documents reads them with 'Documents From' set to 'File'.",
			},
			{ name: 'Items', value: 'items', description: 'One item per chunk' },
		],
		default: 'items',
		description: 'How to return the chunks',
		displayOptions: {
			show: { ...fetching, '/output': ['documents', 'chunks'] },
			hide: { '@tool': [true] },
		},
	},
	{
		displayName: 'Chunk Details',
		name: 'chunkDetails',
		type: 'boolean',
		default: false,
		description:
			'Whether to add chunkingId, chunkCount, start, end and tokensUsed to each chunk',
		displayOptions: fetches,
	},
	...shownFor({ show: { ...getResults, ...ofDocuments } }, itemDocumentOptions),
	...shownFor(
		{ show: { ...submitAndWait, ...ofDocuments }, hide: textsFromFile },
		itemDocumentOptions,
	),
	// Submit needs these fields, because Get Results may later return its texts as documents.
	...shownFor(
		{ show: { '/operation': ['submit'], ...textsFromFile } },
		recommendedFieldProperties,
	),
	...shownFor(
		{ show: { ...submitAndWait, ...textsFromFile, '/output': ['documents'] } },
		recommendedFieldProperties,
	),
	{
		displayName: 'Previous Chunk Count',
		name: 'previousChunkCount',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 100_000 },
		default: 0,
		description:
			'Number of chunks that the document had when it was last pushed. Needed to return the IDs of chunks that no longer exist.',
		displayOptions: { show: { ...submitAndWait, ...ofDocuments }, hide: textsFromFile },
	},
	{
		displayName: 'Data Type',
		name: 'dataType',
		type: 'options',
		options: [
			{ name: 'Passage', value: 'passage', description: 'Text that is searched' },
			{ name: 'Query', value: 'query', description: 'Text that people search with' },
		],
		default: 'passage',
		description:
			'How the model should treat the texts. For any other value, use an expression.',
		displayOptions: submits,
	},
	{
		displayName: 'Dimension Reduction Size',
		name: 'dimReductionSize',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 256,
		description:
			'Number of dimensions in each vector, up to the number that the model supports. Fewer dimensions allow more chunks per request. Omitted if 0.',
		displayOptions: submits,
	},
	{
		displayName: 'Vector Quantization Method',
		name: 'vectorQuantizationMethod',
		type: 'options',
		options: [
			{
				name: 'Max Scale',
				value: 'max-scale',
				description: 'Integers from -127 to 127, practically lossless',
			},
			{
				name: 'Min Max',
				value: 'min-max',
				description: 'Integers from 0 to 255, less precise',
			},
		],
		default: 'max-scale',
		description:
			'How to make vectors smaller, which allows more chunks per request. For any other method, use an expression.',
		displayOptions: submits,
	},
	{
		displayName: 'Texts per Request',
		name: 'textsPerRequest',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 10,
		description: 'Maximum number of texts in one request',
		displayOptions: submits,
	},
	{
		displayName: 'Bytes per Request',
		name: 'bytesPerRequest',
		type: 'number',
		typeOptions: { minValue: 1000 },
		default: MAX_CHUNK_TEXT_BYTES,
		description:
			'Maximum number of bytes of text in one request. The service accepts up to about 1 MB.',
		displayOptions: submits,
	},
	...requestProperties(8),
	{
		displayName: 'Max Wait (Seconds)',
		name: 'maxWaitSeconds',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description:
			'How long to wait for the chunks of a request, from its submission on or, in Get Results, from the start of the node',
		displayOptions: fetches,
	},
	// With one item per document, texts without all of their chunks always fail.
	...shownFor({ show: getResults, hide: { '/output': ['perDocument'] } }, [whenTimeRunsOut]),
	...shownFor({ show: submitAndWait, hide: { ...textsFromFile, '/output': ['perDocument'] } }, [
		whenTimeRunsOut,
	]),
	{
		...encodingProperty,
		displayOptions: { show: { ...submits.show, '/textSource': ['file', 'textFile'] } },
	},
	...shownFor({ show: { ...submits.show, ...textsFromFile } }, readOptionProperties),
	// This option applies if the texts come from a file or if the chunks are written to files. `displayOptions` cannot
	// express this "or", so the option is always shown, except in tools.
	{ ...bytesPerFileProperty, displayOptions: { hide: { '@tool': [true] } } },
	{
		displayName: 'Additional Body Fields',
		name: 'additionalBodyFields',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"modelConfig": {"newSetting": true}}',
		description:
			"JSON object to merge into the request body. It must not contain 'batch', because that field contains the texts.",
		displayOptions: submits,
	},
	{
		displayName: 'Results Path',
		name: 'resultsPath',
		type: 'string',
		default: DEFAULT_RESULTS_PATH,
		placeholder: 'e.g. /ai/results/{chunkingId}',
		description: 'Path to fetch the results from. Must contain {chunkingId}.',
		displayOptions: fetches,
	},
]);
