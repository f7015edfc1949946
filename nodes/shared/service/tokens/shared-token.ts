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

/** scope -> token, as the credential's hidden field stores it. */
type TokenMap = Record<string, Token>;

/** Sends a token request and resolves with any status; rejects if there is no response. */
export type SendTokenRequest = (request: TokenRequest) => Promise<ReadResponse>;

/** What a run lends the token for looking in the stored credential. */
export interface TokenUser {
	/** Reads the data of the stored credential. */
	readStored(): Promise<Record<string, unknown>>;
	/** Ends early when the run ends. */
	sleep(ms: number): Promise<void>;
	random(): number;
	hint(message: string): void;
}

/** Pause after a renewal that failed while the old token is still valid. */
const RENEW_AGAIN_MS = 30_000;

/** Pause after a revocation, in which other workers can store a new token. It doubles with each revocation ... */
const PAUSE_MS = 250;
/** ... up to this. A random share of up to as long again is added. */
const MAX_PAUSE_MS = 10_000;

/** A token that lasted longer ends a row of revoked tokens. */
const MAX_LIFETIME_IN_ROW_MS = 5 * 60_000;
/** Revocations in a row that lead to a hint. */
const HINT_AFTER_REVOCATIONS = 5;

/** What this process knows about the token of one client and scope. */
interface TokenState {
	client: Client;
	scope: string;
	/** The newest token that was stored, or issued to this process. */
	newest?: Token;
	/** The access token that the service revoked last. */
	revoked?: string;
	pending?: Promise<Token> | undefined;
	/** Epoch ms up to which an old token is used because its renewal failed. */
	renewalPausedUntil: number;
	/** The newest token was issued here, and nobody has stored it yet. */
	isUnstored: boolean;
}

/**
 * The access token of one client and scope. This class is the only owner of tokens: of the token that this
 * process knows, of the map in the hidden field of the credential, and of renewals.
 *
 * All instances for the same client and scope share what the process knows, since the executions of a worker
 * do not know of each other. Otherwise each execution would request a token of its own, and a server that
 * revokes the previous token of a scope would let them revoke each other's tokens.
 *
 * n8n stores the map that the credential returns, encrypted, for all workers. Before a renewal and after a
 * revocation the stored map is read again. A token that another worker has stored is adopted, and only
 * without one a token is requested. So all workers end with the newest token.
 */
export class SharedToken {
	/** What this process knows, by client and scope. */
	static readonly states = new Map<string, TokenState>();

	/** The stored map is being read: requests of the run wait for it. */
	private lookup: Promise<void> | undefined;
	/** Revoked tokens in a row that were revoked soon. */
	private revocations = 0;

	private constructor(
		private readonly state: TokenState,
		private readonly user?: TokenUser,
	) {}

	/**
	 * Returns the token of a client and scope.
	 *
	 * @param user the run that it is for; without a run the stored map is not read again
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
	 * Finds the token in the data of a credential that a request with these data is signed with.
	 *
	 * @returns undefined if there is none, if it has expired, or if it was issued for another client
	 */
	static findIn(data: ScopeData): Token | undefined {
		const tokens = parseTokenMap(data.accessTokens);
		const { [SCOPE_OF_NODE]: scopeOfNode } = data;
		// The data of a run have only tokens that were checked.
		if (scopeOfNode !== undefined) return tokens[scopeOfNode];
		const token = tokens[scopeOf(data)];
		if (token === undefined) return undefined;
		const isOurs = token.issuedFor === parseClient(data).identity;
		return isOurs && token.expiresAt > Date.now() ? token : undefined;
	}

	/** Adopts the newer tokens of this client, for any scope, from a credential's hidden field. */
	adoptStored(accessTokens: unknown): void {
		const { client } = this.state;
		for (const [scope, token] of Object.entries(parseTokenMap(accessTokens)))
			if (token.issuedFor === client.identity)
				adopt(SharedToken.forScope(client, scope).state, token);
	}

	/** Whether the newest token was issued here and nobody has stored it yet. */
	get isUnstored(): boolean {
		return this.state.isUnstored;
	}

	/**
	 * Returns the data to sign the next request of the run with. The hidden field has the map with the token.
	 * If a token must be requested, the field is blank: then n8n calls the credential's `preAuthentication`, which
	 * puts the map into the same data.
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

	/** Notes that the service answered 401 to this token: it was revoked, or its lifetime is shorter than promised. */
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
	 * Obtains a token: that of the process if it can be used, otherwise one is requested, once for all who wait. If
	 * the request fails, an old token is used for a while.
	 *
	 * @param accepts whether a token will do, e.g. because it is not the one that was revoked
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

	/** Returns the map for the hidden field: the valid tokens of the client for all scopes, since one field has them all. */
	toStore(): string {
		const { state } = this;
		state.isUnstored = false;
		const tokens: TokenMap = {};
		for (const one of [state, ...SharedToken.states.values()]) {
			const token = one.client.identity === state.client.identity && validToken(one);
			if (token) tokens[one.scope] = token;
		}
		return JSON.stringify(tokens);
	}

	/** Looks for a token that another worker has stored, or is about to store after a revocation. */
	private async lookUp(): Promise<void> {
		const { state, user } = this;
		if (user === undefined) return;
		await this.readStored(user);
		if (!isRevoked(state)) return;
		// If several workers wait, the first one renews and the others adopt its token.
		const pauseMs = Math.min(PAUSE_MS * 2 ** this.revocations, MAX_PAUSE_MS);
		await user.sleep(pauseMs * (1 + user.random()));
		await this.readStored(user);
	}

	/** If the credential cannot be read, the tokens of this process remain. */
	private async readStored(user: TokenUser): Promise<void> {
		const stored = await user.readStored().catch(() => undefined);
		this.adoptStored(stored?.accessTokens);
	}
}

const isRevoked = ({ newest, revoked }: TokenState): boolean =>
	newest !== undefined && newest.accessToken === revoked;

/** The newest token, until it is revoked or expires. */
function validToken(state: TokenState): Token | undefined {
	const { newest } = state;
	return newest && !isRevoked(state) && newest.expiresAt > Date.now() ? newest : undefined;
}

/** The token to sign with; undefined if it has to be renewed first. */
function usableToken(state: TokenState): Token | undefined {
	const token = validToken(state);
	return token && Date.now() < Math.max(token.renewAt, state.renewalPausedUntil)
		? token
		: undefined;
}

/** Adopts a newer token, since it was not revoked; after a revocation any other one, since clocks differ. */
function adopt(state: TokenState, token: Token): void {
	const { newest } = state;
	const isNewer = newest === undefined || newest.issuedAt < token.issuedAt;
	if (isNewer || (isRevoked(state) && token.accessToken !== newest.accessToken))
		state.newest = token;
}

/** Requests a token. */
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

/** Reads the stored map; anything that is none counts as empty. */
export function parseTokenMap(stored: unknown): TokenMap {
	try {
		return Object(JSON.parse(String(stored))) as TokenMap;
	} catch {
		return {};
	}
}
