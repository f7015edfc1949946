import type { INodeProperties } from 'n8n-workflow';

import type { Parameters } from '../../shared/n8n/parameters/parameters';
import { properties, property } from '../../shared/n8n/parameters/properties';
import { OWN_OPTIONS } from '../../shared/n8n/sources/file-properties';
import { scopeProperties } from '../../shared/service/tokens/scope';
import { chunkerProperties } from './chunker';
import { modelProperties } from './model';
import { optionsProperties } from './options';
import { outputProperties } from './output';
import {
	documentProperties,
	fileDocumentProperties,
	previousRequestProperties,
	textProperties,
} from './texts';

const operationProperty = property({
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
});

type Operation = (typeof operationProperty)['options'][number]['value'];

/** The same parameters, shown only for these operations. */
const forOperations = <const P extends INodeProperties[]>(operation: Operation[], list: P): P =>
	list.map((declared): INodeProperties => {
		const { show, ...hidden } = declared.displayOptions ?? {};
		return { ...declared, displayOptions: { show: { operation, ...show }, ...hidden } };
	}) as P;

/** All parameters, in the order the editor shows them. */
export const allProperties = properties([
	operationProperty,
	...forOperations(['submitAndWait', 'submit'], textProperties),
	...forOperations(['getResults'], [...previousRequestProperties, ...documentProperties({})]),
	...forOperations(
		['submitAndWait'],
		[...documentProperties({ textSource: ['item', 'list'] }), ...fileDocumentProperties],
	),
	...forOperations(['submitAndWait', 'submit'], [...modelProperties, ...chunkerProperties]),
	...forOperations(['submitAndWait', 'getResults'], outputProperties),
	...scopeProperties(
		'Scope to request the access token for. Chunking needs Machine Learning Predict.',
	).map((field) => ({ ...field, noDataExpression: true })),
	...optionsProperties,
]);

/** The parameters of Chunk Text, for reading. */
export type ChunkParameters = Parameters<typeof allProperties>;

/** The Options collection, as far as it is the same for all items. */
export const optionsOf = (parameters: ChunkParameters) =>
	parameters.collection('options', [
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
	]);

export type ChunkOptions = ReturnType<typeof optionsOf>;
