import type { INodeProperties } from 'n8n-workflow';

/** The scopes the interface names, with what each is for (spec, Token request). */
export const SCOPES = [
	{
		name: 'Machine Learning Model',
		value: 'machinelearning.model',
		description: 'Model endpoint of the AI service (machinelearning.model)',
	},
	{
		name: 'Machine Learning Predict',
		value: 'machinelearning.predict',
		description:
			'Use cases, predictions and chunking of the AI service (machinelearning.predict)',
	},
	{
		name: 'Merchandising Rewrites',
		value: 'merchandising.rewrites',
		description: 'Query rewrites of the rules and rewrites service (merchandising.rewrites)',
	},
	{
		name: 'Merchandising Rules',
		value: 'merchandising.rules',
		description: 'Rules of the rules and rewrites service (merchandising.rules)',
	},
];

export const DEFAULT_SCOPE = 'machinelearning.predict';

/** The field for a scope, and the one for a scope of the user's own. */
export const scopeProperties = (description: string): INodeProperties[] => [
	{
		displayName: 'Scope',
		name: 'scope',
		type: 'options',
		options: [
			{ name: 'Custom', value: 'custom', description: 'One or more scopes of your own' },
			...SCOPES,
		],
		default: DEFAULT_SCOPE,
		description,
	},
	{
		displayName: 'Custom Scope',
		name: 'customScope',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. machinelearning.predict machinelearning.model',
		description: 'Several scopes are separated by spaces',
		displayOptions: { show: { scope: ['custom'] } },
	},
];
