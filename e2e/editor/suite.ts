import type { Browser, Page } from 'playwright-core';
import type { INodeTypeDescription } from 'n8n-workflow';

import type { Canvas } from '../browser/canvas';
import type { Demo } from '../demo/demo';
import type { Item } from '../n8n/execution';
import type { StoredWorkflow, WorkflowNode } from '../n8n/workflow';
import type { Checks } from '../shared/checks';

/** What the checks of the editor work with. */
export interface Suite {
	demo: Demo;
	browser: Browser;
	page: Page;
	canvas: Canvas;
	checks: Checks;
	/** Our nodes as n8n describes them, by name. Labels are taken from here, not repeated. */
	nodes: ReadonlyMap<string, INodeTypeDescription>;
}

/** One part of the editor that is checked. */
export interface Subject {
	title: string;
	run(suite: Suite): Promise<void>;
}

/** The name of the trigger in workflows of `saveChain`. */
export const START = 'Start';

/** A node of a chain: its type and what differs from the defaults. */
export interface ChainNode {
	name: string;
	type: string;
	parameters?: Record<string, unknown>;
	onError?: string;
}

const STEP_PX = 220;

/**
 * Stores a workflow: a manual trigger, then nodes one after the other with the demo's credentials.
 * @param items what the trigger returns
 */
export async function saveChain(
	suite: Suite,
	name: string,
	items: Array<Record<string, unknown>>,
	chain: ChainNode[],
): Promise<StoredWorkflow> {
	const trigger: ChainNode = { name: START, type: 'n8n-nodes-base.manualTrigger' };
	const nodes = [trigger, ...chain].map((node, position) => ({
		id: `${name}-${position}`,
		typeVersion: versionOf(node.type),
		position: [position * STEP_PX, 0],
		...node,
		parameters: node.parameters ?? {},
		...credentialsOf(suite, node.type),
	}));
	const connections = Object.fromEntries(
		nodes
			.slice(1)
			.map((node, position) => [
				nodes[position].name,
				{ main: [[{ node: node.name, type: 'main', index: 0 }]] },
			]),
	);
	const pinned: Item[] = items.map((json) => ({ json }));
	return await suite.demo.n8n.api.saveWorkflow({
		name: `Editor: ${name}`,
		nodes: nodes as WorkflowNode[],
		connections,
		pinData: { [START]: pinned },
		settings: { executionOrder: 'v1' },
	});
}

/** The versions of n8n's own nodes that chains use, if not 1. */
const VERSIONS: Readonly<Record<string, number>> = {
	'n8n-nodes-base.set': 3.4,
	'n8n-nodes-base.wait': 1.1,
};

function versionOf(type: string): number {
	return VERSIONS[type] ?? 1;
}

function credentialsOf({ nodes, demo }: Suite, type: string): object {
	const wanted = nodes.get(type.split('.').at(-1) ?? '')?.credentials?.[0]?.name;
	const stored = Object.values(demo.credentials).find((one) => one.type === wanted);
	if (wanted === undefined || stored === undefined) return {};
	return { credentials: { [wanted]: { id: stored.id, name: stored.name } } };
}

/** A node of this package in a chain, called by its display name. */
export function ownNode(
	{ nodes }: Suite,
	name: string,
	parameters: Record<string, unknown> = {},
	more: Partial<ChainNode> = {},
): ChainNode {
	const description = describe(nodes, name);
	return { name: description.displayName, type: description.name, parameters, ...more };
}

/**
 * The description of one of our nodes.
 * @throws Error if n8n does not have it
 */
export function describe(nodes: Suite['nodes'], name: string): INodeTypeDescription {
	const description = nodes.get(name);
	if (!description) throw new Error(`n8n has no node '${name}'`);
	return description;
}
