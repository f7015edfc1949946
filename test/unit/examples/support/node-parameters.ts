import type { IDataObject, INodeParameters, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

/** Returns the parameters of a node with its defaults, as n8n gives them to Code nodes. */
export function withDefaults(node: INodeType, parameters: object): IDataObject {
	const description = node.description as INodeTypeDescription & { version: number };
	const filled = NodeHelpers.getNodeParameters(
		...([description.properties, parameters as INodeParameters, true, false] as const),
		...([{ typeVersion: description.version }, description] as const),
	);
	return filled as IDataObject;
}
