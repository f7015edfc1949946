/**
 * Manages the access tokens that this process knows, the token map in the credential's hidden field, and all renewals.
 *
 * All `SharedToken` objects for the same client and scope share one state, because a worker's executions do not know
 * about each other. Without shared state, each execution would request its own token. Some servers revoke the previous
 * token for a scope when they issue a new one. The executions would then revoke each other's tokens.
 *
 * n8n stores the token map in encrypted form for all workers. The map is read again before a renewal and after a
 * revocation. If another worker has stored a newer token, that token is adopted. Otherwise, a new token is requested.
 * This way, all workers end up with the newest token.
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

/** Tokens by scope, as stored in the credential's hidden field. */
type TokenMap = Record<string, Token>;

/** The promise resolves with a response of any status, and rejects if there is no response. */
export type SendTokenRequest = (request: TokenRequest) => Promise<ReadResponse>;

interface TokenUser {
	readStored(): Promise<Record<string, unknown>>;
	/** Ends early when the run ends. */
	sleep(ms: number): Promise<void>;
	random(): number;
	hint(message: string): void;
}

/**
 * If a renewal fails while the token is still valid, the token stays in use. The next renewal attempt starts after this
 * time.
 */
const RENEW_AGAIN_MS = 30_000;

/**
 * After a revocation, the process pauses, so that another worker can store a new token. The first pause is twice as
 * long as this value. The pause doubles with each consecutive revocation after that.
 */
const PAUSE_MS = 250;
/** Maximum pause after a revocation. A random part is added to each pause, which can at most double the pause. */
const MAX_PAUSE_MS = 10_000;

/**
 * If a token lasted longer than this before it was revoked, the count of consecutive revocations starts
 * over.
 */
const MAX_LIFETIME_IN_ROW_MS = 5 * 60_000;
const HINT_AFTER_REVOCATIONS = 5;

interface TokenState {
	client: Client;
	scope: string;
	newest?: Token;
	revoked?: string;
	pending?: Promise<Token> | undefined;
	/** After a failed renewal, the current token is used until this time (epoch milliseconds). */
	renewalPausedUntil: number;
	/** Whether the newest token was issued to this process and has not been stored yet. */
	isUnstored: boolean;
}

/** Credential data whose tokens n8n is storing. n8n signs a request only after it has stored its token. */
const storing = new WeakSet<object>();

export class SharedToken {
	static readonly states = new Map<string, TokenState>();

	/**
	 * Set while the stored token map is being read. The run's other requests wait until it has been read.
	 */
	private lookup: Promise<void> | undefined;
	/** Number of consecutive tokens that were revoked soon after they were issued. */
	private revocations = 0;

	private constructor(
		private readonly state: TokenState,
		private readonly user?: TokenUser,
	) {}

	/** @param user the run that uses the token. If there is no run, the stored token map cannot be read */
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
	 * Returns the token used to sign a request with this credential data.
	 *
	 * @returns undefined if there is no token, if the token has expired, or if it was issued to another
	 *   client
	 */
	static findIn(data: ScopeData): Token | undefined {
		const tokens = parseTokenMap(data.accessTokens);
		const { [SCOPE_OF_NODE]: scopeOfNode } = data;
		// If the data comes from a run, the tokens in the data have already been checked.
		if (scopeOfNode !== undefined) return tokens[scopeOfNode];
		const token = tokens[scopeOf(data)];
		if (token === undefined) return undefined;
		const isOurs = token.issuedFor === parseClient(data).identity;
		return isOurs && token.expiresAt > Date.now() ? token : undefined;
	}

	/** Returns true if a request with this credential data must wait for a token (see `signingData`). */
	static isAwaitedIn({ accessTokens }: ScopeData): boolean {
		return accessTokens === '';
	}

	/**
	 * Adopts newer tokens from a credential's hidden field. Tokens for all scopes are adopted if they were
	 * issued to this client.
	 */
	adoptStored(accessTokens: unknown): void {
		const { client } = this.state;
		for (const [scope, token] of Object.entries(parseTokenMap(accessTokens)))
			if (token.issuedFor === client.identity)
				adopt(SharedToken.forScope(client, scope).state, token);
	}

