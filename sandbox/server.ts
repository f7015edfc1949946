import fastify, { type FastifyInstance } from 'fastify';

import type { Context } from './context';
import { sendError } from './http';
import { addRoutes } from './routes';
import { controlRoutes } from './routes/control';
import { indexPage } from './routes/index-page';
import { describeError, validatorOf } from './schema';

/** Maximum size, in bytes, of a body that Fastify accepts. The sandbox itself answers with 413 at much lower limits. */
const BODY_LIMIT = 256_000_000;

/** Maximum length of a path parameter. An ID can be a long URL that is percent-encoded. */
const MAX_PARAM_LENGTH = 100_000;

/** Builds the server with all routes. The server does not listen yet. */
export function buildServer(context: Context, log: boolean): FastifyInstance {
	const app = fastify({
		logger: log,
		bodyLimit: BODY_LIMIT,
		// Clients' keep-alive connections must not delay closing the server.
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		schemaErrorFormatter: (errors) => describeError(errors, 'body'),
		routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
	});
	app.setValidatorCompiler<object>(({ schema }) => validatorOf(schema));
	// Bodies are kept as bytes, because size, faults and keys are checked before anything is parsed.
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
	addRoutes(app, context);
	controlRoutes(app, context);
	indexPage(app, context);
	return app;
}
