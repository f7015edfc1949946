import type { Route } from '../context';

/**
 * Replaces the service's product for rules and rewrites, whose routes are unknown. This route only shows that tokens
 * with the scope merchandising.rules are accepted.
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
