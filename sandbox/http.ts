import type { FastifyReply, FastifyRequest } from 'fastify';

import type { RouteName } from './route-names';
import type { RecordedRequest } from './types';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** Name of the route in records and faults; absent for control routes. */
		route?: RouteName;
		/** True: a control route, neither recorded nor hit by faults. */
		control?: boolean;
	}
	interface FastifyRequest {
		/** The record of this request, absent for control routes. */
		record?: RecordedRequest;
	}
}

/** Bodies above this size are not kept in records. */
const MAX_KEPT_BYTES = 1_000_000;

/** An error with the status and body of its response. */
export class HttpError extends Error {
	constructor(
		readonly status: number,
		readonly body: Record<string, unknown>,
		readonly headers: Record<string, string> = {},
	) {
		super(String(body.message ?? body.error_description ?? status));
	}
}

/** A failure in the general form `{message}`; the interface shows no error bodies but the token's. */
export function failure(status: number, message: string, headers?: Record<string, string>) {
	return new HttpError(status, { message }, headers);
}

/** Raw body bytes; empty when there was none. */
export function rawBody(request: FastifyRequest): Buffer {
	return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/**
 * Replaces the raw body of a request by its JSON value, after checking its Content-Type; keeps the
 * value in the request's record if `keep` is set and it is under 1 MB. Runs before the schema of the
 * route is applied.
 * @throws HttpError 415 or 400
 */
export function parseJson(request: FastifyRequest, keep: boolean): void {
	const type = request.headers['content-type'] ?? '';
	if (!/^application\/json\s*(;|$)/i.test(type)) {
		throw failure(415, `Content-Type must be application/json, not '${type}'`);
	}
	const raw = rawBody(request);
	try {
		request.body = JSON.parse(raw.toString('utf8')) as unknown;
	} catch (error) {
		throw failure(400, `The body is not valid JSON: ${(error as Error).message}`);
	}
	if (keep && request.record && raw.byteLength < MAX_KEPT_BYTES) {
		request.record.body = request.body;
	}
}

/** One query parameter; undefined when absent or repeated. */
export function queryValue(request: FastifyRequest, name: string): string | undefined {
	const value = (request.query as Record<string, unknown>)[name];
	return typeof value === 'string' ? value : undefined;
}

/** Segments of the raw path, percent-encoding intact. */
export function rawSegments(request: FastifyRequest): string[] {
	return rawPath(request.raw.url ?? '/').split('/');
}

/** Path part of a request target. */
export function rawPath(url: string): string {
	const end = url.indexOf('?');
	return end < 0 ? url : url.slice(0, end);
}

/** Sends the response of an error. */
export async function sendError(reply: FastifyReply, error: unknown): Promise<void> {
	if (error instanceof HttpError) {
		await reply.code(error.status).headers(error.headers).send(error.body);
		return;
	}
	const { statusCode, message } = error as { statusCode?: number; message?: string };
	await reply.code(statusCode ?? 500).send({ message: message ?? 'Internal error' });
}
