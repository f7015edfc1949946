import type { Route } from '../context';

/**
 * A protected route of the rules-and-rewrites product, which the interface leaves open: enough to
 * show that a token of scope merchandising.rules is accepted.
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
