import fastify, { type FastifyInstance } from 'fastify';

import type { Context } from './context';
import { sendError } from './http';
import { blobRoutes } from './routes/blobs';
import { chunkingRoutes } from './routes/chunking';
import { controlRoutes } from './routes/control';
import { pushRoutes } from './routes/push';
import { rulesRoutes } from './routes/rules';
import { searchRoutes } from './routes/search';
import { tokenRoutes } from './routes/token';

/** Bytes Fastify takes at most; far above the sandbox's own limits, so that those answer 413. */
const BODY_LIMIT = 256_000_000;

/** Longest path parameter: ids may be long URLs, percent-encoded. */
const MAX_PARAM_LENGTH = 100_000;

/** The server with all routes, not yet listening. */
export function buildServer(context: Context, log: boolean): FastifyInstance {
	const app = fastify({
		logger: log,
		bodyLimit: BODY_LIMIT,
		// Open keep-alive connections of clients must not hold up a close.
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
	});
	// Bodies stay bytes: size, faults and keys are checked before anything is parsed.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
		done(null, body);
	});
	context.recorder.install(app);
	context.faults.install(app);
	app.setErrorHandler(async (error, _request, reply) => sendError(reply, error));
	app.setNotFoundHandler(async (request, reply) =>
		reply.code(404).send({ message: `There is no ${request.method} ${request.url}` }),
	);
	void app.register(async (scope) => tokenRoutes(scope, context));
	void app.register(async (scope) => blobRoutes(scope, context));
	chunkingRoutes(app, context);
	pushRoutes(app, context);
	rulesRoutes(app, context);
	searchRoutes(app, context);
	controlRoutes(app, context);
	return app;
}
