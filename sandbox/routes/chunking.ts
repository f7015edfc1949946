import type { FastifyInstance } from 'fastify';

import { checkChunkRequest } from '../chunk-request';
import type { Context } from '../context';
import { failure, jsonBody } from '../http';
import { resultsBody } from '../results';

/** Scope of the AI service's async-chunking operations. */
const SCOPE = 'machinelearning.predict';

/** Endpoint 2 for all five chunkers, and the GET that fetches results (facts 1.1). */
export function chunkingRoutes(app: FastifyInstance, context: Context): void {
	const { jobs, settings, tokens } = context;

	app.post<{ Params: { chunker: string; modelId: string } }>(
		'/ai/async-chunking/:chunker/:modelId',
		{ config: { route: 'submit' } },
		async (request) => {
			tokens.check(request.headers.authorization, SCOPE);
			const body = jsonBody(request, settings.keepBodies);
			const { chunker, modelId } = request.params;
			const job = jobs.submit(checkChunkRequest(chunker, modelId, body, settings));
			return { chunkingId: job.chunkingId, status: 'SUBMITTED' };
		},
	);

	app.get<{ Params: { chunkingId: string } }>(
		'/ai/async-chunking/:chunkingId',
		{ config: { route: 'results' } },
		async (request, reply) => {
			tokens.check(request.headers.authorization, SCOPE);
			const { chunkingId } = request.params;
			const job = jobs.get(chunkingId);
			if (!job) throw failure(404, `There is no chunking request '${chunkingId}'`);
			const { status, message } = job;
			if (status === 'ERROR') return { chunkingId, status, message };
			if (status === 'SUBMITTED') return { chunkingId, status };
			if (status === 'RETRIEVED' && settings.resultsOnce) return { chunkingId, status };
			// Set before the body is built: of two requests at the same time only one gets data.
			job.status = 'RETRIEVED';
			return reply.type('application/json').send(await resultsBody(job, settings));
		},
	);
}
