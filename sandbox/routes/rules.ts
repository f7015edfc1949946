import type { FastifyInstance } from 'fastify';

import type { Context } from '../context';

/**
 * A protected route of the rules-and-rewrites product, which the interface leaves out: enough to
 * show that a token of scope merchandising.rules is honoured.
 */
export function rulesRoutes(app: FastifyInstance, context: Context): void {
	app.get('/em-rules/rules', { config: { route: 'rules' } }, async (request) => {
		context.tokens.check(request.headers.authorization, 'merchandising.rules');
		return {
			rules: [
				{ id: 'rule-1', name: 'Boost new arrivals', enabled: true },
				{ id: 'rule-2', name: 'Bury sold-out items', enabled: false },
			],
		};
	});
}
