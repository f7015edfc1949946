import type { IDisplayOptions } from 'n8n-workflow';

import {
	filledByModel,
	notForTools,
	onlyForTools,
	properties,
	property,
	shownFor,
} from '../../shared/n8n/parameters/properties';
import { textFileDocumentProperties } from '../../shared/n8n/sources/file-properties';

const documents = { show: { output: ['documents', 'perDocument'] } };

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
				'Each with a list of its chunks, ready for Push Documents, and of the IDs of chunks that no longer exist. An empty text is a document without chunks.',
			displayOptions: {
				show: { operation: ['submitAndWait'] },
				hide: { textSource: ['file'], '@tool': [true] },
			},
		},
	],
	default: 'documents',
	description: 'What to return for a text',
});

/** What to return. */
export const outputProperties = properties([
	notForTools(output),
	// A model that only wants a text to be split has no ID and no name for it.
	onlyForTools({ ...output, default: 'chunks' }),
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
					"JSON Lines, one item per file. For more chunks than n8n can keep in memory; Push Documents reads them with 'Documents From' set to 'File'.",
			},
			{
				name: 'Items',
				value: 'items',
				description: 'One item per chunk',
			},
		],
		default: 'items',
		description: 'Where to put the chunks',
		// Tools return only JSON.
		displayOptions: { hide: { output: ['perDocument'], '@tool': [true] } },
	},
	{
		displayName: 'Vectors',
		name: 'vectors',
		type: 'options',
		options: [
			{
				name: 'Compact',
				value: 'compact',
				description:
					'Push Documents sends them as numbers. Until then each is a text in the last column of the table; in files a list of numbers.',
			},
			{
				name: 'Number Lists',
				value: 'list',
				description: 'For other nodes. Slow to show in the editor.',
				// In files they always are.
				displayOptions: { hide: { outputTo: ['files'] } },
			},
			{
				name: 'None',
				value: 'none',
				description: 'For full-text search',
			},
		],
		default: 'compact',
		description:
			'Whether to return the embedding vector of each chunk. Semantic search needs vectors, but they are most of the data.',
		// AI agents never get vectors: a model cannot use them.
		displayOptions: { hide: { '@tool': [true] } },
	},
]);

/** The document of an item, for outputs that are ready to push. */
export const documentProperties = properties([
	...filledByModel(
		{
			displayName: 'Document ID',
			name: 'documentId',
			type: 'string',
			default: '={{ $json.id }}',
			required: true,
			placeholder: 'e.g. handbook/returns.md',
			description:
				'ID of the document the text belongs to. The chunks of "a" get the IDs a#0, a#1 and so on.',
			displayOptions: documents,
		},
		'ID of the document that the text belongs to',
	),
	...filledByModel(
		{
			displayName: 'Document Name',
			name: 'documentName',
			type: 'string',
			default: '={{ $json.name }}',
			required: true,
			placeholder: 'e.g. Returns',
			description: 'Name of each chunk of the document',
			displayOptions: documents,
		},
		'Title of the document that the text belongs to',
	),
]);

/** The same where texts may also come from a file, whose records say it themselves. */
export const documentPropertiesOfItems = [
	...documentProperties.map((declared) => ({
		...declared,
		displayOptions: {
			...declared.displayOptions,
			hide: {
				...(declared.displayOptions as IDisplayOptions).hide,
				textSource: ['file', 'textFile'],
			},
		},
	})),
	...shownFor(
		{ show: { ...documents.show, textSource: ['textFile'] } },
		textFileDocumentProperties,
	),
];
