/**
 * Owns the access tokens: the tokens that this process knows, the map in the hidden field of the
 * credential, and all renewals.
 *
 * All instances of `SharedToken` for the same client and scope share one state, because the executions of
 * a worker do not know each other. Without this state, each execution would request a token of its own. If
 * a server revokes the previous token of a scope, the executions would revoke each other's tokens.
 *
 * n8n stores the map that the credential returns, encrypted, for all workers. Before a renewal and after a
 * revocation, the stored map is read again. If another worker has stored a new token, this token is
 * adopted. Otherwise a token is requested. So all workers end up with the newest token.
 */
import { ServiceFailure } from '../failure';
import { InputError } from '../input-error';
import type { ReadResponse } from '../service-definitions';
import { SCOPE_ADVICE, SCOPE_OF_NODE, scopeOf, type ScopeData } from './scope';
import {
	parseClient,
	parseTokenResponse,
	tokenRequest,
	type Client,
	type Token,
	type TokenRequest,
} from './token';

/** Tokens by scope, as the credential's hidden field stores them. */
type TokenMap = Record<string, Token>;

/** Sends a token request. Resolves with a response of any status, and rejects if there is no response. */
export type SendTokenRequest = (request: TokenRequest) => Promise<ReadResponse>;

/** Functions of a run that the token needs to read the stored credential. */
export interface TokenUser {
	readStored(): Promise<Record<string, unknown>>;
	/** Ends early when the run ends. */
	sleep(ms: number): Promise<void>;
	random(): number;
	hint(message: string): void;
}

/** After a failed renewal, a token that is still valid is used for this time. */
const RENEW_AGAIN_MS = 30_000;

/**
 * Pause after a revocation, so that another worker can store a new token. It doubles with each revocation.
 */
const PAUSE_MS = 250;
/** Maximum of the pause after a revocation. A random time of up to the same length is added. */
const MAX_PAUSE_MS = 10_000;

/**
 * If a token lasted longer than this before it was revoked, the count of revocations in a row starts
 * again.
 */
const MAX_LIFETIME_IN_ROW_MS = 5 * 60_000;
/** Number of revocations in a row after which the user gets a hint. */
const HINT_AFTER_REVOCATIONS = 5;

interface TokenState {
	client: Client;
	scope: string;
	/** The newest token that was stored by any worker or issued to this process. */
	newest?: Token;
	revoked?: string;
	pending?: Promise<Token> | undefined;
	/** Until this time (epoch milliseconds), the old token is used because its renewal failed. */
	renewalPausedUntil: number;
	/** Whether the newest token was issued to this process and is not stored yet. */
	isUnstored: boolean;
}

/** The access token of one client and scope. */
export class SharedToken {
	static readonly states = new Map<string, TokenState>();

	/** Set while the stored map is being read. The other requests of the run wait for it. */
	private lookup: Promise<void> | undefined;
	/** Number of tokens in a row that were revoked soon after they were issued. */
	private revocations = 0;

	private constructor(
		private readonly state: TokenState,
		private readonly user?: TokenUser,
	) {}

	/**
	 * Returns the token of a client and scope.
	 *
	 * @param user the run that uses the token; without a run, the stored map is not read again
	 */
	static forScope(client: Client, scope: string, user?: TokenUser): SharedToken {
		const key = `${client.identity} ${scope}`;
		const state = this.states.get(key) ?? {
			client,
			scope,
			renewalPausedUntil: 0,
			isUnstored: false,
		};
		this.states.set(key, state);
		return new SharedToken(state, user);
	}

	/**
	 * Returns the token that signs a request with these data of a credential.
	 *
	 * @returns undefined if there is no token, if it has expired, or if it was issued to another client
	 */
	static findIn(data: ScopeData): Token | undefined {
		const tokens = parseTokenMap(data.accessTokens);
		const { [SCOPE_OF_NODE]: scopeOfNode } = data;
		// The data of a run contains only tokens that were checked before.
		if (scopeOfNode !== undefined) return tokens[scopeOfNode];
		const token = tokens[scopeOf(data)];
		if (token === undefined) return undefined;
		const isOurs = token.issuedFor === parseClient(data).identity;
		return isOurs && token.expiresAt > Date.now() ? token : undefined;
	}

	/** Adopts newer tokens of this client from a credential's hidden field, for all scopes. */
	adoptStored(accessTokens: unknown): void {
		const { client } = this.state;
		for (const [scope, token] of Object.entries(parseTokenMap(accessTokens)))
			if (token.issuedFor === client.identity)
				adopt(SharedToken.forScope(client, scope).state, token);
	}

	get isUnstored(): boolean {
		return this.state.isUnstored;
	}

	/**
	 * Returns the data that signs the next request of the run. Its hidden field contains the token. If a
	 * token must be requested, the field is blank. Then n8n calls `preAuthentication` of the credential,
	 * which writes the token into the same data.
	 *
	 * @param fields data of the credential at the start of the run
	 */
	async signingData(fields: ScopeData): Promise<ScopeData> {
		const { state } = this;
		if (!usableToken(state) && state.pending === undefined) {
			this.lookup ??= this.lookUp().finally(() => {
				this.lookup = undefined;
			});
			await this.lookup;
		}
		const token = usableToken(state);
		const accessTokens = token ? JSON.stringify({ [state.scope]: token }) : '';
		return { ...fields, accessTokens, [SCOPE_OF_NODE]: state.scope };
	}

