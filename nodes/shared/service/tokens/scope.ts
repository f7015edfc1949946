import type { INodeProperties } from 'n8n-workflow';

/** The scopes of the service (`merchandising` stands in for a product's name), with what each is for (docs/service-interface.md, Access tokens). */
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
		name: 'Merchandising Rewrites (Name May Differ)',
		value: 'merchandising.rewrites',
		description:
			"Query rewrites of the rules and rewrites service (merchandising.rewrites). If your service has another name for this scope, use 'Custom'.",
	},
	{
		name: 'Merchandising Rules (Name May Differ)',
		value: 'merchandising.rules',
		description:
			"Rules of the rules and rewrites service (merchandising.rules). If your service has another name for this scope, use 'Custom'.",
	},
];

/** The scope that chunking needs (docs/service-interface.md, Access tokens). */
export const DEFAULT_SCOPE = 'machinelearning.predict';

/** The field for a scope, and the one for custom scopes. */
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
		placeholder: 'e.g. machinelearning.predict machinelearning.model',
		// Not required: n8n would demand it as well if the scope is an expression.
		description: 'One or more scopes, separated by spaces',
		displayOptions: { show: { scope: ['custom'] } },
	},
];

/** The scope a credential asks for; '' if its custom one is empty. */
export function scopeOf({
	scope,
	customScope,
}: {
	scope?: unknown;
	customScope?: unknown;
}): string {
	const chosen = scope === 'custom' ? (customScope ?? '') : scope;
	return typeof chosen === 'string' ? chosen.trim() : DEFAULT_SCOPE;
}
