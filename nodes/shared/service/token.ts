import { parseAddress, pathSegment } from './address';
import { serverMessage, ServiceFailure } from './failure';
import { InputError } from './input-error';

/** A token is renewed so long before its end, as the vendor advises ... */
export const RENEW_EARLY_MS = 5 * 60_000;
/** ... or in the last tenth of its life, where that is less. */
const RENEW_EARLY_SHARE = 0.1;
/** After a renewal that failed while the old token still lives, the next one waits so long. */
const RENEW_AGAIN_MS = 30_000;

const TOKEN_PATTERN = /^[-a-zA-Z0-9._~+/]+=*$/;

export interface Token {
	accessToken: string;
	/** Epoch ms. */
	expiresAt: number;
	/** Epoch ms from which on it is renewed before use. */
	renewAt: number;
	/** Identity of the client it was issued for: a token of a former client ID is never reused. */
	issuedFor: string;
}

/** scope -> token, as the credential's hidden field stores it. */
export type TokenMap = Record<string, Token>;

/** Endpoint 1, ready to be sent. */
export interface TokenRequest {
	url: string;
	qs: { scope: string; grant_type: 'client_credentials' };
	headers: Record<string, string>;
	auth: { username: string; password: string };
}

/** What the credential holds for endpoint 1. */
export interface Client {
	authUrl: string;
	authorizationServerId: string;
	clientId: string;
	clientSecret: string;
}

/**
 * Reads the client from a credential's data.
 *
 * @throws InputError naming the field that is missing
 */
export function parseClient(data: Record<string, unknown>): Client {
	const text = (key: string, label: string): string => {
		const value = data[key];
		if (typeof value === 'string' && value.trim() !== '') return value.trim();
		throw new InputError(`'${label}' is empty`, `Fill in '${label}' in the credential.`);
	};
	return {
		authUrl: parseAddress(data.authUrl, 'Token Server Address'),
		authorizationServerId: text('authorizationServerId', 'Authorization Server ID'),
		clientId: text('clientId', 'Client ID'),
		clientSecret: text('clientSecret', 'Client Secret'),
	};
}

