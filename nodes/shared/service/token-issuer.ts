import { createHash } from 'crypto';

import { ServiceFailure } from './failure';
import { InputError } from './input-error';
import { DEFAULT_SCOPE } from './scope';
import {
	addToken,
	isFresh,
	livingToken,
	parseClient,
	parseTokenMap,
	parseTokenReply,
	postponeRenewal,
	tokenRequest,
	type Token,
	type TokenMap,
	type TokenRequest,
} from './token';

/** Fields of the AI service credential beside the client's own. */
export interface TokenFields {
	[field: string]: unknown;
	/** The credential's own scope, for the HTTP Request node and the credential test. */
	scope?: unknown;
	customScope?: unknown;
	/** The stored token map, '' where n8n is to renew. */
	accessTokens?: unknown;
	/** Set by a node of this package in its copy: its own scope. */
	requestedScope?: unknown;
	/** Set by a node: the token map it holds, since it blanks `accessTokens`. */
	heldTokens?: unknown;
	/** Set by a node: the token the service answered 401 to. */
	rejectedToken?: unknown;
}

/** Sends endpoint 1 and resolves with any status; rejects where no answer came. */
export type SendTokenRequest = (
	request: TokenRequest,
) => Promise<{ status: number; body: unknown; retryAfterMs?: number | undefined }>;

/**
 * Tokens of this process, by client. Executions of one worker run side by side and do not know of
 * each other; without this each would issue a token of its own, and a server that revokes the
 * former token of a scope would let them kill each other's. Nothing relies on it: an empty one only
 * costs a request.
 */
const issued = new Map<string, TokenMap>();
const pending = new Map<string, Promise<Token>>();
/** Why the last attempt with these data got no token: n8n 1.x drops the cause of an error. */
const failures = new WeakMap<TokenFields, unknown>();

/** The scope a credential's data asks for; '' where its custom one is empty. */
export function scopeOf(data: TokenFields): string {
	const chosen =
		data.requestedScope ?? (data.scope === 'custom' ? (data.customScope ?? '') : data.scope);
	return typeof chosen === 'string' ? chosen.trim() : DEFAULT_SCOPE;
}

/**
 * Identity of the client behind a credential, one way: whoever changes the client ID, the secret or
 * an address gets new tokens, though n8n keeps the hidden field.
 */
export function clientIdentity(data: TokenFields): string {
	const { authUrl, authorizationServerId, clientId, clientSecret, aiUrl } = data;
	return createHash('sha256')
		.update(JSON.stringify([authUrl, authorizationServerId, clientId, clientSecret, aiUrl]))
		.digest('base64url');
}

/** The token to send with a request, if the credential's data hold a living one. */
export function heldToken(data: TokenFields, now: number): Token | undefined {
	const map = parseTokenMap(data.accessTokens);
	return livingToken(map, scopeOf(data), clientIdentity(data), now);
}

/** What the last `issueToken` with these very data has thrown, undefined if it went well. */
export function tokenFailure(data: TokenFields): unknown {
	return failures.get(data);
}

/**
 * Issues a token for the scope of a credential's data (spec, Authentication 1 and 2), at most one
 * at a time for a client and scope in this process.
 *
 * Takes a fresh token this process has issued meanwhile instead: for a node's request
 * (`requestedScope` is set) unless it is the refused one, for the HTTP Request node and the
 * credential test only if it is newer than the one in their data. n8n repeats their requests once
 * and does not say what was refused; were each to get a token of its own, a server that revokes
 * would let them kill each other's.
 *
 * Only a node's request keeps a token that still lives when the renewal fails.
 *
 * @returns the new token map, to be stored
 * @throws InputError for unusable fields, ServiceFailure of kind `token` where none could be had
 */
export async function issueToken(
	data: TokenFields,
	send: SendTokenRequest,
	now: () => number,
): Promise<TokenMap> {
	const attempt = tokenMapWithNew(data, send, now);
	void attempt.then(
		() => failures.delete(data),
		(error: unknown) => failures.set(data, error),
	);
	return await attempt;
}

async function tokenMapWithNew(
	data: TokenFields,
	send: SendTokenRequest,
	now: () => number,
): Promise<TokenMap> {
	const client = parseClient(data);
	const scope = scopeOf(data);
	if (scope === '') {
		throw new InputError(
			"'Custom Scope' is empty",
			'Enter a scope, or choose one of the list.',
		);
	}
	const issuedFor = clientIdentity(data);
	const held = parseTokenMap(data.heldTokens ?? data.accessTokens);
	const key = `${issuedFor} ${scope}`;
	const isNode = data.requestedScope !== undefined;

	/** What is to be stored: a token of another scope, issued at the same time, stays in it. */
	const mapWith = (token: Token) =>
		addToken(newest(held, issued.get(issuedFor)), scope, token, now());

	const known = issued.get(issuedFor)?.[scope];
	if (isFresh(known, now())) {
		const mayTake = isNode
			? known.accessToken !== data.rejectedToken
			: isNewer(known, held[scope]);
		if (mayTake) return mapWith(known);
	}

	let request = pending.get(key);
	if (request === undefined) {
		request = (async () => {
			const askedAt = now();
			const token = parseTokenReply(
				await send(tokenRequest(client, scope)),
				scope,
				issuedFor,
				askedAt,
			);
			forgetEnded(askedAt);
			issued.set(issuedFor, addToken(issued.get(issuedFor) ?? {}, scope, token, askedAt));
			return token;
		})().finally(() => pending.delete(key));
		pending.set(key, request);
	}
	const token = await request.catch((error: unknown) => {
		const old = livingToken(held, scope, issuedFor, now());
		const mayKeep = isNode && old !== undefined && old.accessToken !== data.rejectedToken;
		if (mayKeep && error instanceof ServiceFailure) return postponeRenewal(old, now());
		throw error;
	});
	return mapWith(token);
}

/** Both maps in one, of each scope the token that lives longer. */
function newest(map: TokenMap, other: TokenMap = {}): TokenMap {
	const merged = { ...map };
	for (const [scope, token] of Object.entries(other)) {
		if (isNewer(token, merged[scope])) merged[scope] = token;
	}
	return merged;
}

/** Whether a token lives longer than the held one; one of another client counts as missing. */
function isNewer(token: Token, held: Token | undefined): boolean {
	return held?.issuedFor !== token.issuedFor || held.expiresAt < token.expiresAt;
}

function forgetEnded(now: number): void {
	for (const [client, tokens] of issued) {
		if (Object.values(tokens).every(({ expiresAt }) => expiresAt <= now)) issued.delete(client);
	}
}
