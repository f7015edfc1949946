import type { INodeProperties } from 'n8n-workflow';

/** The scopes of the service, their names, and what each is for (docs/service-interface.md, Access tokens). */
const SCOPES = [
	['commercestudio.rewrites', 'Commerce Studio Rewrites', 'Query rewrites of Commerce Studio'],
	['commercestudio.rules', 'Commerce Studio Rules', 'Rules of Commerce Studio'],
	['machinelearning.model', 'Machine Learning Model', 'Models of the AI service'],
	[
		'machinelearning.predict',
		'Machine Learning Predict',
		'Chunking, predictions, async predictions, use cases',
	],
	[
		'merchandising.rewrites',
		'Merchandising Rewrites',
		'Query rewrites, for clients with the merchandising scopes',
	],
	[
		'merchandising.rules',
		'Merchandising Rules',
		'Rules, for clients with the merchandising scopes',
	],
] as const;

/** The scope that chunking needs (docs/service-interface.md, Access tokens). */
export const DEFAULT_SCOPE = 'machinelearning.predict';

/** What to do about a scope that is empty. */
export const SCOPE_ADVICE = 'Enter a scope, or choose one from the list.';

/** The field for a scope, and the one for custom scopes. */
export const scopeProperties = (description: string): INodeProperties[] => [
	{
		displayName: 'Scope',
		name: 'scope',
		type: 'options',
		options: [
			{ name: 'Custom', value: 'custom', description: 'Any other scope, or several' },
			...SCOPES.map(([value, name, use]) => ({
				name,
				value,
				description: `${use} (${value})`,
			})),
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

/**
 * Where the data of a node's request has the scope of the node. JSON leaves out what a symbol names: before
 * 2.34, n8n stored all other members with a new token, so the credential would get that scope too.
 */
export const SCOPE_OF_NODE = Symbol.for('n8n-nodes-search-ingest.scopeOfNode');

/** A credential's data, or those of a node's request. */
export type ScopeData = Readonly<Record<string, unknown>> & { [SCOPE_OF_NODE]?: string };

/** The scope of a request; '' if the custom one is empty. */
export function scopeOf(data: ScopeData): string {
	const { scope, customScope } = data;
	const credentialScope = scope === 'custom' ? (customScope ?? '') : scope;
	const requested = data[SCOPE_OF_NODE] ?? credentialScope;
	return typeof requested === 'string' ? requested.trim() : DEFAULT_SCOPE;
}
