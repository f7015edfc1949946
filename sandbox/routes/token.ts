import basicAuth from '@fastify/basic-auth';
import type { FastifyContextConfig, FastifyError, FastifyInstance, FastifyRequest } from 'fastify';

import { PATHS } from '../../nodes/shared/service/url';
import type { Context, Route } from '../context';
import { HttpError, queryValue, rawBody, sendError } from '../http';
import { LIFETIME_SECONDS, SCOPES } from '../tokens';
import type { SandboxClient } from '../types';

declare module 'fastify' {
	interface FastifyRequest {
		client?: SandboxClient;
	}
}

const PKCE_TEXT = 'Browser requests to the token endpoint must use Proof Key for Code Exchange.';

/** Headers that every token request must contain (docs/service-interface.md, Access tokens). */
const HEADERS: ReadonlyArray<readonly [name: string, value: RegExp, wanted: string]> = [
	['cache-control', /^no-cache$/i, 'no-cache'],
	['accept', /^application\/json$/i, 'application/json'],
	[
		'content-type',
		/^application\/x-www-form-urlencoded\s*(;|$)/i,
		'application/x-www-form-urlencoded',
	],
];

function tokenError(status: number, error: string, description: string): HttpError {
	return new HttpError(status, { error, error_description: description });
}

function unknownClient(): HttpError {
	return tokenError(
		401,
		'invalid_client',
		'The client id or the client secret is wrong or missing',
	);
}

function checkRequest(context: Context, request: FastifyRequest): void {
	const { auth } = request.params as { auth: string };
	if (auth !== context.authServerId) {
		throw tokenError(404, 'not_found', `There is no authorization server '${auth}'`);
	}
	if (request.headers.origin !== undefined || context.settings.tokenResponse === 'pkce') {
		throw tokenError(400, 'invalid_client', PKCE_TEXT);
	}
	for (const [name, pattern, wanted] of HEADERS) {
		const value = request.headers[name];
		if (typeof value !== 'string' || !pattern.test(value.trim())) {
			const shown = value === undefined ? 'missing' : `'${String(value)}'`;
			throw tokenError(
				400,
				'invalid_request',
				`Header ${name} must be ${wanted}, is ${shown}`,
			);
		}
	}
	if (rawBody(request).byteLength > 0) {
		throw tokenError(400, 'invalid_request', 'The token request has no body');
	}
}

/**
 * Checks and returns the requested scope. Multiple scopes are separated by spaces (docs/service-interface.md,
 * Access tokens).
 */
function checkScope(request: FastifyRequest, allowed: readonly string[]): string {
	if (queryValue(request, 'grant_type') !== 'client_credentials') {
		throw tokenError(
			400,
			'unsupported_grant_type',
			'The query parameter grant_type must be client_credentials',
		);
	}
	const scope = queryValue(request, 'scope') ?? '';
	for (const part of scope.split(' ')) {
		if (!(SCOPES as readonly string[]).includes(part) || !allowed.includes(part)) {
			throw tokenError(
				400,
				'invalid_scope',
				`The scope '${part}' is not one that this client may ask for`,
			);
		}
	}
	return scope;
}

export const token: Route = (app, context, config) => {
	// The route has its own Fastify scope, because no other route has this authentication and error format.
	void app.register(async (scope) => await addTokenRoute(scope, context, config));
};

async function addTokenRoute(
	app: FastifyInstance,
	context: Context,
	config: FastifyContextConfig,
): Promise<void> {
	await app.register(basicAuth, {
		authenticate: { realm: 'sandbox' },
		validate: async (user, password, request) => {
			request.client = context.clients.find(
				(client) => client.id === user && client.secret === password,
			);
			if (!request.client) throw unknownClient();
		},
	});
	// The plugin's own error has a different format.
	app.setErrorHandler(async (error: FastifyError, _request, reply) => {
		const isPlugins = error.code?.startsWith('FST_BASIC_AUTH') ?? false;
		await sendError(reply, isPlugins ? unknownClient() : error);
	});
	app.post(
		PATHS.token(':auth'),
		{
			config,
			preHandler: [async (request) => checkRequest(context, request), app.basicAuth],
		},
		async (request, reply) => {
			const client = request.client as SandboxClient;
			const scope = checkScope(request, client.scopes ?? SCOPES);
			const { tokenResponse } = context.settings;
			if (tokenResponse === 'html') {
				return reply
					.type('text/html')
					.send('<!DOCTYPE html><html><body>Log in</body></html>');
			}
			const issued = context.tokens.issue(client, scope);
			void reply.header('cache-control', 'no-store');
			return {
				token_type: tokenResponse === 'wrongType' ? 'mac' : 'Bearer',
				expires_in: LIFETIME_SECONDS,
				access_token: issued,
				scope,
			};
		},
	);
}
