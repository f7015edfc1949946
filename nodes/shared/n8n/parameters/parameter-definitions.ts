import {
	NodeHelpers,
	type INode,
	type INodeProperties,
	type INodeTypeDescription,
} from 'n8n-workflow';

/** The properties of a node by their names, members of a collection as `collection.member`. */
export type Definitions = ReadonlyMap<string, INodeProperties>;

/**
 * The definitions that hold for a node. Of parameters with the same name, shown for different choices,
 * the one that is shown counts; if none is, the first one.
 */
export function definitionsOf(node: INode, properties: INodeProperties[]): Definitions {
	const all = new Map<string, { definition: INodeProperties; isShown: boolean }>();
	// n8n tells its variant for AI agents by the name of the type.
	const type = { name: node.type } as INodeTypeDescription;
	const isShown = (definition: INodeProperties): boolean =>
		NodeHelpers.displayParameter(node.parameters, definition, node, type, node.parameters);
	const define = (path: string, definition: INodeProperties, isParentShown: boolean) => {
		if (all.get(path)?.isShown) return;
		const shown = isParentShown && isShown(definition);
		if (shown || !all.has(path)) all.set(path, { definition, isShown: shown });
	};
	for (const declared of properties) {
		define(declared.name, declared, true);
		if (declared.type !== 'collection') continue;
		const isParentShown = isShown(declared);
		for (const member of (declared.options ?? []) as INodeProperties[]) {
			define(`${declared.name}.${member.name}`, member, isParentShown);
		}
	}
	return new Map([...all].map(([path, { definition }]) => [path, definition]));
}
