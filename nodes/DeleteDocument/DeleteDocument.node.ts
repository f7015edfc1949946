import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { runNode } from '../shared/n8n/run/run';
import { deleteDocuments } from './delete';
import { deleteProperties } from './properties';

/** Deletes documents of a search index by their IDs (docs/service-interface.md, Delete). */
export class DeleteDocument implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Delete Document',
		name: 'deleteDocument',
		icon: { light: 'file:deleteDocument.svg', dark: 'file:deleteDocument.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle:
			'={{ ($parameter["options"]?.["dryRun"] ? "Dry run: " : "") + { serviceDefault: "Commit within about a minute", everyDelete: "Commit with every delete", lastDeleteOnly: "Commit with the last delete" }[$parameter["commit"]] }}',
		description: 'Delete documents from a search index by their IDs (Lucidworks Site Search)',
		defaults: { name: 'Delete Document' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'lucidworksPushApi', required: true }],
		usableAsTool: true,
		properties: deleteProperties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runNode(this, deleteDocuments);
	}
}
