import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { runNode } from '../shared/n8n/results';
import { deleteDocuments } from './delete';
import { properties } from './properties';

/** Deletes documents of a search index by their IDs (spec, endpoint 4). */
export class DeleteDocument implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Delete Document',
		name: 'deleteDocument',
		icon: { light: 'file:deleteDocument.svg', dark: 'file:deleteDocument.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle:
			'={{ { serviceDefault: "Commits within a minute", everyDelete: "Commits every delete", lastDeleteOnly: "Commits with the last delete" }[$parameter["commit"]] }}',
		description: 'Delete documents from a search index by their IDs',
		defaults: { name: 'Delete Document' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'pushEndpointApi', required: true }],
		usableAsTool: true,
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runNode(this, async (results) => await deleteDocuments(this, results));
	}
}
