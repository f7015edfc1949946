import type { FastifyInstance, FastifyRequest } from 'fastify';

import { breaksConnection } from './fault-rules';
import { rawBody, rawPath } from './http';
import type { RecordedRequest } from './types';

/** Returns the headers as plain strings. Secrets become `***`, but an authorization scheme such as `Bearer` is kept. */
function publicHeaders(request: FastifyRequest): Record<string, string> {
	const headers: Record<string, string> = {};
	for (const [name, value] of Object.entries(request.headers)) {
		const text = Array.isArray(value) ? value.join(', ') : (value ?? '');
		if (name === 'authorization') headers[name] = `${text.split(' ', 1)[0]} ***`;
		else if (name === 'x-api-key') headers[name] = '***';
		else headers[name] = text;
	}
	return headers;
}

export class Recorder {
	readonly requests: RecordedRequest[] = [];

	readonly maxInFlight: Record<string, number> = {};

	private readonly inFlight = new Map<string, number>();

	clear(): void {
		this.requests.length = 0;
		for (const route of Object.keys(this.maxInFlight)) delete this.maxInFlight[route];
	}

	/** Installs the hooks. Call this before the routes are registered. */
	install(app: FastifyInstance): void {
		app.addHook('onRequest', async (request, reply) => {
			if (request.routeOptions.config?.control) return;
			const record = this.begin(request);
			request.record = record;
			// Fastify does not call onSend for a reset connection.
			reply.raw.once('close', () => this.end(record, 0));
		});
		app.addHook('preValidation', async (request) => {
			if (request.record) request.record.bodyBytes = rawBody(request).byteLength;
		});
		// The record is completed before the first byte is sent. A client in the same process can therefore read
		// the record as soon as the response arrives.
		app.addHook('onSend', async (request, reply, payload) => {
			const status = breaksConnection(request.spoiledBy) ? 0 : reply.statusCode;
			if (request.record) this.end(request.record, status);
			return payload;
		});
	}

	private begin(request: FastifyRequest): RecordedRequest {
		const route = request.routeOptions.config?.route ?? 'other';
		const inFlight = (this.inFlight.get(route) ?? 0) + 1;
		this.inFlight.set(route, inFlight);
		this.maxInFlight[route] = Math.max(this.maxInFlight[route] ?? 0, inFlight);
		const record: RecordedRequest = {
			route,
			method: request.method,
			path: rawPath(request.raw.url ?? '/'),
			query: { ...(request.query as Record<string, string>) },
			headers: publicHeaders(request),
			bodyBytes: 0,
			status: 0,
			startedAt: Date.now(),
			endedAt: 0,
			inFlight,
		};
		this.requests.push(record);
		return record;
	}

	private end(record: RecordedRequest, status: number): void {
		if (record.endedAt) return;
		record.status = status;
		record.endedAt = Date.now();
		this.inFlight.set(record.route, (this.inFlight.get(record.route) ?? 1) - 1);
	}
}
