import type { Route } from '../context';

/**
 * Stands in for the rules and rewrites product, whose routes the interface does not describe. This route only shows
 * that the product accepts a token with the scope merchandising.rules.
 */
export const rules: Route = (app, { tokens }, config) => {
	app.get('/em-rules/rules', { config }, async (request) => {
		tokens.check(request.headers.authorization, 'merchandising.rules');
		return {
			rules: [
				{ id: 'rule-1', name: 'Boost new arrivals', enabled: true },
				{ id: 'rule-2', name: 'Bury sold-out items', enabled: false },
			],
		};
	});
};
