import type { FastifyContextConfig, FastifyInstance } from 'fastify';

import type { Context } from '../context';
import { ruleSchema } from '../fault-rules';
import { blobs, convert } from './blobs';
import { results, submit } from './chunking';
import { files } from './files';
import { push, remove } from './push';
import { rules } from './rules';
import { search } from './search';
import { token } from './token';

/**
 * Adds one route to the server.
 * @param config must be the route's `config`: records and faults know the route by it
 */
export type Route = (app: FastifyInstance, context: Context, config: FastifyContextConfig) => void;

/** Every route by its name in records, statistics and fault rules. */
const ROUTES = {
	token,
	submit,
	results,
	push,
	delete: remove,
	convert,
	blobs,
	rules,
	search,
	files,
};

/** The routes that faults, records and statistics are kept for. */
export type RouteName = keyof typeof ROUTES;

const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[];

/** The JSON schema of fault rules. */
export const FAULT_RULE_SCHEMA = ruleSchema(ROUTE_NAMES);

/** Adds all routes, each under its name. */
export function addRoutes(app: FastifyInstance, context: Context): void {
	for (const route of ROUTE_NAMES) ROUTES[route](app, context, { route });
}
