import {
	bytesPerFileProperty,
	delimiterProperty,
	maxRecordsProperty,
	skipRecordsProperty,
} from '../../shared/n8n/sources/file-properties';
import { optionsProperty, properties, property } from '../../shared/n8n/parameters/properties';
import { requestProperties } from '../../shared/n8n/session/request-options';
import { DEFAULT_RESULTS_PATH } from '../../shared/service/chunking/chunking';
import { MAX_CHUNK_TEXT_BYTES } from '../../shared/service/limits';
import { modelOptions, submits } from './model';

const fetches = { show: { '/operation': ['submitAndWait', 'getResults'] } };
const toFiles = {
	show: { '/operation': ['submitAndWait', 'getResults'], '/outputTo': ['files'] },
};
const fromItems = {
	show: { '/operation': ['submitAndWait', 'submit'], '/textSource': ['item', 'list'] },
};
const fromFile = {
	show: { '/operation': ['submitAndWait', 'submit'], '/textSource': ['file'] },
};
const chunksFile = { show: { '/operation': ['submitAndWait'], '/textSource': ['file'] } };
const notFromFile = { hide: { '/textSource': ['file'] } };
/** Files are returned for texts from a file, and where chunks go to files. */
const filesAreReturned = [
	fromFile,
	{ show: { '/operation': ['submitAndWait'], '/outputTo': ['files'] }, ...notFromFile },
	{ show: { '/operation': ['getResults'], '/outputTo': ['files'] } },
];
const bytesPerReturnedFile = property({
	...bytesPerFileProperty,
	description:
		'Maximum size of a file that the node returns. A larger record gets a file of its own.',
});
const documentsOfItems = {
	show: {
		'/operation': ['submitAndWait', 'getResults'],
		'/output': ['documents', 'perDocument'],
	},
	...notFromFile,
};
const onlySubmitAndWait = { show: { '/operation': ['submitAndWait'] } };

/** What to return, and the document of an item. */
const resultOptions = properties([
	{
		displayName: 'Keep Source Fields',
		name: 'sourceFields',
		type: 'options',
		options: [
			{ name: 'All', value: 'all', description: 'All fields of the input item' },
			{
				name: 'Listed',
				value: 'listed',
				description: "Those in 'Source Fields to Keep'",
			},
			{ name: 'None', value: 'none', description: 'Only what this node returns' },
		],
		default: 'all',
		description:
			'Which fields of the input item to keep in the output. If not added, Submit keeps all and the other operations none.',
	},
	{
		displayName: 'Source Fields to Keep',
		name: 'listedFields',
		type: 'string',
		default: '',
		placeholder: 'e.g. name, category',
		description: 'Names of fields, separated by commas',
		requiresDataPath: 'multiple',
		displayOptions: { show: { sourceFields: ['listed'] } },
	},
	{
		displayName: 'Document Description',
		name: 'documentDescription',
		type: 'string',
		default: '={{ $json.description }}',
		placeholder: 'e.g. How to return goods',
		description:
			"Description of each chunk of the document. If not added, the item's own field of that name. Omitted if empty.",
		displayOptions: documentsOfItems,
	},
	{
		displayName: 'Document URL',
		name: 'documentUrl',
		type: 'string',
		default: '={{ $json.url }}',
		placeholder: 'e.g. https://example.com/handbook/returns',
		description:
			"URL of each chunk of the document. If not added, the item's own field of that name. Omitted if empty.",
		displayOptions: documentsOfItems,
	},
	{
		displayName: 'Previous Chunk Count',
		name: 'previousChunkCount',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 100_000 },
		default: 0,
		description:
			"How many chunks the document had when it was last pushed; with a list of texts, each of them, up to 100,000 in total. Chunks that no longer exist are returned for Delete Document: as items with 'removed' set or, with One Item per Document, in 'removedIds'.",
		displayOptions: {
			show: {
				'/operation': ['submitAndWait'],
				'/output': ['documents', 'perDocument'],
			},
			...notFromFile,
		},
	},
]);

const requestOptions = properties([
	{
		displayName: 'Texts per Request',
		name: 'textsPerRequest',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 10,
		description:
			'Maximum number of texts in one request. A smaller number spreads the work over more jobs.',
		displayOptions: submits,
	},
	{
		displayName: 'Bytes per Request',
		name: 'bytesPerRequest',
		type: 'number',
		typeOptions: { minValue: 1000 },
		default: MAX_CHUNK_TEXT_BYTES,
		description:
			'Maximum bytes of text in one request, not counting the JSON around it. The service accepts about 1 MB.',
		displayOptions: submits,
	},
	...requestProperties(8),
	{
		displayName: 'Isolate Failing Texts',
		name: 'isolateFailingTexts',
		type: 'boolean',
		default: true,
		description:
			'Whether to submit the texts of a request that ended in ERROR again one by one, in case one bad text has failed the others. Only after another request of the run has succeeded, and not if the node stops on errors.',
		displayOptions: onlySubmitAndWait,
	},
	{
		displayName: 'Additional Body Fields',
		name: 'additionalFields',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"modelConfig": {"newSetting": true}}',
		description:
			'JSON object with fields to add to the request body, also within modelConfig, useCaseConfig and chunkerConfig',
		displayOptions: submits,
	},
	{
		displayName: 'Additional Text Fields',
		name: 'additionalTextFields',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"language": "en"}',
		description:
			"JSON object with fields to send beside 'text' in each element of the batch. With a list of texts also a JSON list with one object per text.",
		displayOptions: fromItems,
	},
	{
		displayName: 'Additional Text Fields',
		name: 'additionalTextFieldNames',
		type: 'string',
		default: '',
		placeholder: 'e.g. language, meta.source',
		description:
			"Names or dotted paths of fields of the record, separated by commas, to send beside 'text' in its element of the batch",
		requiresDataPath: 'multiple',
		displayOptions: fromFile,
	},
]);

