import { createHash } from 'crypto';

import { parseBaseUrl, PATHS, pathSegment } from '../url';
import { isTransientStatus, ServiceFailure } from '../failure';
import { InputError } from '../input-error';
import { isRecord } from '../json';
import { trimmed } from '../strings';
import { IF_IT_WORKED, PROXY_LOGIN, type ReadResponse } from '../service-definitions';
import { serverMessage } from '../response-words';

/** A token is renewed this long before it expires, as the vendor recommends. */
const RENEW_EARLY_MS = 5 * 60_000;
/** A token with a short lifetime is renewed when this fraction of its lifetime remains. */
const RENEW_EARLY_SHARE = 0.1;

/** Statuses that a token server returns when it rejects a client. */
const REJECTING_STATUSES = [400, 401, 403];

const TOKEN_PATTERN = /^[-a-zA-Z0-9._~+/]+=*$/;

/** An access token and its timestamps, as they are stored (docs/service-interface.md, Access tokens). */
export interface Token {
	accessToken: string;
	/**
	 * Time of the token request, in epoch milliseconds. The most recent token is used, because some servers
	 * revoke a client's earlier tokens when they issue a new one.
	 */
	issuedAt: number;
	expiresAt: number;
	/** Time in epoch milliseconds. After this time, the token is renewed before it is used. */
	renewAt: number;
	/** The token is never used for another client. */
	issuedFor: string;
}

export interface Client {
	authUrl: string;
	authorizationServerId: string;
	clientId: string;
	clientSecret: string;
	/**
	 * One-way hash of the other properties. The AI service URL is not part of the hash, so credentials with
	 * the same client share their tokens.
	 */
	identity: string;
}

/**
 * Reads the client from a credential's data.
 *
 * @throws InputError if a field is empty or the token server URL is invalid. The error names the field.
 */
export function parseClient(data: Record<string, unknown>): Client {
	const text = (key: string, label: string): string => {
		const value = data[key];
		if (typeof value === 'string' && trimmed(value) !== '') return trimmed(value);
		throw new InputError(`'${label}' is empty`, `Fill in '${label}' in the credential.`);
	};
	const authUrl = parseBaseUrl(data.authUrl, 'Token Server URL');
	const authorizationServerId = text('authorizationServerId', 'Authorization Server ID');
	const clientId = text('clientId', 'Client ID');
	const clientSecret = text('clientSecret', 'Client Secret');
	const identity = createHash('sha256')
		.update(JSON.stringify([authUrl, authorizationServerId, clientId, clientSecret]))
		.digest('base64url');
	return { authUrl, authorizationServerId, clientId, clientSecret, identity };
}

export type TokenRequest = ReturnType<typeof tokenRequest>;

/** Builds a token request (docs/service-interface.md, Access tokens). The request has no body. */
export function tokenRequest(client: Client, scope: string) {
	const server = pathSegment(client.authorizationServerId, 'Authorization Server ID');
	return {
		url: client.authUrl + PATHS.token(server),
		qs: { scope, grant_type: 'client_credentials' },
		headers: {
			'Cache-Control': 'no-cache',
			Accept: 'application/json',
			'Content-Type': 'application/x-www-form-urlencoded',
		},
		auth: { username: client.clientId, password: client.clientSecret },
	};
}

/**
 * Reads the response to a token request (docs/service-interface.md, Access tokens).
 *
 * @param requestedAt time at which the request was sent, in epoch milliseconds. The token's lifetime starts at this
 * time
 * @throws ServiceFailure of kind `token` if the response reports an error or does not contain a usable token
 */
