import type { FastifyRequest } from 'fastify';

import { PATHS } from '../../nodes/shared/service/url';
import type { Route } from '../context';
import type { Submission } from '../chunk-request';
import { submissionSchema, toChunkRequest } from '../chunk-request';
import { CHUNKERS } from '../chunkers';
import { failure, parseJson } from '../http';
import { resultsBody } from '../results';

const SCOPE = 'machinelearning.predict';

export const submit: Route = (app, { jobs, settings, tokens }, config) => {
	const preValidation = async (request: FastifyRequest) => {
		tokens.check(request.headers.authorization, SCOPE);
		parseJson(request, settings.keepBodies);
	};
	for (const chunker of Object.keys(CHUNKERS)) {
		app.post<{ Params: { modelId: string }; Body: Submission }>(
			`${PATHS.chunking}/${chunker}/:modelId`,
			{ config, preValidation, schema: { body: submissionSchema(chunker) } },
			async ({ params, body }) => {
				const request = toChunkRequest(chunker, params.modelId, body, settings);
				return { chunkingId: jobs.submit(request).chunkingId, status: 'SUBMITTED' };
			},
		);
	}
	app.post<{ Params: { chunker: string } }>(
		`${PATHS.chunking}/:chunker/:modelId`,
		{ config, preValidation },
		async ({ params }) => {
			throw failure(404, `There is no chunker '${params.chunker}'`);
		},
	);
};

export const results: Route = (app, { jobs, settings, tokens }, config) => {
	app.get<{ Params: { chunkingId: string } }>(
		`${PATHS.chunking}/:chunkingId`,
		{ config },
		async (request, reply) => {
			tokens.check(request.headers.authorization, SCOPE);
			const { chunkingId } = request.params;
			const job = jobs.get(chunkingId);
			if (!job) throw failure(404, `There is no chunking request '${chunkingId}'`);
			const { status, message } = job;
			if (status === 'ERROR') return { chunkingId, status, message };
			if (status === 'SUBMITTED') return { chunkingId, status };
			if (status === 'RETRIEVED' && settings.resultsOnce) return { chunkingId, status };
			// The status is changed before the body is built, so that only one of two concurrent requests gets the
			// data.
			job.status = 'RETRIEVED';
			return reply.type('application/json').send(await resultsBody(job));
		},
	);
};
