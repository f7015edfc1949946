import type { Route } from '../context';

/**
 * Answers for the rules and rewrites product, which the interface leaves open. The route only shows that a token of
 * scope merchandising.rules is accepted.
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
