/**
 * Manages access tokens: the tokens that this process knows, the token map in the hidden field of the credential, and
 * all renewals.
 *
 * All `SharedToken` objects of the same client and scope share a state, because the executions of a worker do not
 * know about each other. Otherwise, each execution would request a token of its own. On a server that revokes the
 * previous token of a scope, executions would then revoke each other's tokens.
 *
 * n8n stores the token map in encrypted form for all workers. Before a renewal and after a revocation, the process
 * reads the map again. If another worker has stored a newer token, the process adopts it. Otherwise, it requests a
 * new token. So all workers use the newest token in the end.
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

/** Tokens by scope, as in the hidden field of the credential. */
type TokenMap = Record<string, Token>;

/** Sends a token request. The promise resolves for each status, and rejects if there is no response. */
export type SendTokenRequest = (request: TokenRequest) => Promise<ReadResponse>;

/** Functions of a run that its token uses, for example to read the stored credential. */
export interface TokenUser {
	readStored(): Promise<Record<string, unknown>>;
	/** Sleeps until the time is over or the run ends. */
	sleep(ms: number): Promise<void>;
	random(): number;
	hint(message: string): void;
}

/** If a renewal fails, a token that is still valid is used for this time before the next renewal. */
const RENEW_AGAIN_MS = 30_000;

/** Pause after a revocation, in which another worker may store a new token. It doubles with each revocation. */
const PAUSE_MS = 250;
/** Maximum pause after a revocation, without a random addition of up to the same length. */
const MAX_PAUSE_MS = 10_000;

/** If a token was valid for longer than this, its revocation is the first of a new series. */
const MAX_LIFETIME_IN_ROW_MS = 5 * 60_000;
/** The user sees a hint after this number of revocations in a row. */
const HINT_AFTER_REVOCATIONS = 5;

interface TokenState {
	client: Client;
	scope: string;
	/** The newest token that this process knows. It may come from another worker. */
	newest?: Token;
	revoked?: string;
	pending?: Promise<Token> | undefined;
	/** The token is not renewed before this time (epoch milliseconds), because its renewal has failed. */
	renewalPausedUntil: number;
	/** Whether the newest token was issued to this process and is not stored yet. */
	isUnstored: boolean;
}

/** The access token of a client and scope. */
export class SharedToken {
	static readonly states = new Map<string, TokenState>();

	/** Set while the run reads the token map. Other requests of the run wait for this. */
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
	 * @param user the run that uses the token. Without a run, the token map is not read again
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
	 * Returns the token in this data that signs a request.
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

	/** Adopts the newer tokens of this client, for all scopes, from the hidden field of a credential. */
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
	 * Returns the data that signs the next request of the run. Its hidden field contains the token. If it is blank,
	 * n8n calls `preAuthentication`, which obtains a token and adds it to the same data.
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

	/** Remembers that the service has answered with 401. The token was revoked, or has expired too early. */
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
	 * Returns a token. If this process has no usable token, it requests one for all callers that wait. If this
	 * request fails, a token that is still valid stays in use for a while.
	 *
	 * @param accepts returns true if a token is good, for example because it is not the revoked one
	 * @throws InputError if the scope is empty, and ServiceFailure of kind `token` if there is no token
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

	/** Returns the token map for the hidden field, with the client's valid tokens for all scopes. */
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
	 * Reads the token map for a token of another worker. After a revocation, waits before, so that another worker can
	 * store a token.
	 */
	private async lookUp(): Promise<void> {
		const { state, user } = this;
		if (user === undefined) return;
		await this.readStored(user);
		if (!isRevoked(state)) return;
		// Each worker waits for another random time. The first one renews the token, and the others adopt it.
		const pauseMs = Math.min(PAUSE_MS * 2 ** this.revocations, MAX_PAUSE_MS);
		await user.sleep(pauseMs * (1 + user.random()));
		await this.readStored(user);
	}

	/** Reads the stored token map. If this fails, the process continues with its own tokens. */
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

/** Returns the token for signing requests. Returns undefined if it must be renewed before. */
function usableToken(state: TokenState): Token | undefined {
	const token = validToken(state);
	return token && Date.now() < Math.max(token.renewAt, state.renewalPausedUntil)
		? token
		: undefined;
}

/**
 * Adopts a token if it is newer. After a revocation, adopts each other token, because the clocks of workers may
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

/** Parses the stored token map. Anything else counts as an empty map. */
export function parseTokenMap(stored: unknown): TokenMap {
	try {
		return Object(JSON.parse(String(stored))) as TokenMap;
	} catch {
		return {};
	}
}
