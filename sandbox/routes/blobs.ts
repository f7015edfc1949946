import basicAuth from '@fastify/basic-auth';
import type { FastifyInstance } from 'fastify';

import { PATHS } from '../../nodes/shared/service/url';
import type { Context, Route } from '../context';
import { failure } from '../http';

/** Lists some sample blobs (docs/service-interface.md, Blobs). `version` indicates the format of the manifest. */
function listing(converted: boolean): Array<Record<string, unknown>> {
	const version = converted ? '4.2.6' : '3.1.5';
	const blob = (id: string, resourceType: string, contentType: string, size: number) => ({
		id,
		path: `/${id}`,
		dir: '/',
		filename: id,
		contentType,
		size,
		modifiedTime: '2024-01-01T00:00:00.000Z',
		metadata: { resourceType },
		version,
	});
	return [
		blob('en-token.bin', 'model:open-nlp', 'application/octet-stream', 439_890),
		blob('normalize.js', 'file:js-index', 'application/javascript', 1_204),
		blob('synonyms.txt', 'file', 'text/plain', 812),
	];
}

/**
 * Runs `add` in a Fastify scope. If `blobAuth` is set, requests in this scope require its user name and password.
 */
function withBasicAuth(
	app: FastifyInstance,
	{ blobAuth }: Context,
	add: (scope: FastifyInstance) => void,
): void {
	void app.register(async (scope) => {
		if (blobAuth) {
			await scope.register(basicAuth, {
				authenticate: { realm: 'sandbox' },
				validate: async (user, password) => {
					if (user !== blobAuth.user || password !== blobAuth.password) {
						throw failure(401, 'The user or the password is wrong');
					}
				},
			});
			scope.addHook('preHandler', scope.basicAuth);
		}
		add(scope);
	});
}

export const convert: Route = (app, context, config) =>
	withBasicAuth(app, context, (scope) => {
		scope.put(`/api${PATHS.convert}`, { config }, async (_, reply) => {
			context.converted = true;
			return reply.send();
		});
	});

export const blobs: Route = (app, context, config) =>
	withBasicAuth(app, context, (scope) => {
		scope.get(`/api${PATHS.blobs}`, { config }, async () => listing(context.converted));
	});