/** Builds endpoint 1 (spec, Endpoints and Token request): everything but the body, it has none. */
export function tokenRequest(client: Client, scope: string): TokenRequest {
	const server = pathSegment(client.authorizationServerId, 'Authorization Server ID');
	return {
		url: `${client.authUrl}/oauth2/${server}/v1/token`,
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
 * Reads the reply of endpoint 1 (spec, Token response).
 *
 * @param askedAt epoch ms at which the request was sent: the token's life starts there at the latest
 * @throws ServiceFailure of kind `token` for an error object and for any reply that is no usable token
 */
export function parseTokenReply(
	reply: { status: number; body: unknown; retryAfterMs?: number | undefined },
	scope: string,
	issuedFor: string,
	askedAt: number,
): Token {
	const { status, body } = reply;
	if (status < 200 || status > 299) throw refusal(status, body, scope, reply.retryAfterMs);

	const unusable = (what: string) =>
		new ServiceFailure(`The token server's reply cannot be used: ${what}`, {
			kind: 'token',
			status,
			description:
				"Check 'Token Server Address' and 'Authorization Server ID' in the credential: something else than the token endpoint may have answered.",
		});
	if (typeof body !== 'object' || body === null) throw unusable('it is not a JSON object');
	const {
		token_type,
		expires_in,
		access_token,
		scope: granted,
	} = body as Record<string, unknown>;

	if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer') {
		throw unusable('its token_type is not Bearer');
	}
	// Some servers write the number as text.
	const lifetimeSeconds = typeof expires_in === 'string' ? Number(expires_in) : expires_in;
	if (
		typeof lifetimeSeconds !== 'number' ||
		!(lifetimeSeconds > 0 && lifetimeSeconds < Infinity)
	) {
		throw unusable('its expires_in is no positive number of seconds');
	}
	if (typeof access_token !== 'string' || !TOKEN_PATTERN.test(access_token)) {
		throw unusable('its access_token is missing or has characters a token cannot have');
	}
	// OAuth lets a server leave the scope out where it grants just what was asked.
	if (granted !== undefined && !sameScopes(granted, scope)) {
		throw unusable(`it grants another scope than the requested ${scope}`);
	}
	const lifetimeMs = lifetimeSeconds * 1000;
	const expiresAt = askedAt + lifetimeMs;
	const renewAt = expiresAt - Math.min(RENEW_EARLY_MS, lifetimeMs * RENEW_EARLY_SHARE);
	return { accessToken: access_token, expiresAt, renewAt, issuedFor };
}

function sameScopes(granted: unknown, asked: string): boolean {
	const sorted = (scopes: string) => scopes.trim().split(/\s+/).sort().join(' ');
	return typeof granted === 'string' && sorted(granted) === sorted(asked);
}

/** The token error object (spec, Token error object and Errors) as a failure a person can act on. */
function refusal(
	status: number,
	body: unknown,
	scope: string,
	retryAfterMs: number | undefined,
): ServiceFailure {
	const error = (body as { error?: unknown } | null | undefined)?.error;
	const words = serverMessage(body);
	const transient = status === 408 || status === 429 || status >= 500;
	let description = "Check 'Client ID' and 'Client Secret' in the credential.";
	if (error === 'invalid_client' && /proof key|pkce/i.test(words)) {
		description =
			'The token server took the request for one of a browser, because it carried an Origin header. Call it from the n8n server itself: remove the proxy or gateway that adds Origin, or use a client registered for client credentials.';
	} else if (error === 'invalid_scope') {
		description = `Ask the administrator to grant the client the scope ${scope}, or choose another 'Scope'.`;
	} else if (status === 404 || (status >= 300 && status < 400)) {
		description =
			"Check 'Token Server Address' and 'Authorization Server ID' in the credential.";
	} else if (transient) {
		description = 'The token server is busy or down. Try again later.';
	}
	const code = typeof error === 'string' ? ` (${error})` : '';
	return new ServiceFailure(
		`The token server refused to issue a token for the scope ${scope}: status ${status}${code}${words && words !== error ? `, ${words}` : ''}`,
		{
			kind: 'token',
			status,
			description,
			transient,
			...(retryAfterMs !== undefined && { retryAfterMs }),
		},
	);
}

/** Reads the stored map; anything else than a map of tokens counts as empty. */
export function parseTokenMap(stored: unknown): TokenMap {
	if (typeof stored !== 'string' || stored === '') return {};
	let parsed: unknown;
	try {
		parsed = JSON.parse(stored);
	} catch {
		return {};
	}
	if (typeof parsed !== 'object' || parsed === null) return {};
	return Object.fromEntries(Object.entries(parsed).filter(([, value]) => isToken(value)));
}

function isToken(value: unknown): value is Token {
	if (typeof value !== 'object' || value === null) return false;
	const token = value as Partial<Token>;
	return (
		typeof token.accessToken === 'string' &&
		typeof token.expiresAt === 'number' &&
		typeof token.renewAt === 'number' &&
		typeof token.issuedFor === 'string'
	);
}

/** The map with one more token, without those of other clients and those that have ended. */
export function addToken(map: TokenMap, scope: string, token: Token, now: number): TokenMap {
	const kept = Object.entries(map).filter(
		([, held]) => held.issuedFor === token.issuedFor && held.expiresAt > now,
	);
	return { ...Object.fromEntries(kept), [scope]: token };
}

/** The token of a scope, if it was issued for this client and has not ended. */
export function livingToken(
	map: TokenMap,
	scope: string,
	issuedFor: string,
	now: number,
): Token | undefined {
	const token = map[scope];
	return token?.issuedFor === issuedFor && token.expiresAt > now ? token : undefined;
}

/** Whether a token may be used without renewing it first. */
export function isFresh(token: Token | undefined, now: number): token is Token {
	return token !== undefined && now < token.renewAt;
}

/** The same token with its next renewal put off, for when a renewal has failed. */
export function postponeRenewal(token: Token, now: number): Token {
	return { ...token, renewAt: Math.min(now + RENEW_AGAIN_MS, token.expiresAt) };
}
