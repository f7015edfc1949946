import type { INodeProperties } from 'n8n-workflow';

/**
 * The service's scopes, each with a display name and a purpose (docs/service-interface.md, Access tokens).
 */
const SCOPES = [
	['commercestudio.rewrites', 'Commerce Studio Rewrites', 'Commerce Studio query rewrites'],
	['commercestudio.rules', 'Commerce Studio Rules', 'Commerce Studio rules'],
	['machinelearning.model', 'Machine Learning Model', 'AI service models'],
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

/** The scope that chunking requires (docs/service-interface.md, Access tokens). */
export const DEFAULT_SCOPE = 'machinelearning.predict';

export const SCOPE_ADVICE = 'Enter a scope, or choose one from the list.';

/** Returns the field for choosing a scope and the field for entering custom scopes. */
export const scopeProperties = (description: string): INodeProperties[] => [
	{
		displayName: 'Scope',
		name: 'scope',
		type: 'options',
		options: [
			{ name: 'Custom', value: 'custom', description: 'Any other scope, or several scopes' },
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
		// This field is not marked as required. Otherwise, n8n would require it even if the scope is an expression.
		description: 'One or more scopes, separated by spaces',
		displayOptions: { show: { scope: ['custom'] } },
	},
];

/**
 * When a node signs a request, the credential's data contains the node's scope under this key. Before version 2.34, n8n
 * stored this data as JSON together with each new token. The key is a symbol, and JSON omits symbols, so the scope is
 * never stored in the credential.
 */
export const SCOPE_OF_NODE = Symbol.for('n8n-nodes-search-ingest.scopeOfNode');

/** A credential's data, either as it is stored or as it is used to sign a node's request. */
export type ScopeData = Readonly<Record<string, unknown>> & { [SCOPE_OF_NODE]?: string };

/** Returns the scope for a request, or '' if the custom scope is empty. */
export function scopeOf(data: ScopeData): string {
	const { scope, customScope } = data;
	const credentialScope = scope === 'custom' ? (customScope ?? '') : scope;
	const requested = data[SCOPE_OF_NODE] ?? credentialScope;
	return typeof requested === 'string' ? requested.trim() : DEFAULT_SCOPE;
}
