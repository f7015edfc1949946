import type { Parameters } from '../../shared/n8n/parameters/parameters';
import {
	notForTools,
	onlyForTools,
	properties,
	property,
	shownFor,
} from '../../shared/n8n/parameters/properties';
import { OWN_OPTIONS } from '../../shared/n8n/sources/file-properties';
import { scopeProperties } from '../../shared/service/tokens/scope';
import { chunkerProperties } from './chunker';
import { options } from './options';
import {
	documentProperties,
	fileDocumentProperties,
	previousRequestProperties,
	textProperties,
} from './texts';

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
				'Each item lists the chunks of a document, ready for Push Documents, and the IDs of chunks that no longer exist. An empty text gives a document without chunks.',
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
const fetches = { show: { operation: ['submitAndWait', 'getResults'] } };

/** All parameters, in the order the editor shows them. */
export const allProperties = properties([
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		// The first one is what n8n's search for nodes offers first.
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
	...shownFor(submits, textProperties),
	...shownFor({ show: { operation: ['getResults'] } }, previousRequestProperties),
	...shownFor(fetches, documentProperties),
	...shownFor({ show: { operation: ['submitAndWait'] } }, fileDocumentProperties),
	...shownFor(submits, chunkerProperties),
	...shownFor(fetches, [
		notForTools(output),
		// A model that only wants a text to be split has no ID and no name for it.
		onlyForTools({ ...output, default: 'chunks' }),
	]),
	...scopeProperties('Scope of the access token. Chunking needs Machine Learning Predict.').map(
		(field) => ({ ...field, noDataExpression: true }),
	),
	options,
]);

/** The parameters of Chunk Text, for reading. */
export type ChunkParameters = Parameters<typeof allProperties>;

/** What each item or file has its own value of. */
const OF_ITEMS = [
	'documentDescription',
	'documentUrl',
	'dataType',
	'dimReductionSize',
	'vectorQuantizationMethod',
	'previousChunkCount',
	'resumeChunkingId',
	'additionalBodyFields',
	'descriptionField',
	'urlField',
	...OWN_OPTIONS,
] as const;

/**
 * Reads the Options collection, as far as it is the same for all items.
 *
 * @returns with vectors as the output has them, and `keepSourceFields` undefined if the user has not said it
 */
export function optionsOf(parameters: ChunkParameters, isTool: boolean) {
	const options = parameters.collection('options', OF_ITEMS);
	const { outputTo, vectors, keepSourceFields } = options;
	const inFiles = outputTo === 'files' && vectors === 'compact' ? 'list' : vectors;
	const isSaid = parameters.isAdded('options', 'keepSourceFields');
	return {
		...options,
		vectors: isTool ? 'none' : inFiles,
		keepSourceFields: isSaid ? keepSourceFields : undefined,
	};
}

export type ChunkOptions = ReturnType<typeof optionsOf>;
