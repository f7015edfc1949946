import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { runNode } from '../shared/run/run';
import { pushProperties } from './properties';
import { pushDocuments } from './push';

/** Adds or updates documents in a search index (docs/service-interface.md, Push). */
export class PushDocuments implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Push Documents',
		name: 'pushDocuments',
		icon: { light: 'file:pushDocuments.svg', dark: 'file:pushDocuments.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle:
			'={{ ($parameter["options"]?.["dryRun"] ? "Dry run: " : "") + { wholeItem: "Each item is a document", fields: "Documents from fields", json: "Documents from JSON", file: "Documents from a file", textFile: "Each file is a document" }[$parameter["documentSource"]] }}',
		description:
			'Add documents to a search index, or update those with the same ID (Lucidworks Site Search)',
		defaults: { name: 'Push Documents' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'lucidworksPushApi', required: true }],
		usableAsTool: {
			replacements: {
				description:
					'Add a document to a search index, or update the one with the same ID. Always send all fields: omitted ones may be lost.',
			},
		},
		builderHint: {
			searchHint:
				"Adds or updates documents by ID, in batches that it makes itself: do not put it in a loop or add a Wait node. By default each input item is a document with all its fields, and needs an ID and a name. Name their fields with idField and nameField. A large CSV or JSON file is read with documentSource 'file', so do not extract it into items first. It never deletes documents.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-search-ingest.chunkText',
					relationHint:
						'Makes chunks with vectors for semantic search; connect it before this node',
				},
				{
					nodeType: 'n8n-nodes-search-ingest.deleteDocument',
					relationHint: 'Deletes documents that no longer exist',
				},
			],
		},
		properties: pushProperties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runNode(this, pushDocuments);
	}
}
