import type { FastifyInstance } from 'fastify';

import type { Context, Route } from '../context';
import { ROUTE_NAMES, type RouteName } from '../route-names';
import { blobs, convert } from './blobs';
import { results, submit } from './chunking';
import { files } from './files';
import { push, remove } from './push';
import { rules } from './rules';
import { search } from './search';
import { token } from './token';

const ROUTES: Readonly<Record<RouteName, Route>> = {
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

export function addRoutes(app: FastifyInstance, context: Context): void {
	for (const route of ROUTE_NAMES) ROUTES[route](app, context, { route });
}
