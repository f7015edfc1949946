import type { IDataObject, IExecuteFunctions, INodeProperties, INodeType } from 'n8n-workflow';

import { Parameters } from '../nodes/shared/parameters/parameters';
import { runNode, type RunOptions } from './engine';

/**
 * Creates a node that only reads parameters. For each input item, the node returns one item with the value that `read`
 * returns or the error that `read` throws.
 */
function readingNode<P extends INodeProperties[]>(
	properties: P,
	read: (parameters: Parameters<P>, itemIndex: number, context: IExecuteFunctions) => unknown,
	watched: (context: IExecuteFunctions) => IExecuteFunctions = (context) => context,
): INodeType {
	return {
		description: {
			displayName: 'Reading',
			name: 'reading',
			group: ['transform'],
			version: 1,
			description: 'Reads its parameters',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			properties,
		},
		async execute(this: IExecuteFunctions) {
			const context = watched(this);
			const parameters = new Parameters(context, properties);
			const results = context.getInputData().map((_item, itemIndex): IDataObject => {
				try {
					return { value: read(parameters, itemIndex, context) as IDataObject };
				} catch (error) {
					const { message, description } = error as Error & { description?: string };
					return { error: { message, description } };
				}
			});
			return [results.map((json, item) => ({ json, pairedItem: { item } }))];
		},
	};
}

export interface Reading {
	value?: unknown;
	error?: { message: string; description?: string };
}

export async function readOnEngine<P extends INodeProperties[]>(
	properties: P,
	options: Pick<RunOptions, 'parameters' | 'items' | 'typeVersion'>,
	read: (parameters: Parameters<P>, itemIndex: number, context: IExecuteFunctions) => unknown,
	watched?: (context: IExecuteFunctions) => IExecuteFunctions,
): Promise<Reading[]> {
	const { output, error } = await runNode({
		...options,
		node: readingNode(properties, read, watched),
	});
	if (error) throw error;
	return output.map(({ json }) => json as Reading);
}
