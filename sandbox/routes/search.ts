import type { Route } from '../context';
import { failure, queryValue } from '../http';

/** Searches committed documents. This route exists only for convenience, so it requires no key. */
export const search: Route = (app, context, config) => {
	app.get('/site-search/api/v1/search', { config }, async (request) => {
		const query = queryValue(request, 'q');
		if (query === undefined) throw failure(400, 'The query parameter q is required');
		const endpoint = queryValue(request, 'endpoint') ?? context.dataSources[0]?.endpoint ?? '';
		if (!context.dataSources.some((source) => source.endpoint === endpoint)) {
			throw failure(404, `There is no data source '${endpoint}'`);
		}
		return context.index.search(endpoint, query);
	});
};
