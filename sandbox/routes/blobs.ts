import basicAuth from '@fastify/basic-auth';
import type { FastifyInstance } from 'fastify';

import type { Context } from '../context';
import { failure } from '../http';

/** A few blobs as the listing of facts 4 shows them; `version` is the manifest's format. */
function blobs(converted: boolean): Array<Record<string, unknown>> {
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

/** Endpoint 5 and the blob listing. `app` must be a context of its own. */
export async function blobRoutes(app: FastifyInstance, context: Context): Promise<void> {
	await app.register(basicAuth, {
		authenticate: { realm: 'sandbox' },
		validate: async (user, password) => {
			const { blobAuth } = context;
			if (user !== blobAuth?.user || password !== blobAuth.password) {
				throw failure(401, 'The user or the password is wrong');
			}
		},
	});
	const preHandler = context.blobAuth ? [app.basicAuth] : [];

	app.put(
		'/api/blobs/convert',
		{ config: { route: 'convert' }, preHandler },
		async (_, reply) => {
			context.converted = true;
			return reply.send();
		},
	);

	app.get('/api/blobs', { config: { route: 'blobs' }, preHandler }, async () =>
		blobs(context.converted),
	);
}
