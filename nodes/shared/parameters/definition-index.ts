import {
	NodeHelpers,
	type INode,
	type INodeProperties,
	type INodeTypeDescription,
} from 'n8n-workflow';

export interface IndexedDefinition {
	/** `name` or `collection.member` */
	path: string;
	definition: INodeProperties;
	/** The value that applies if the workflow does not set one. */
	initial: unknown;
	/** The members of a collection. */
	members: IndexedDefinition[];
}

/**
 * Indexes a node's parameter definitions by path, which is `name` or `collection.member`. If several parameters have
 * the same name, the index contains the one that the editor shows. If the editor shows none of them, the index contains
 * the first.
 */
export function indexDefinitions(
	node: INode,
	properties: INodeProperties[],
): Map<string, IndexedDefinition> {
	const index = new Map<string, IndexedDefinition>();
	for (const [path, definition] of chooseDefinitions(node, properties)) {
		const { type, default: initial, options = [] } = definition;
		const members: IndexedDefinition[] = [];
		index.set(path, { path, definition, initial, members });
		if (type !== 'collection') continue;
		for (const [name, inside] of chooseDefinitions(node, options as INodeProperties[]))
			members.push({
				path: `${path}.${name}`,
				definition: inside,
				initial: initialOf(inside),
				members: [],
			});
		for (const member of members) index.set(member.path, member);
	}
	return index;
}

function chooseDefinitions(
	node: INode,
	properties: INodeProperties[],
): Map<string, INodeProperties> {
	const byName = new Map<string, INodeProperties>();
	for (const property of properties) {
		const earlier = byName.get(property.name);
		if (earlier === undefined || (isShown(node, property) && !isShown(node, earlier)))
			byName.set(property.name, property);
	}
	return byName;
}

function isShown(node: INode, property: INodeProperties): boolean {
	const { parameters } = node;
	// n8n recognizes the tool variant of a node by the node's type name.
	const type = { name: node.type } as INodeTypeDescription;
	return NodeHelpers.displayParameter(parameters, property, node, type, parameters);
}

/** Returns the value of a collection member that the user has not added. */
function initialOf({ type, default: initial, requiresDataPath }: INodeProperties): unknown {
	if (typeof initial === 'string' && initial.startsWith('=')) return '';
	if (type === 'json') return {};
	return requiresDataPath === 'multiple' ? [] : initial;
}
