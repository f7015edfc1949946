import { Parameters } from '../../shared/parameters/parameters';
import {
	filledByModel,
	notForTools,
	onlyForTools,
	properties,
	property,
	shownFor,
} from '../../shared/parameters/property';
import type { Run } from '../../shared/run/run';
import { fieldProperty, requiredFieldProperties } from '../../shared/input/field-mapping';
import {
	fileProperties,
	fileProperty,
	PER_ITEM_OPTIONS,
	RECORD_FILES,
	textFileDocumentProperties,
} from '../../shared/input/file-properties';
import { scopeProperties } from '../../shared/service/tokens/scope';
import { chunkerProperties } from './chunker';
import { allOptions } from './options';

const output = property({
	displayName: 'Output',
	name: 'output',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Documents Ready to Push',
			value: 'documents',
			description: 'One item per chunk, ready for Push Documents',
		},
		{
			name: 'One Item per Chunk',
			value: 'chunks',
			description: 'Text, position and vector of each chunk',
		},
		{
			name: 'One Item per Document',
			value: 'perDocument',
			description:
				'One item per document. It contains the chunks for Push Documents, and the IDs of chunks that no longer exist.',
			displayOptions: {
				show: { operation: ['submitAndWait'] },
				hide: { textSource: ['file'], '@tool': [true] },
			},
		},
	],
	default: 'documents',
	description: 'What to return for each text',
});

const submits = { show: { operation: ['submitAndWait', 'submit'] } };
const fetching = { operation: ['submitAndWait', 'getResults'] };
const ofDocuments = { output: ['documents', 'perDocument'] };

const itemDocumentProperties = properties([
	...filledByModel({
		displayName: 'Document ID',
		name: 'documentId',
		type: 'string',
		default: '={{ $json.id }}',
		required: true,
		placeholder: 'e.g. handbook/returns.md',
		description:
			'ID of the document that the text belongs to. The chunks of document "a" get the IDs a#0, a#1 and so on.',
	}),
	...filledByModel(
		{
			displayName: 'Document Name',
			name: 'documentName',
			type: 'string',
			default: '={{ $json.name }}',
			required: true,
			placeholder: 'e.g. Returns',
			description: 'Name of the document and of each of its chunks',
		},
		'Title of the document that the text belongs to',
	),
]);

