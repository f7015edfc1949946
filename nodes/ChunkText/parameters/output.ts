import {
	notForTools,
	onlyForTools,
	properties,
	property,
} from '../../shared/n8n/parameters/properties';

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
]);
