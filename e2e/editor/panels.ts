import type { INodeParameters, INodeProperties, INodeTypeDescription } from 'n8n-workflow';
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
 * Checks that a panel contains the right parameters in the right order, in a new node and after a change.
 * test/package/panels.test.ts checks all other cases, without the editor.
 */
export async function panels(suite: Suite): Promise<void> {
	const { canvas, checks, nodes } = suite;
	for (const [name, description] of nodes) {
		const { displayName } = description;
		await canvas.open(await saveChain(suite, displayName, [{}], ownNode(suite, name)));
		await canvas.openNode(displayName);
		const expected = labelsOf(shownWith(description));
		await checks.eventually(
			`${displayName} shows what applies: ${expected}`,
			async () => await canvas.labels(),
			(labels) => labels === expected,
		);
	}
	await checkChangedPanel(suite);
}

/** While a panel is open, the editor keeps 'Texts From', although Get Results does not have this parameter. */
async function checkChangedPanel(suite: Suite): Promise<void> {
	const { canvas, checks, nodes } = suite;
	const description = describe(nodes, 'chunkText');
	const node = ownNode(suite, 'chunkText');
	await canvas.open(await saveChain(suite, `${node.name} changes`, [{}], node));
	await canvas.openNode(node.name);
	for (const [name, value] of [
		['textSource', 'file'],
		['operation', 'getResults'],
	])
		await canvas.choose(name, choiceOf(description, name, value));
	const values = { operation: 'getResults' };
	const shown = shownWith(description, values);
	const options = shown.find(({ name }) => name === 'options')?.options as INodeProperties[];
	const expected = [labelsOf(shown), labelsOf(shownWith(description, values, options))];
	await checks.eventually(
		`Get Results shows what applies, right after 'File' in 'Texts From': ${expected.join('; ')}`,
		async () => [await canvas.labels(), await canvas.options()].join('; '),
		(labels) => labels === expected.join('; '),
	);
}

/** Returns the properties that apply to a node with these values. All other parameters have their defaults. */
function shownWith(
	description: INodeTypeDescription,
	changed: INodeParameters = {},
	properties = description.properties,
): INodeProperties[] {
	// Some properties are declared a second time for nodes that an AI agent uses as tools.
	const own = description.properties.filter(
		({ displayOptions }) => !displayOptions?.show?.['@tool'],
	);
	const defaults = Object.fromEntries(own.map(({ name, default: value }) => [name, value]));
	const values = { ...defaults, ...changed } as INodeParameters;
	const node = { typeVersion: 1 };
	return properties.filter((property) =>
		NodeHelpers.displayParameter(values, property, node, description, values),
	);
}

const labelsOf = (properties: INodeProperties[]): string =>
	properties
		.filter(({ type }) => !WITHOUT_LABEL.has(type))
		.map(({ displayName }) => displayName)
		.join(', ');

function choiceOf({ properties }: INodeTypeDescription, name: string, value: string): string {
	const { options = [] } = properties.find((one) => one.name === name) ?? {};
	const choice = options.find((one) => 'value' in one && one.value === value);
	if (!choice) throw new Error(`'${name}' has no choice '${value}'`);
	return choice.name;
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