export const allProperties = properties([
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		// The first operation in this list also comes first in n8n's node search.
		options: [
			{
				name: 'Submit and Wait',
				value: 'submitAndWait',
				action: 'Chunk text',
				description: 'Split texts into chunks and wait for the results',
			},
			{
				name: 'Submit',
				value: 'submit',
				action: 'Submit text for chunking',
				description: 'Submit texts and return their chunking IDs immediately',
			},
			{
				name: 'Get Results',
				value: 'getResults',
				action: 'Get chunking results',
				description: 'Fetch the chunks of submitted texts by chunking ID',
			},
		],
		default: 'submitAndWait',
	},
	...shownFor(submits, [
		{
			displayName: 'Texts From',
			name: 'textSource',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'File',
					value: 'file',
					description: `Read one text per record from a file of any size (${RECORD_FILES.text})`,
					// AI agents pass only JSON to a tool, so a tool cannot read a file.
					displayOptions: { hide: { '@tool': [true] } },
				},
				{
					name: 'One Text per Item',
					value: 'item',
					description: 'Each input item contains one text',
				},
				{
					name: 'Text File',
					value: 'textFile',
					description:
						'Each input item has a file that contains one text, e.g. .txt or .md',
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
				description: 'The text to chunk, or a list with the pages of one document',
				displayOptions: { show: { textSource: ['item'] } },
			},
			'The complete text to split',
		),
		{ ...fileProperty, displayOptions: { show: { textSource: ['file', 'textFile'] } } },
		...fileProperties(RECORD_FILES, { textSource: ['file'] }),
		{
			...fieldProperty('text', 'Text', 'body'),
			displayOptions: { show: { textSource: ['file'] } },
		},
	]),
	// While a panel is open, the editor keeps the values of parameters that it no longer shows. Get Results has no
	// 'Texts From', and Submit has no 'Output'. So a condition on one of them also names the operations that have it. A
	// parameter that applies to other operations too is declared once more for them.
	//
	// Submit needs the ID and the name because Get Results may later return its texts as documents.
	...shownFor({ show: { operation: ['submit'], textSource: ['file'] } }, requiredFieldProperties),
	...shownFor(
		{ show: { operation: ['submitAndWait'], textSource: ['file'], output: ['documents'] } },
		requiredFieldProperties,
	),
	...shownFor({ show: { operation: ['getResults'] } }, [
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
			'Chunking ID of the request, as returned when the text was submitted',
		),
		...filledByModel(
			{
				displayName: 'Text Position',
				name: 'textPosition',
				type: 'string',
				default: '={{ $json.textPosition }}',
				placeholder: 'e.g. 0',
				description:
					"Zero-based position of the text in its request, as returned by 'Submit'. Leave empty if the request contains only one text.",
			},
			'Position of the text in the request, as returned when the text was submitted',
			true,
		),
		{
			displayName: 'Wait for Results',
			name: 'wait',
			type: 'boolean',
			default: false,
			description:
				'Whether to wait until the chunks are ready. Otherwise, unfinished texts are returned with their status.',
		},
	]),
	...shownFor({ show: { operation: ['getResults'], ...ofDocuments } }, itemDocumentProperties),
	...shownFor(
		{ show: { operation: ['submitAndWait'], ...ofDocuments, textSource: ['item'] } },
		itemDocumentProperties,
	),
	...shownFor(
		{ show: { operation: ['submitAndWait'], ...ofDocuments, textSource: ['textFile'] } },
		textFileDocumentProperties,
	),
	...shownFor(submits, chunkerProperties),
	...shownFor({ show: fetching }, [
		notForTools(output),
		// A model that only wants to split a text has no ID or name for the text. So the default for tools is
		// plain chunks.
		onlyForTools({ ...output, default: 'chunks' }),
	]),
	...scopeProperties(
		'Scope of the access token. Chunking requires the Machine Learning Predict scope.',
	).map((field) => ({ ...field, noDataExpression: true })),
	allOptions,
]);

export type ChunkParameters = Parameters<typeof allProperties>;

const OPTIONS_PER_ITEM = [
	'documentDescription',
	'documentFields',
	'documentUrl',
	'dataType',
	'dimReductionSize',
	'vectorQuantizationMethod',
	'previousChunkCount',
	'additionalBodyFields',
	'descriptionField',
	'urlField',
	...PER_ITEM_OPTIONS,
] as const;

/**
 * @returns the options. `vectors` is `none` in a tool, and never `compact` if the chunks go to files.
 *   `keepSourceFields` is undefined if the user has not added that option.
 */
function optionsOf(parameters: ChunkParameters, isTool: boolean) {
	const options = parameters.collection('options', OPTIONS_PER_ITEM);
	const { outputTo, vectors, keepSourceFields } = options;
	const inFiles = outputTo === 'files' && vectors === 'compact' ? 'list' : vectors;
	const isChosen = parameters.membersAdded('options').has('keepSourceFields');
	return {
		...options,
		vectors: isTool ? 'none' : inFiles,
		keepSourceFields: isChosen ? keepSourceFields : undefined,
	};
}

export type ChunkOptions = ReturnType<typeof optionsOf>;

/** The output for a text: documents that are ready to push, plain chunks, or one item per document. */
type OutputMode = 'documents' | 'chunks' | 'perDocument';

export interface ChunkTask {
	readonly run: Run;
	readonly parameters: ChunkParameters;
	readonly options: ChunkOptions;
	readonly mode: OutputMode;
	/**
	 * The word for success in hints, and the name of the success count in a file's summary. If texts are only submitted,
	 * the node returns chunking IDs instead of chunks.
	 */
	readonly done: 'chunked' | 'submitted';
}

/** Reads the task of a run from the node's parameters. */
export function taskOf(run: Run, done: ChunkTask['done']): ChunkTask {
	const parameters: ChunkParameters = new Parameters(run.context, allProperties);
	const options = optionsOf(parameters, run.isTool);
	return { run, parameters, options, mode: parameters.get('output', 0), done };
}
