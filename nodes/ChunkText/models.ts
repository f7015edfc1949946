import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

/**
 * Embedding models that the service's documentation names (docs/service-interface.md, Models). There may
 * be more: any other is entered by its ID.
 */
const MODELS = ['e5-small-v2', 'gte-small'];

/** The models to choose from, those that contain what the user typed. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const wanted = filter.trim().toLowerCase();
	const results = MODELS.filter((model) => model.includes(wanted)).map((model) => ({
		name: model,
		value: model,
	}));
	return { results };
}
