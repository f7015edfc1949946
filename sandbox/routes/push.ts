import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { Context } from '../context';
import { failure, isObject, jsonBody, queryValue, rawBody, rawSegments } from '../http';
import type { PushDocument } from '../index-store';
import type { SandboxDataSource } from '../types';

const PATH = '/site-search/api/v1/push/:endpoint';

/**
 * The data source of a request, once its key fits (interface, "Push API key").
 * @throws HttpError 401 without a known key, 404 for an unknown endpoint, 403 for the key of
 * another data source
 */
function authorize(context: Context, request: FastifyRequest): SandboxDataSource {
	const key = request.headers['x-api-key'];
	if (typeof key !== 'string' || key === '') throw failure(401, 'X-API-Key is missing');
	const owners = context.dataSources.filter(({ keys }) => keys.includes(key));
	if (owners.length === 0) throw failure(401, 'The API key is unknown');
	const { endpoint } = request.params as { endpoint: string };
	if (!context.dataSources.some((source) => source.endpoint === endpoint)) {
		throw failure(404, `There is no data source '${endpoint}'`);
	}
	const source = owners.find((owner) => owner.endpoint === endpoint);
	if (!source)
		throw failure(403, `The API key belongs to another data source than '${endpoint}'`);
	return source;
}

/** The documents of a body: one object or an array of objects with string id and name. */
function checkDocuments(body: unknown): PushDocument[] {
	const list: unknown[] = Array.isArray(body) ? body : [body];
	return list.map((document, at) => {
		if (!isObject(document)) throw failure(400, `Document ${at} must be an object`);
		for (const key of ['id', 'name']) {
			if (typeof document[key] !== 'string') {
				throw failure(400, `Document ${at}: ${key} must be a string`);
			}
		}
		if (document.id === '') throw failure(400, `Document ${at}: id must not be empty`);
		return document as PushDocument;
	});
}

/** Endpoints 3 and 4: push and delete. */
export function pushRoutes(app: FastifyInstance, context: Context): void {
	const { index, settings } = context;

	app.post(PATH, { config: { route: 'push' } }, async (request, reply) => {
		const { endpoint } = authorize(context, request);
		const bytes = rawBody(request).byteLength;
		const limit = settings.pushBodyLimitBytes;
		if (bytes > limit) {
			throw failure(413, `The body has ${bytes} bytes, above the limit of ${limit}`);
		}
		const documents = checkDocuments(jsonBody(request, settings.keepBodies));
		const isNew = index.upsert(endpoint, documents);
		switch (settings.pushReply) {
			case 'count':
				return { received: documents.length };
			case 'perDocument':
				return {
					results: documents.map(({ id }, at) => ({
						id,
						status: isNew[at] ? 'created' : 'updated',
					})),
				};
			case 'text':
				return reply.type('text/plain').send('OK');
			default:
				return reply.send();
		}
	});

	app.delete(`${PATH}/:id`, { config: { route: 'delete' } }, async (request, reply) => {
		const { endpoint } = authorize(context, request);
		// From the raw path: exactly one segment, decoded exactly once.
		const id = decodeURIComponent(rawSegments(request)[6] ?? '');
		const known = index.has(endpoint, id);
		if (known) index.addPending(endpoint, id);
		if (queryValue(request, 'commit') === 'true') index.commit(endpoint);
		if (!known && settings.unknownDeleteStatus === 404) {
			throw failure(404, `There is no document '${id}'`);
		}
		return reply.send();
	});
}
