import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { runNode } from '../shared/n8n/results';
import { getResults } from './operations/getResults';
import { submit } from './operations/submit';
import { submitAndWait } from './operations/submitAndWait';
import { properties } from './properties';

const OPERATIONS = new Map([
	['submitAndWait', submitAndWait],
	['submit', submit],
	['getResults', getResults],
]);

/** Splits texts into chunks with vectors, by the asynchronous AI service (spec, endpoint 2). */
export class ChunkText implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Chunk Text',
		name: 'chunkText',
		icon: { light: 'file:chunkText.svg', dark: 'file:chunkText.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ ({ submitAndWait: "Submit and wait", submit: "Submit", getResults: "Get results" }[$parameter["operation"]] || $parameter["operation"]) + ($parameter["modelId"] ? ": " + $parameter["modelId"] : "") }}',
		description: 'Split texts into chunks with vectors, ready for a search index',
		defaults: { name: 'Chunk Text' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'aiServiceOAuth2Api', required: true }],
		usableAsTool: true,
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runNode(this, async (results) => {
			const operation = OPERATIONS.get(this.getNodeParameter('operation', 0) as string);
			// n8n itself adds "Custom API Call" to the list.
			if (operation === undefined) {
				throw new NodeOperationError(this.getNode(), "'Operation' is none of this node's", {
					description:
						"Choose another one. For other calls of the AI service use n8n's HTTP Request node with this credential.",
				});
			}
			await operation(this, results);
		});
	}
}
