import type { Workflow, WorkflowNode } from '../../e2e/n8n/workflow';
import type { Credentials } from '../../e2e/service/templates';

/** The trigger of every workflow here. */
export const TRIGGER = 'Start';

/** A node of a workflow without branches. */
export interface Step {
	name: string;
	type: string;
	typeVersion?: number;
	parameters?: Record<string, unknown>;
	/** Names of its credentials by type. */
	credentials?: Record<string, string>;
	onError?: string;
}

const OURS = 'n8n-nodes-search-ingest';

/** Names of the credentials. */
export const CREDENTIALS = {
	push: 'Push to the stub',
	sandbox: 'Push to the sandbox',
	ai: 'AI service',
	blobs: 'Blob service',
} as const;

/** Gets a file as a file. */
export const getFile = (url: string): Step => ({
	name: 'Get File',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: { url, options: { response: { response: { responseFormat: 'file' } } } },
});

/** Gets a JSON list as items. */
export const getItems = (url: string): Step => ({
	name: 'Get Items',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: { url, options: {} },
});

/** Push Documents. */
export const push = (parameters: Record<string, unknown>, options = {}): Step => ({
	name: 'Push Documents',
	type: `${OURS}.pushDocuments`,
	parameters: { ...parameters, options },
	credentials: { pushEndpointApi: CREDENTIALS.push },
});

/** Chunk Text with the model whose vectors have 384 numbers, one chunk for each line. */
export const chunk = (parameters: Record<string, unknown>, options = {}): Step => ({
	name: 'Chunk Text',
	type: `${OURS}.chunkText`,
	parameters: {
		modelId: { __rl: true, mode: 'id', value: 'gte-small' },
		chunker: 'dynamic-newline',
		chunkerSettings: { maxChunkSize: 1 },
		...parameters,
		options,
	},
	credentials: { aiServiceOAuth2Api: CREDENTIALS.ai },
	onError: 'continueRegularOutput',
});

/** Lets those items pass that have a field. */
export const having = (field: string): Step => ({
	name: `Has ${field}`,
	type: 'n8n-nodes-base.filter',
	typeVersion: 2.2,
	parameters: {
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
			conditions: [
				{
					id: 'field',
					leftValue: `={{ $json.${field} }}`,
					rightValue: '',
					operator: { type: 'string', operation: 'exists', singleValue: true },
				},
			],
			combinator: 'and',
		},
		options: {},
	},
});

/**
 * A workflow of a trigger and steps one after the other.
 * @throws Error if a step needs a credential that is not there
 */
export function workflowOf(name: string, steps: Step[], credentials: Credentials): Workflow {
	const trigger: Step = { name: TRIGGER, type: 'n8n-nodes-base.manualTrigger' };
	const all = [trigger, ...steps];
	const nodes = all.map((step, at): WorkflowNode & Record<string, unknown> => ({
		id: `${name}-${at}`,
		typeVersion: 1,
		position: [200 * at, 0],
		parameters: {},
		...step,
		credentials: referencesOf(step, credentials),
	}));
	const connections = Object.fromEntries(
		steps.map((step, at) => [
			all[at].name,
			{ main: [[{ node: step.name, type: 'main', index: 0 }]] },
		]),
	);
	return { name, nodes, connections, settings: { executionOrder: 'v1' } };
}

function referencesOf({ credentials = {} }: Step, saved: Credentials) {
	return Object.fromEntries(
		Object.entries(credentials).map(([type, name]) => {
			const credential = saved[name];
			if (!credential) throw new Error(`There is no credential '${name}'`);
			return [type, { id: credential.id, name }];
		}),
	);
}