const waitingOptions = properties([
	{
		displayName: 'Max Wait (Seconds)',
		name: 'maxWaitSeconds',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 1 },
		default: 300,
		description:
			'How long to wait for chunks before the node stops polling. Counted from the submission of each request.',
		displayOptions: fetches,
	},
	{
		displayName: 'When Time Runs Out',
		name: 'whenTimeRunsOut',
		type: 'options',
		options: [
			{
				name: 'Fail With Chunking ID',
				value: 'fail',
				description: 'Unfinished texts fail with their chunking ID',
			},
			{
				name: 'Output With Chunking ID',
				value: 'output',
				description: 'Unfinished texts are returned with their status, for Get Results',
			},
		],
		default: 'fail',
		description: "What to do with texts that have no chunks after 'Max Wait (Seconds)'",
		displayOptions: fetches,
	},
	{
		displayName: 'First Poll Interval (Seconds)',
		name: 'firstIntervalSeconds',
		type: 'number',
		typeOptions: { minValue: 0.02, numberPrecision: 2 },
		default: 0.5,
		description: 'Time between the first two polls of a job. Each interval is longer.',
		displayOptions: fetches,
	},
	{
		displayName: 'Longest Poll Interval (Seconds)',
		name: 'longestIntervalSeconds',
		type: 'number',
		typeOptions: { minValue: 0.02, numberPrecision: 2 },
		default: 10,
		description:
			'Maximum time between two polls of a job, unless the service asks for more or a poll fails',
		displayOptions: fetches,
	},
	{
		displayName: 'Resume Chunking ID',
		name: 'resumeChunkingId',
		type: 'string',
		default: '={{ $json.chunkingId }}',
		placeholder: 'e.g. {{ $json.chunkingId }}',
		description:
			"If an item has a chunking ID, its chunks are fetched instead of submitting it again. The item's field 'textPosition' says which text of the request it is.",
		displayOptions: { ...onlySubmitAndWait, ...notFromFile },
	},
	{
		displayName: 'Results Path',
		name: 'resultsPath',
		type: 'string',
		default: DEFAULT_RESULTS_PATH,
		placeholder: 'e.g. /ai/results/{chunkingId}',
		description:
			'Path of the results in the AI service. {chunkingId} is replaced by the chunking ID.',
		displayOptions: fetches,
	},
]);

const fileOptions = properties([
	{ ...delimiterProperty, displayOptions: fromFile },
	{
		...skipRecordsProperty,
		description:
			'How many records at the beginning of the file to skip. If a run ended early whose node continues on errors, the error of the file says how many. A node that stopped or was canceled has returned nothing, so skip none then.',
		displayOptions: fromFile,
	},
	{ ...maxRecordsProperty, displayOptions: fromFile },
	...filesAreReturned.map((displayOptions) => ({ ...bytesPerReturnedFile, displayOptions })),
	{
		displayName: 'Keep Order',
		name: 'keepOrder',
		type: 'boolean',
		default: false,
		description:
			'Whether the chunks in the files are in the order of the texts. If off, they are in the order in which their requests finish, which needs less memory and never waits for a slow request.',
		displayOptions: toFiles,
	},
	{
		displayName: 'Texts in Flight',
		name: 'textsInFlight',
		type: 'number',
		typeOptions: { minValue: 2 },
		default: 500,
		description:
			'Maximum number of texts that are read from a file and not yet returned. A larger number keeps the service busier and needs more memory.',
		displayOptions: chunksFile,
	},
	{
		displayName: 'Bytes in Flight',
		name: 'bytesInFlight',
		type: 'number',
		typeOptions: { minValue: 1000 },
		default: 8_000_000,
		description:
			"Maximum bytes of records that are read from a file and not yet returned, all their fields included, at least four times 'Bytes per Request'",
		displayOptions: chunksFile,
	},
]);

/** Rare settings by subject, the everyday ones first, each shown only where it applies. */
export const optionsProperties = properties([
	optionsProperty([
		...resultOptions,
		...modelOptions,
		...requestOptions,
		...waitingOptions,
		...fileOptions,
	]),
]);
