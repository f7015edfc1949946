import type { INodeProperties } from 'n8n-workflow';

/** The scopes of the service, their names, and what each is for (docs/service-interface.md, Access tokens). */
const SCOPES = [
	['commercestudio.rewrites', 'Commerce Studio Rewrites', 'Query rewrites of Commerce Studio'],
	['commercestudio.rules', 'Commerce Studio Rules', 'Rules of Commerce Studio'],
	['machinelearning.model', 'Machine Learning Model', 'Models of the AI service'],
	[
		'machinelearning.predict',
		'Machine Learning Predict',
		'Use cases, predictions, async predictions and chunking of the AI service',
	],
	[
		'merchandising.rewrites',
		'Merchandising Rewrites',
		'Query rewrites where the service still has the older name of this scope',
	],
	[
		'merchandising.rules',
		'Merchandising Rules',
		'Rules where the service still has the older name of this scope',
	],
] as const;

const OPTIONS = SCOPES.map(([value, name, use]) => ({
	name,
	value,
	description: `${use} (${value})`,
}));

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
			...OPTIONS,
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
export function scopeOf({ scope, customScope }: Readonly<Record<string, unknown>>): string {
	const chosen = scope === 'custom' ? (customScope ?? '') : scope;
	return typeof chosen === 'string' ? chosen.trim() : DEFAULT_SCOPE;
}
