import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import type { NodePanel } from '../browser/node-panel';
import type { Subject, Suite } from './suite';
import { describe, ownNode, saveChain } from './suite';

type Values = Record<string, unknown>;

/** Kinds of properties that the panel shows without a label of their own. */
const WITHOUT_LABEL = new Set(['notice', 'hidden', 'callout', 'button']);

const CUSTOM_API_CALL = '__CUSTOM_API_CALL__';

/** Switching a parameter shows what applies, and nothing else. */
export const parameters: Subject = {
	title: 'Switching parameters',
	async run(suite) {
		for (const name of suite.nodes.keys()) await checkNode(suite, name);
	},
};

async function checkNode(suite: Suite, name: string): Promise<void> {
	const description = describe(suite.nodes, name);
	const { displayName } = description;
	const chain = [ownNode(suite, name)];
	const { id } = await saveChain(suite, `parameters of ${displayName}`, [{}], chain);
	await suite.canvas.open(id);
	const panel = await suite.canvas.openNode(displayName);
	const values = defaultsOf(description);
	await checkLabels(suite, panel, description, values, 'by default');
	await switchAll(suite, panel, description, values, controlsOf(description));
}

/** Switches each control through its options; below an option, the controls that depend on it. */
async function switchAll(
	suite: Suite,
	panel: NodePanel,
	description: INodeTypeDescription,
	values: Values,
	controls: INodeProperties[],
): Promise<void> {
	const [control, ...others] = controls;
	if (control === undefined) return;
	if (!isShown(control, values, description)) {
		await switchAll(suite, panel, description, values, others);
		return;
	}
	const before = values[control.name];
	for (const option of (control.options ?? []) as INodePropertyOptions[]) {
		// n8n adds this one and hides everything else for it.
		if (option.value === CUSTOM_API_CALL) continue;
		// One that does not apply to what is chosen elsewhere, such as an output of another operation.
		if (!isShown(option, values, description)) continue;
		await panel.choose(control.name, option.name);
		values[control.name] = option.value;
		await checkLabels(
			suite,
			panel,
			description,
			values,
			`with ${control.displayName} = ${option.name}`,
		);
		const dependent = others.filter((one) => dependsOn(one, control));
		if (option.value !== before) await switchAll(suite, panel, description, values, dependent);
	}
	const usual = (control.options as INodePropertyOptions[]).find(({ value }) => value === before);
	if (usual) await panel.choose(control.name, usual.name);
	values[control.name] = before;
	await switchAll(suite, panel, description, values, others);
}

async function checkLabels(
	{ checks }: Suite,
	panel: NodePanel,
	description: INodeTypeDescription,
	values: Values,
	when: string,
): Promise<void> {
	const expected = description.properties
		.filter((property) => !WITHOUT_LABEL.has(property.type))
		.filter((property) => isShown(property, values, description))
		.map(({ displayName }) => displayName);
	const shown = await panel.labels();
	checks.add(
		`${description.displayName} shows what applies ${when}`,
		shown.join() === expected.join(),
		shown.join() === expected.join()
			? ''
			: `shown: ${shown.join(', ')}; expected: ${expected.join(', ')}`,
	);
}

/** The drop-down lists that decide what else is shown. */
function controlsOf({ properties }: INodeTypeDescription): INodeProperties[] {
	return properties.filter(
		(property) =>
			property.type === 'options' && properties.some((other) => dependsOn(other, property)),
	);
}

function dependsOn({ displayOptions }: INodeProperties, control: INodeProperties): boolean {
	const conditions = { ...displayOptions?.show, ...displayOptions?.hide };
	return control.name in conditions;
}

function isShown(
	property: INodeProperties | INodePropertyOptions,
	values: Values,
	description: INodeTypeDescription,
): boolean {
	const node = { typeVersion: [description.version].flat().at(-1) ?? 1 };
	return NodeHelpers.displayParameter(
		values as Parameters<typeof NodeHelpers.displayParameter>[0],
		property,
		node,
		description,
	);
}

function defaultsOf({ properties }: INodeTypeDescription): Values {
	// Some are declared once more for tools of AI agents.
	const own = properties.filter(({ displayOptions }) => !displayOptions?.show?.['@tool']);
	return Object.fromEntries(own.map(({ name, default: value }) => [name, value]));
}
