import type { INodeTypeDescription } from 'n8n-workflow';
import type { Page } from 'playwright-core';

import type { Canvas } from '../browser/canvas';
import type { Demo } from '../demo/demo';
import type { WorkflowNode } from '../n8n/workflow';
import type { Checks } from '../shared/checks';

export interface Suite {
	demo: Demo;
	page: Page;
	canvas: Canvas;
	checks: Checks;
	/** n8n's descriptions of our nodes, keyed by name. Checks read labels from here instead of repeating them. */
	nodes: ReadonlyMap<string, INodeTypeDescription>;
}

const START = 'Start';

interface OwnNode {
	name: string;
	type: string;
	onError?: string;
}

/**
 * Stores a workflow with a manual trigger and one of our nodes. The node uses a demo credential.
 * @param items the items that the trigger returns
 * @returns the workflow's ID
 */
export async function saveChain(
	{ demo, nodes }: Suite,
	name: string,
	items: Array<Record<string, unknown>>,
	node: OwnNode,
): Promise<string> {
	const [wanted] = nodes.get(node.type.split('.').at(-1) ?? '')?.credentials ?? [];
	const stored = Object.values(demo.credentials).find(({ type }) => type === wanted?.name);
	const credentials = wanted && stored && { [wanted.name]: { id: stored.id, name: stored.name } };
	const place = (at: number) => ({
		id: `${name}-${at}`,
		typeVersion: 1,
		position: [at * 220, 0],
	});
	const trigger = { name: START, type: 'n8n-nodes-base.manualTrigger', parameters: {} };
	const { id } = await demo.n8n.api.saveWorkflow({
		name: `Editor: ${name}`,
		nodes: [
			{ ...place(0), ...trigger },
			{ ...place(1), ...node, parameters: {}, credentials },
		] as WorkflowNode[],
		connections: { [START]: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
		pinData: { [START]: items.map((json) => ({ json })) },
		settings: { executionOrder: 'v1' },
	});
	return id;
}

/** Creates one of our nodes. The display name is also used as the name of the node. */
export function ownNode({ nodes }: Suite, name: string): OwnNode {
	const description = describe(nodes, name);
	return { name: description.displayName, type: description.name };
}

export function describe(nodes: Suite['nodes'], name: string): INodeTypeDescription {
	const description = nodes.get(name);
	if (!description) throw new Error(`n8n has no node '${name}'`);
	return description;
}
