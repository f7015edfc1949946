import fastify, { type FastifyInstance } from 'fastify';

import type { Context } from './context';
import { sendError } from './http';
import { addRoutes } from './routes';
import { controlRoutes } from './routes/control';
import { indexPage } from './routes/index-page';
import { describeError, validatorOf } from './schema';

/** Fastify's limit for bodies, in bytes. The sandbox itself rejects much smaller bodies with 413. */
const BODY_LIMIT = 256_000_000;

/** Maximum length of a path parameter. An ID may be a long URL in percent-encoding. */
const MAX_PARAM_LENGTH = 100_000;

/** Creates the server with all routes. It does not listen yet. */
export function buildServer(context: Context, log: boolean): FastifyInstance {
	const app = fastify({
		logger: log,
		bodyLimit: BODY_LIMIT,
		// Without this option, open keep-alive connections would delay the end of the server.
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		schemaErrorFormatter: (errors) => describeError(errors, 'body'),
		routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
	});
	app.setValidatorCompiler<object>(({ schema }) => validatorOf(schema));
	// Bodies stay bytes at first, because the sandbox checks size, faults and keys before it parses a body.
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
