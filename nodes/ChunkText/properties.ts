import type { INodeProperties } from 'n8n-workflow';

import { optionsProperties } from './properties/options';
import { outputProperties } from './properties/output';
import { modelProperties, settingsProperties } from './properties/settings';
import { textProperties } from './properties/text';

/** Parameters of Chunk Text. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Get Results',
				value: 'getResults',
				action: 'Get results of chunking',
				description: 'Fetch what an earlier Submit has started, by its chunking ID',
			},
			{
				name: 'Submit',
				value: 'submit',
				action: 'Submit text for chunking',
				description: 'Start chunking and go on at once with the chunking ID',
			},
			{
				name: 'Submit and Wait',
				value: 'submitAndWait',
				action: 'Chunk text and wait for chunks',
				description: 'Start chunking and wait until the chunks are there',
			},
		],
		default: 'submitAndWait',
	},
	...textProperties,
	...settingsProperties,
	...outputProperties,
	...modelProperties,
	...optionsProperties,
];
