import type { Subject, Suite } from './suite';
import { describe } from './suite';

const AGENT = 'Agent';

/** The nodes that agents may have as tools, with the parameters that their model fills in by default. */
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

/** A node that is attached to an agent by hand needs no editing. */
export const tools: Subject = {
	title: 'Attaching tools to an agent',
	async run(suite) {
		for (const [name, parameters] of Object.entries(TOOLS))
			await checkTool(suite, name, parameters);
	},
};

async function checkTool(suite: Suite, name: string, parameters: readonly string[]): Promise<void> {
	const { canvas, checks, nodes, demo } = suite;
	const { displayName, properties } = describe(nodes, name);
	const { id } = await demo.n8n.api.saveWorkflow(withAgent(displayName));
	await canvas.open(id);
	const panel = await canvas.addTool(AGENT, displayName);
	const labels = await panel.labels();
	checks.add(
		`${displayName} as a tool has no two labels that are the same`,
		labels.length > 0 && new Set(labels).size === labels.length,
		labels.join(', '),
	);
	const expected = parameters.map(
		(parameter) => properties.find((one) => one.name === parameter)?.displayName,
	);
	const filledIn = await panel.labelsFilledByModel();
	checks.add(
		`${displayName} as a tool shows n8n's marker where the model fills in`,
		filledIn.join() === expected.join(),
		filledIn.join(', '),
	);
}

/** A workflow with an agent that has no tools yet. */
const withAgent = (tool: string) => {
	const agent = {
		id: 'agent',
		name: AGENT,
		type: '@n8n/n8n-nodes-langchain.agent',
		typeVersion: 3,
		position: [0, 0],
		parameters: {},
	};
	return {
		name: `Editor: ${tool} as a tool`,
		nodes: [agent],
		connections: {},
		settings: { executionOrder: 'v1' },
	};
};
