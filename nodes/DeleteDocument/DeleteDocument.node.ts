import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { runNode } from '../shared/run/run';
import { deleteDocuments } from './delete';
import { deleteProperties } from './properties';

/** Deletes documents from a search index by ID (docs/service-interface.md, Delete). */
export class DeleteDocument implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Delete Document',
		name: 'deleteDocument',
		icon: { light: 'file:deleteDocument.svg', dark: 'file:deleteDocument.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle:
			'={{ ($parameter["options"]?.["dryRun"] ? "Dry run: " : "") + { serviceDefault: "Commit within about a minute", everyDelete: "Commit with every delete", lastDeleteOnly: "Commit with the last delete" }[$parameter["commit"]] }}',
		description:
			'Delete documents from a search index by ID (Lucidworks Site Search). The service does not say whether a document existed.',
		defaults: { name: 'Delete Document' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'lucidworksPushApi', required: true }],
		usableAsTool: true,
		builderHint: {
			searchHint:
				"Deletes by document ID only, not by query. The chunks of a document are documents of their own (ID#0, ID#1, ...): delete them with the option chunkCount, or pass Chunk Text's removedIds list with idSource 'list'. It takes all input items at once, without a loop. Unknown IDs may fail with status 404, unless ignoreNotFound is on.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-search-ingest.pushDocuments',
					relationHint: 'Adds or updates documents in the same index',
				},
				{
					nodeType: 'n8n-nodes-search-ingest.chunkText',
					relationHint: 'Returns the IDs of chunks that no longer exist',
				},
			],
		},
		properties: deleteProperties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runNode(this, deleteDocuments);
	}
}
