import '../../support/setup';

import type { INodeExecutionData, INodeType, IExecuteFunctions } from 'n8n-workflow';

/** A node with nothing but what it executes: shows what n8n's engine takes for itself. */
export function plainNode(
	execute: (this: IExecuteFunctions) => Promise<INodeExecutionData[][]>,
	credentials: string[] = [],
): INodeType {
	return {
		description: {
			displayName: 'Plain',
			name: 'plain',
			group: ['transform'],
			version: 1,
			description: 'For a benchmark',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			credentials: credentials.map((name) => ({ name, required: true })),
			properties: [],
		},
		execute,
	};
}

/** The same node with something done around its work. */
export function around(
	node: INodeType,
	execute: (
		context: IExecuteFunctions,
		original: (context: IExecuteFunctions) => Promise<INodeExecutionData[][]>,
	) => Promise<INodeExecutionData[][]>,
): INodeType {
	const original = node.execute as NonNullable<INodeType['execute']>;
	return {
		description: node.description,
		async execute(this: IExecuteFunctions) {
			return await execute(
				this,
				async (context) => (await original.call(context)) as INodeExecutionData[][],
			);
		},
	};
}
