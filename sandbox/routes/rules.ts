import type { Route } from '../context';

/**
 * Stands in for the service's product for rules and rewrites. The interface does not describe the routes of that
 * product. This route only shows that a token with the scope merchandising.rules is accepted.
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
