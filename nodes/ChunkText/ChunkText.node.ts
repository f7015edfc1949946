import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type INodeListSearchResult,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { runNode } from '../shared/run/run';
import { OPERATIONS } from './operations';
import { allProperties } from './parameters';
import { CHUNKER_NAMES, MODELS } from './parameters/chunker';

/** n8n stores the model as a string or as a resource locator. */
const CHUNKER = `(${JSON.stringify(CHUNKER_NAMES)}[$parameter["chunker"]] || $parameter["chunker"])`;
const MODEL = '($parameter["modelId"]?.value ?? $parameter["modelId"])';
const DETAILS = `${CHUNKER} + (${MODEL} ? ", " + ${MODEL} : "")`;
/**
 * n8n cuts off the subtitle after about 25 characters, so the subtitle omits the name of the default
 * operation.
 */
const SUBTITLE = `={{ { submitAndWait: ${DETAILS}, submit: "Submit: " + ${DETAILS}, getResults: "Get Results" }[$parameter["operation"]] || $parameter["operation"] }}`;

async function listModels(this: ILoadOptionsFunctions): Promise<INodeListSearchResult> {
	return { results: MODELS.map((model) => ({ name: model, value: model })) };
}

/** Splits texts into chunks with embedding vectors (docs/service-interface.md, Chunking). */
export class ChunkText implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Chunk Text',
		name: 'chunkText',
		icon: { light: 'file:chunkText.svg', dark: 'file:chunkText.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: SUBTITLE,
		description:
			'Split texts into chunks with embedding vectors, ready for a search index (Lucidworks AI)',
		defaults: { name: 'Chunk Text' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'lucidworksAiOAuth2Api', required: true }],
		usableAsTool: {
			replacements: {
				description:
					'Split a text into chunks. Returns the text and the position of each chunk, without vectors.',
			},
		},
		builderHint: {
			searchHint:
				"Takes all input items at once: connect the source directly, without a loop, HTTP Request or Wait node. Its default output is one item per chunk, with id, name, text and vector. Connect it to Push Documents and leave 'Documents From' at 'Whole Item'. Each input item needs an ID, a name and a text. A large CSV or JSON file is read with textSource 'file', so do not extract it into items first.",
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-search-ingest.pushDocuments',
					relationHint: 'Pushes the chunks to a search index',
				},
				{
					nodeType: 'n8n-nodes-search-ingest.deleteDocument',
					relationHint:
						'Deletes chunks that no longer exist after a text was shortened. With output perDocument, their IDs are in removedIds.',
				},
			],
		},
		properties: allProperties,
	};

	methods = { listSearch: { listModels } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const chosen = this.getNodeParameter('operation', 0) as string;
		const operation = OPERATIONS[chosen];
		return await runNode(this, async (run) => {
			// n8n adds the operation "Custom API Call" to the list, but this node does not support it.
			if (operation === undefined) {
				throw new NodeOperationError(this.getNode(), `Unknown operation '${chosen}'`, {
					description:
						"Choose another operation. For other requests to the AI service, use n8n's HTTP Request node with this credential.",
				});
			}
			await operation(run);
		});
	}
}