	/**
	 * Notes that the service answered 401 to this token. The token was revoked, or it expired earlier than
	 * promised.
	 */
	markRevoked({ accessToken, issuedAt }: Token): void {
		const { state } = this;
		if (state.newest?.accessToken !== accessToken || isRevoked(state)) return;
		state.revoked = accessToken;
		if (Date.now() - issuedAt > MAX_LIFETIME_IN_ROW_MS) this.revocations = 0;
		this.revocations += 1;
		if (this.revocations !== HINT_AFTER_REVOCATIONS) return;
		this.user?.hint(
			'The AI service rejected several access tokens in a row, so the run took longer. Another program probably uses the same client: use a separate client for each n8n instance.',
		);
	}

	/**
	 * Obtains a token. If the token of the process can be used, it is returned. Otherwise one token is
	 * requested for all callers that wait. If this fails, an old token is used for a while.
	 *
	 * @param accepts tells whether a token can be used, e.g. because it is not the revoked one
	 * @throws InputError for an empty scope, ServiceFailure of kind `token` if no token could be obtained
	 */
	async obtain(send: SendTokenRequest, accepts: (token: Token) => boolean): Promise<Token> {
		const { state } = this;
		const token = usableToken(state);
		if (token && accepts(token)) return token;
		state.pending ??= requestToken(state, send).finally(() => {
			state.pending = undefined;
		});
		return await state.pending.catch((error: unknown) => {
			const old = validToken(state);
			if (!(error instanceof ServiceFailure) || !old || !accepts(old)) throw error;
			state.renewalPausedUntil = Date.now() + RENEW_AGAIN_MS;
			return old;
		});
	}

	/** Returns the map for the hidden field, with the valid tokens of the client for all scopes. */
	mapToStore(): string {
		const { state } = this;
		state.isUnstored = false;
		const tokens: TokenMap = {};
		for (const one of [state, ...SharedToken.states.values()]) {
			const token = one.client.identity === state.client.identity && validToken(one);
			if (token) tokens[one.scope] = token;
		}
		return JSON.stringify(tokens);
	}

	/** Looks for a token that another worker has stored, or may store after a revocation. */
	private async lookUp(): Promise<void> {
		const { state, user } = this;
		if (user === undefined) return;
		await this.readStored(user);
		if (!isRevoked(state)) return;
		// The workers wait for different lengths of time. The first one renews the token, and the others
		// adopt it.
		const pauseMs = Math.min(PAUSE_MS * 2 ** this.revocations, MAX_PAUSE_MS);
		await user.sleep(pauseMs * (1 + user.random()));
		await this.readStored(user);
	}

	/** Reads the stored map. If the credential cannot be read, this process continues with its own tokens. */
	private async readStored(user: TokenUser): Promise<void> {
		const stored = await user.readStored().catch(() => undefined);
		this.adoptStored(stored?.accessTokens);
	}
}

const isRevoked = ({ newest, revoked }: TokenState): boolean =>
	newest !== undefined && newest.accessToken === revoked;

/** Returns the newest token, if it is neither revoked nor expired. */
function validToken(state: TokenState): Token | undefined {
	const { newest } = state;
	return newest && !isRevoked(state) && newest.expiresAt > Date.now() ? newest : undefined;
}

/** Returns the token to sign with, or undefined if it must be renewed first. */
function usableToken(state: TokenState): Token | undefined {
	const token = validToken(state);
	return token && Date.now() < Math.max(token.renewAt, state.renewalPausedUntil)
		? token
		: undefined;
}

/**
 * Adopts a newer token. After a revocation, any other token is adopted, because the clocks of workers
 * differ.
 */
function adopt(state: TokenState, token: Token): void {
	const { newest } = state;
	const isNewer = newest === undefined || newest.issuedAt < token.issuedAt;
	if (isNewer || (isRevoked(state) && token.accessToken !== newest.accessToken))
		state.newest = token;
}

async function requestToken(state: TokenState, send: SendTokenRequest): Promise<Token> {
	const { client, scope } = state;
	if (scope === '') throw new InputError("'Custom Scope' is empty", SCOPE_ADVICE);
	const requestedAt = Date.now();
	const response = await send(tokenRequest(client, scope));
	const token = parseTokenResponse(response, scope, client.identity, requestedAt);
	Object.assign(state, {
		newest: token,
		revoked: undefined,
		renewalPausedUntil: 0,
		isUnstored: true,
	});
	return token;
}

/** Reads the stored map. Anything that is not a map counts as empty. */
export function parseTokenMap(stored: unknown): TokenMap {
	try {
		return Object(JSON.parse(String(stored))) as TokenMap;
	} catch {
		return {};
	}
}
