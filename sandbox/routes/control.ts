import type { FastifyInstance, FastifyRequest } from 'fastify';

import type { Context } from '../context';
import { FAULT_RULE_SCHEMA, type FaultRule } from '../fault-rules';
import { parseJson, queryValue } from '../http';
import { applySettings, SETTINGS_SCHEMA } from '../settings';

/**
 * Adds routes through which another process controls the sandbox. These routes are neither recorded nor affected by
 * faults.
 */
export function controlRoutes(app: FastifyInstance, context: Context): void {
	const { faults, index, recorder, settings } = context;
	const options = { config: { control: true } };
	const preValidation = async (request: FastifyRequest) => parseJson(request, false);

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
	app.patch<{ Body: Record<string, unknown> }>(
		'/_sandbox/settings',
		{ ...options, preValidation, schema: { body: SETTINGS_SCHEMA } },
		async (request) => {
			applySettings(settings, request.body);
			return settings;
		},
	);
	app.post<{ Body: FaultRule }>(
		'/_sandbox/faults',
		{ ...options, preValidation, schema: { body: FAULT_RULE_SCHEMA } },
		async (request, reply) => {
			faults.add(request.body);
			return reply.code(201).send(request.body);
		},
	);
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