	get isUnstored(): boolean {
		return this.state.isUnstored;
	}

	/** Called when n8n is about to store the tokens in this data. */
	static beginStoring(data: ScopeData): void {
		storing.add(data);
	}

	/** Called when n8n signs a request with this data, so it has stored the tokens in the data. */
	static endStoring(data: ScopeData): void {
		storing.delete(data);
	}

	/**
	 * Called after a request has failed. If n8n failed to store the request's token, for example because its database
	 * was busy, the token is still known. The request can then be sent with it, and a later request stores it.
	 *
	 * @returns whether n8n failed to store the token
	 */
	failStoring(data: ScopeData): boolean {
		if (!storing.delete(data)) return false;
		this.state.isUnstored = true;
		return true;
	}

	/**
	 * Returns the credential data used to sign the run's next request. The data has a hidden field that contains the
	 * token. The field is blank if a token must be requested first. In this case, n8n calls the credential's
	 * `preAuthentication`, which writes the new token into the same data.
	 *
	 * @param fields the credential's data at the start of the run
	 * @param mayStore whether n8n may store the token if it is not stored yet
	 */
	async signingData(fields: ScopeData, mayStore = true): Promise<ScopeData> {
		const { state } = this;
		if (!usableToken(state) && state.pending === undefined) {
			this.lookup ??= this.lookUp().finally(() => {
				this.lookup = undefined;
			});
			await this.lookup;
		}
		const isToStore = mayStore && state.isUnstored;
		const token = isToStore ? undefined : usableToken(state);
		const accessTokens = token ? JSON.stringify({ [state.scope]: token }) : '';
		return { ...fields, accessTokens, [SCOPE_OF_NODE]: state.scope };
	}

	/**
	 * Records that the service rejected a token with status 401. Either the token was revoked, or it
	 * expired earlier than promised.
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
	 * Returns a token, and requests a new one if necessary. If this process has a usable token, that token is returned.
	 * Otherwise, one token is requested for all waiting callers. If the token request fails, a token that is due for
	 * renewal but still valid stays in use for a while.
	 *
	 * @param accepts function that returns true if a token can be used, e.g. because it is not the revoked token
	 * @throws InputError if the scope is empty, and ServiceFailure of kind `token` if no token could be obtained
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

	/** The map contains the client's valid tokens for all scopes. */
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

	/**
	 * Looks for a token that another worker has stored. After a revocation, waits first, so that another
	 * worker can store a new token.
	 */
	private async lookUp(): Promise<void> {
		const { state, user } = this;
		if (user === undefined) return;
		await this.readStored(user);
		if (!isRevoked(state)) return;
		// Each worker waits for a different length of time. The first worker to continue renews the token,
		// and the others adopt the new token.
		const pauseMs = Math.min(PAUSE_MS * 2 ** this.revocations, MAX_PAUSE_MS);
		await user.sleep(pauseMs * (1 + user.random()));
		await this.readStored(user);
	}

	/** If this fails, the process continues with its own tokens. */
	private async readStored(user: TokenUser): Promise<void> {
		const stored = await user.readStored().catch(() => undefined);
		this.adoptStored(stored?.accessTokens);
	}
}

const isRevoked = ({ newest, revoked }: TokenState): boolean =>
	newest !== undefined && newest.accessToken === revoked;

function validToken(state: TokenState): Token | undefined {
	const { newest } = state;
	return newest && !isRevoked(state) && newest.expiresAt > Date.now() ? newest : undefined;
}

function usableToken(state: TokenState): Token | undefined {
	const token = validToken(state);
	return token && Date.now() < Math.max(token.renewAt, state.renewalPausedUntil)
		? token
		: undefined;
}

/**
 * Adopts a token if it is newer than the known token. After a revocation, any different token is adopted,
 * because the workers' clocks may differ.
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

/** Parses the stored token map. Anything that is not a map is treated as an empty map. */
export function parseTokenMap(stored: unknown): TokenMap {
	try {
		return Object(JSON.parse(String(stored))) as TokenMap;
	} catch {
		return {};
	}
}
