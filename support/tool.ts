import type { INodeType } from 'n8n-workflow';

/** Makes the variant of a node that n8n offers to AI agents. It is the same node with another type. */
export function toolVariant(node: INodeType): INodeType {
	return Object.assign(node, {
		description: { ...node.description, name: `${node.description.name}Tool` },
	});
}
