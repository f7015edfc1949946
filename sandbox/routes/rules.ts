import type { Route } from '../context';

/**
 * Adds a made-up route that accepts only tokens with the `merchandising.rules` scope. The real routes for rules are not
 * part of docs/service-interface.md.
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
