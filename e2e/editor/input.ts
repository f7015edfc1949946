import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { ROOT } from '../shared/paths';
import type { Subject } from './suite';
import { describe, ownNode, saveChain } from './suite';

const AFTER = 'Next Node';

/** Before a node has run, the next one offers the fields it will return. */
export const schemaPreview: Subject = {
	title: 'Previewing the output',
	async run(suite) {
		const { canvas, checks, nodes } = suite;
		for (const [name, description] of nodes) {
			const { displayName } = description;
			const { id } = await saveChain(
				suite,
				`preview of ${displayName}`,
				[{}],
				[ownNode(suite, name), { name: AFTER, type: 'n8n-nodes-base.set' }],
			);
			await canvas.open(id);
			const panel = await canvas.openNode(AFTER);
			const fields = await panel.inputFields().catch((): string[] => []);
			const expected = previewOf(description);
			checks.add(
				`The node after ${displayName} offers its fields before it has run`,
				expected.length > 0 && expected.every((field) => fields.includes(field)),
				fields.join(', '),
			);
		}
	},
};

/** The fields of the schema for the default operation. */
function previewOf({ name, properties }: INodeTypeDescription): string[] {
	const folder = path.join(ROOT, 'dist', 'nodes');
	const className = (name.split('.').at(-1) ?? '').replace(/^./, (letter) =>
		letter.toUpperCase(),
	);
	const operation = properties.find((property) => property.name === 'operation')?.default;
	const file = operation === undefined ? 'v1.0.0.json' : `v1.0.0/${String(operation)}.json`;
	if (!readdirSync(folder).includes(className)) return [];
	const schema = JSON.parse(
		readFileSync(path.join(folder, className, '__schema__', file), 'utf8'),
	) as { properties: object };
	return Object.keys(schema.properties);
}

/** A field is dragged from the input onto a parameter. */
export const dragAndDrop: Subject = {
	title: 'Dragging fields',
	async run(suite) {
		const { canvas, checks, nodes } = suite;
		const description = describe(nodes, 'pushDocuments');
		const { displayName } = description;
		const excluded = collectionMember(description, 'excludeFields');
		const { id } = await saveChain(
			suite,
			'drag and drop',
			[{ id: 'a', name: 'A', secret: 'x' }],
			[ownNode(suite, 'pushDocuments', { options: { excludeFields: '' } })],
		);
		await canvas.open(id);
		await canvas.run();
		const panel = await canvas.openNode(displayName);
		await panel.drag('secret', 'excludeFields');
		const dropped = await panel.text('excludeFields');
		const value = dropped === '' ? await panel.selected('excludeFields') : dropped;
		checks.add(
			'Exclude Fields accepts a dragged field as a name',
			excluded?.requiresDataPath === 'multiple' && value === 'secret',
			value,
		);
	},
};

function collectionMember(
	{ properties }: INodeTypeDescription,
	name: string,
): INodeProperties | undefined {
	const options = properties.find((property) => property.type === 'collection')?.options;
	return (options as INodeProperties[] | undefined)?.find((option) => option.name === name);
}
