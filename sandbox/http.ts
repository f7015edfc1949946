import type { FastifyReply, FastifyRequest } from 'fastify';

import type { RouteName } from './route-names';
import type { RecordedRequest } from './types';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** The route's name in records and faults. Control routes have no name. */
		route?: RouteName;
		/** True for a control route. Control routes are neither recorded nor affected by faults. */
		control?: boolean;
	}
	interface FastifyRequest {
		record?: RecordedRequest;
	}
}

const MAX_KEPT_BYTES = 1_000_000;

export class HttpError extends Error {
	constructor(
		readonly status: number,
		readonly body: Record<string, unknown>,
		readonly headers: Record<string, string> = {},
	) {
		super(String(body.message ?? body.error_description ?? status));
	}
}

/** Creates an error whose body is `{message}`. The service documents error bodies only for token requests. */
export function failure(status: number, message: string, headers?: Record<string, string>) {
	return new HttpError(status, { message }, headers);
}

export function rawBody(request: FastifyRequest): Buffer {
	return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/**
 * Checks the Content-Type, then replaces the request's raw body with its JSON value. If `keep` is true, a value under 1
 * MB is also kept in the request's record. This function runs before the route's schema is applied.
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

/** Returns a query parameter, or undefined if it is missing or repeated. */
export function queryValue(request: FastifyRequest, name: string): string | undefined {
	const value = (request.query as Record<string, unknown>)[name];
	return typeof value === 'string' ? value : undefined;
}

export function rawSegments(request: FastifyRequest): string[] {
	return rawPath(request.raw.url ?? '/').split('/');
}

export function rawPath(url: string): string {
	const end = url.indexOf('?');
	return end < 0 ? url : url.slice(0, end);
}

export async function sendError(reply: FastifyReply, error: unknown): Promise<void> {
	if (error instanceof HttpError) {
		await reply.code(error.status).headers(error.headers).send(error.body);
		return;
	}
	const { statusCode, message } = error as { statusCode?: number; message?: string };
	await reply.code(statusCode ?? 500).send({ message: message ?? 'Internal error' });
}
