import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { Context } from '../context';
import { failure, isObject, jsonBody, queryValue } from '../http';
import { applySettings } from '../settings';
import { checkRule } from '../faults';

/** Runs a check whose plain errors become 400. */
function checked<T>(check: () => T): T {
	try {
		return check();
	} catch (error) {
		throw failure(400, (error as Error).message);
	}
}

/** A body that must be a JSON object. */
function objectBody(request: FastifyRequest): Record<string, unknown> {
	const body = jsonBody(request, false);
	if (!isObject(body)) throw failure(400, 'The body must be a JSON object');
	return body;
}

/** Control of a sandbox from another process; never recorded, never hit by faults. */
export function controlRoutes(app: FastifyInstance, context: Context): void {
	const { faults, index, recorder, settings } = context;
	const options = { config: { control: true } };

	app.get('/_sandbox/health', options, async () => ({ status: 'ok' }));
	app.get('/_sandbox/stats', options, async () => context.stats());
	app.get('/_sandbox/requests', options, async () => recorder.requests);
	app.get('/_sandbox/documents', options, async (request) => {
		const endpoint = queryValue(request, 'endpoint') ?? context.dataSources[0]?.endpoint ?? '';
		const documents = index.documents(endpoint);
		return { endpoint, ids: documents.map(({ id }) => id), documents };
	});
	app.get('/_sandbox/jobs', options, async () => context.jobs.list());
	app.get('/_sandbox/settings', options, async () => settings);
	app.patch('/_sandbox/settings', options, async (request) => {
		const patch = objectBody(request);
		checked(() => applySettings(settings, patch));
		return settings;
	});
	app.post('/_sandbox/faults', options, async (request, reply) => {
		const rule = checked(() => checkRule(objectBody(request)));
		faults.add(rule);
		return reply.code(201).send(rule);
	});
	app.delete('/_sandbox/faults', options, async (_, reply) => {
		faults.clear();
		return reply.code(204).send();
	});
	app.post('/_sandbox/commit', options, async (_, reply) => {
		index.commit();
		return reply.code(204).send();
	});
	app.post('/_sandbox/reset', options, async (_, reply) => {
		context.reset();
		return reply.code(204).send();
	});
}
