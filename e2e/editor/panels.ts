import type { INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import type { Suite } from './suite';
import { describe, ownNode, saveChain } from './suite';

const WITHOUT_LABEL = new Set(['notice', 'hidden', 'callout', 'button']);

const AGENT = 'Agent';

/** The nodes that agents can use as tools. Each entry lists the parameters that the model fills in by default. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
	pushDocuments: [
		'documentId',
		'documentName',
		'documentDescription',
		'documentUrl',
		'documentText',
	],
	deleteDocument: ['documentId'],
	chunkText: ['text'],
};

/**
 * Checks that a new node's panel contains the right parameters in the right order. test/package/panels.test.ts checks
 * all other cases, without the editor.
 */
export async function panels(suite: Suite): Promise<void> {
	const { canvas, checks, nodes } = suite;
	for (const [name, description] of nodes) {
		const { displayName } = description;
		await canvas.open(await saveChain(suite, displayName, [{}], ownNode(suite, name)));
		await canvas.openNode(displayName);
		const expected = labelsByDefault(description);
		await checks.eventually(
			`${displayName} shows what applies: ${expected}`,
			async () => await canvas.labels(),
			(labels) => labels === expected,
		);
	}
}

function labelsByDefault(description: INodeTypeDescription): string {
	// Some properties are declared a second time for nodes that an AI agent uses as tools.
	const own = description.properties.filter(
		({ displayOptions }) => !displayOptions?.show?.['@tool'],
	);
	const values = Object.fromEntries(own.map(({ name, default: value }) => [name, value]));
	const node = { typeVersion: 1 };
	return description.properties
		.filter(({ type }) => !WITHOUT_LABEL.has(type))
		.filter((property) =>
			NodeHelpers.displayParameter(
				values as Parameters<typeof NodeHelpers.displayParameter>[0],
				property,
				node,
				description,
			),
		)
		.map(({ displayName }) => displayName)
		.join(', ');
}

/** Checks that a node needs no changes after it is attached to an agent by hand. */
export async function tools(suite: Suite): Promise<void> {
	const { canvas, checks, nodes, demo } = suite;
	for (const [name, parameters] of Object.entries(TOOLS)) {
		const { displayName, properties } = describe(nodes, name);
		const { id } = await demo.n8n.api.saveWorkflow(withAgent(displayName));
		await canvas.open(id);
		await canvas.addTool(AGENT, displayName);
		const expected = parameters.map(
			(parameter) => properties.find((one) => one.name === parameter)?.displayName,
		);
		await checks.eventually(
			`${displayName} as a tool shows n8n's marker where the model fills in`,
			async () => await canvas.labels('[data-test-id="fromAI-override-field"]'),
			(labels) => labels === expected.join(', '),
		);
		const labels = (await canvas.labels()).split(', ');
		checks.add(
			`${displayName} as a tool has no two labels that are the same`,
			new Set(labels).size === labels.length,
			labels.join(', '),
		);
	}
}

const withAgent = (tool: string) => ({
	name: `Editor: ${tool} as a tool`,
	nodes: [
		{
			id: 'agent',
			name: AGENT,
			type: '@n8n/n8n-nodes-langchain.agent',
			typeVersion: 3,
			position: [0, 0],
			parameters: {},
		},
	],
	connections: {},
	settings: { executionOrder: 'v1' },
});
