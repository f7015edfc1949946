import type { INodeType } from 'n8n-workflow';

/**
 * An instance of a node of this package.
 *
 * @param name of its folder, file and class, e.g. `PushDocuments`
 */
export function loadNode(name: string): INodeType {
	// By its full file name: jest and tsx take `X.node` for different files.
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- see above
	const module = require(`../nodes/${name}/${name}.node.ts`) as Record<
		string,
		new () => INodeType
	>;
	return new module[name]();
}
