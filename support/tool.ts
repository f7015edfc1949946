import type { INodeType } from 'n8n-workflow';

/** The variant of a node that n8n gives AI agents: the same node with a type of its own. */
export function toolVariant(node: INodeType): INodeType {
	return Object.assign(node, {
		description: { ...node.description, name: `${node.description.name}Tool` },
	});
}