export function parseTokenResponse(
	response: ReadResponse,
	scope: string,
	issuedFor: string,
	requestedAt: number,
): Token {
	const { status, body } = response;
	if (status < 200 || status > 299) throw rejectionFailure(response, scope);

	const unusableResponse = (what: string) =>
		new ServiceFailure(`The token server's response cannot be used: ${what}`, {
			kind: 'token',
			status,
			// Some gateways answer with status 200 and an error. A text could contain the token itself.
			...(isRecord(body) && { serviceWords: serverMessage(body) }),
			description:
				"Check 'Token Server URL' and 'Authorization Server ID' in the credential: the response may come from something other than the token endpoint.",
		});
	if (!isRecord(body)) throw unusableResponse('it is not a JSON object');
	const { token_type, expires_in, access_token, scope: grantedScope } = body;

	if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer') {
		throw unusableResponse('its token_type is not Bearer');
	}
	// Some servers return the lifetime as a string.
	const lifetimeMs = Number(expires_in) * 1000;
	if (!(lifetimeMs > 0 && lifetimeMs < Infinity)) {
		throw unusableResponse('its expires_in is not a positive number of seconds');
	}
	if (typeof access_token !== 'string' || !TOKEN_PATTERN.test(access_token)) {
		throw unusableResponse('its access_token is missing or has characters a token cannot have');
	}
	// OAuth allows a server to omit the scope if the server grants the requested scope.
	if (grantedScope !== undefined && !includesScopes(grantedScope, scope)) {
		throw unusableResponse(`it does not grant the requested scope ${scope}`);
	}
	const expiresAt = requestedAt + lifetimeMs;
	const renewAt = expiresAt - Math.min(RENEW_EARLY_MS, lifetimeMs * RENEW_EARLY_SHARE);
	return { accessToken: access_token, issuedAt: requestedAt, expiresAt, renewAt, issuedFor };
}

/** A server may grant more scopes than requested (RFC 6749, section 3.3). */
function includesScopes(grantedScope: unknown, requestedScope: string): boolean {
	const all = (scopes: string) => scopes.trim().split(/\s+/);
	if (typeof grantedScope !== 'string') return false;
	const granted = new Set(all(grantedScope));
	return all(requestedScope).every((scope) => granted.has(scope));
}

function rejectionFailure(
	{ status, body, retryAfterMs }: ReadResponse,
	scope: string,
): ServiceFailure {
	const error = isRecord(body) ? body.error : undefined;
	const words = serverMessage(body);
	const code = typeof error === 'string' ? serverMessage(error) : '';
	const refused =
		code === 'invalid_client' && !isFromBrowser(error, words)
			? "'Client ID' or 'Client Secret' is wrong"
			: `No token for the scope ${scope}`;
	return new ServiceFailure(
		`${refused}: the token server answered with status ${status}${code && ` (${code})`}`,
		{
			kind: 'token',
			status,
			serviceWords: words === code ? '' : words,
			description: rejectionAdvice(status, error, words, scope),
			isTransient: isTransientStatus(status),
			actionableCause: causeOfRejection(status, error),
			retryAfterMs,
		},
	);
}

/** Some token servers treat a request with an Origin header as a request from a browser, which needs a proof key. */
const isFromBrowser = (error: unknown, words: string): boolean =>
	error === 'invalid_client' && /proof key|pkce/i.test(words);

function causeOfRejection(status: number, error: unknown): ServiceFailure['actionableCause'] {
	if (!REJECTING_STATUSES.includes(status)) return undefined;
	return error === 'invalid_scope' ? 'configuration-invalid' : 'credential-invalid';
}

function rejectionAdvice(status: number, error: unknown, words: string, scope: string): string {
	if (isFromBrowser(error, words)) {
		return 'The token server rejected the request as a request from a browser, probably because it had an Origin header. n8n does not send this header. Remove the proxy or gateway that adds it, or use a client that is registered for client credentials.';
	}
	if (error === 'invalid_scope') {
		return `Ask the administrator to grant the client the scope ${scope}, or choose another 'Scope'.`;
	}
	if (status === 407) return `${PROXY_LOGIN}.`;
	const mayBeIncident = status === 401 || status === 403 || status >= 500;
	const after = mayBeIncident ? ` ${IF_IT_WORKED}.` : '';
	if (isTransientStatus(status))
		return `The token server is busy or down. Try again later.${after}`;
	if (REJECTING_STATUSES.includes(status))
		return `Check 'Client ID' and 'Client Secret' in the credential.${after}`;
	const redirect = status < 400 ? 'Redirects are not followed. ' : '';
	return `${redirect}Check 'Token Server URL' and 'Authorization Server ID' in the credential.`;
}
