import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';

import { PATHS } from '../../nodes/shared/service/url';
import type { Context, Route } from '../context';
import { failure, parseJson, queryValue, rawBody, rawSegments } from '../http';
import { errorPath, errorText } from '../schema';
import type { SandboxDataSource } from '../types';

const PATH = `/site-search${PATHS.push}/:endpoint`;

/**
 * Checks the request's key and returns its data source (docs/service-interface.md, Push).
 * @throws HttpError 401 if the key is missing or unknown, 404 if the endpoint is unknown, 403 if the key belongs to
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

/** The documents in a push request. A single document is treated as a list of one. */
const DOCUMENTS = {
	type: 'array',
	items: {
		type: 'object',
		required: ['id', 'name'],
		properties: { id: { type: 'string', minLength: 1 }, name: { type: 'string' } },
	},
} as const;

/** Stores one or more documents. If any document is invalid, none of them are stored. */
export const push: Route = (app, context, config) => {
	const { index, settings } = context;
	const preValidation = async (request: FastifyRequest) => {
		authorize(context, request);
		const bytes = rawBody(request).byteLength;
		const limit = settings.pushBodyLimitBytes;
		if (bytes > limit) {
			throw failure(413, `The body has ${bytes} bytes, above the limit of ${limit}`);
		}
		parseJson(request, settings.keepBodies);
		if (!Array.isArray(request.body)) request.body = [request.body];
	};
	app.withTypeProvider<TypeBoxTypeProvider>().post(
		PATH,
		{
			config,
			preValidation,
			schema: { body: DOCUMENTS },
			schemaErrorFormatter: ([error]) => {
				const [at, ...path] = errorPath(error);
				const where = path.length > 0 ? `: ${path.join('.')}` : '';
				return new Error(`Document ${at}${where} ${errorText(error)}`);
			},
		},
		async (request, reply) => {
			const { endpoint } = authorize(context, request);
			const documents = request.body;
			const isNew = index.upsert(endpoint, documents);
			switch (settings.pushResponse) {
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
		},
	);
};

/** Deletes a document. The delete takes effect with the next commit. */
export const remove: Route = (app, context, config) => {
	const { index, settings } = context;
	app.delete(`${PATH}/:id`, { config }, async (request, reply) => {
		const { endpoint } = authorize(context, request);
		// The ID is read from the raw path, because an ID can contain an encoded slash and must be decoded exactly
		// once.
		const id = decodeURIComponent(rawSegments(request)[6] ?? '');
		const known = index.has(endpoint, id);
		if (known) index.addPending(endpoint, id);
		if (queryValue(request, 'commit') === 'true') index.commit(endpoint);
		if (!known && settings.unknownDeleteStatus === 404) {
			throw failure(404, `There is no document '${id}'`);
		}
		return reply.send();
	});
};
