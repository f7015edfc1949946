import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

/**
 * Embedding models that the service's documentation names (docs/service-interface.md, Models). There may
 * be more: any other is entered by its ID.
 */
const MODELS = ['e5-small-v2', 'gte-small'];

/** The models to choose from. */
export async function listModels(this: ILoadOptionsFunctions): Promise<INodeListSearchResult> {
	return { results: MODELS.map((model) => ({ name: model, value: model })) };
}
