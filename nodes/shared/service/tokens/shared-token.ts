import { ServiceFailure } from '../failure';
import { InputError } from '../input-error';
import type { ReadResponse } from '../services';
import { SCOPE_ADVICE } from './scope';
import {
	parseTokenMap,
	parseTokenResponse,
	tokenRequest,
	type Client,
	type Token,
	type TokenMap,
	type TokenRequest,
} from './token';

/** Sends a token request and resolves with any status; rejects if there is no response. */
export type SendTokenRequest = (request: TokenRequest) => Promise<ReadResponse>;

/** Pause after a renewal that failed while the old token is still valid. */
const RENEW_AGAIN_MS = 30_000;

/**
 * The token of one client and scope, as this process knows it: the newest of those that were stored or
 * issued here, otherwise one request for all who wait. The executions of a worker do not know of each
 * other: without this each would request a token of its own, and a server that revokes the previous token
 * of a scope would let them revoke each other's.
 */
export class SharedToken {
	/** All of this process, by client and scope. */
	static readonly all = new Map<string, SharedToken>();

	private newest: Token | undefined;
	/** The access token that the service refused last. */
	private refused: string | undefined;
	private pending: Promise<Token> | undefined;
	/** Epoch ms up to which an old token is used because its renewal failed. */
	private keptUntil = 0;
	/** The newest token was issued here, and nobody has stored it yet. */
	isUnstored = false;

	private constructor(
		private readonly client: Client,
		private readonly scope: string,
	) {}

	static of(client: Client, scope: string): SharedToken {
		const key = `${client.identity} ${scope}`;
		const token = this.all.get(key) ?? new SharedToken(client, scope);
		this.all.set(key, token);
		return token;
	}

	/** Takes over newer tokens that a credential has stored for this client. */
	static takeOver(client: Client, accessTokens: unknown): void {
		for (const [scope, token] of Object.entries(parseTokenMap(accessTokens)))
			if (token.issuedFor === client.identity) this.of(client, scope).offer(token);
	}

	/** The token to sign with; undefined if it has to be renewed first. */
	get usable(): Token | undefined {
		const { valid, keptUntil } = this;
		return valid && Date.now() < Math.max(valid.renewAt, keptUntil) ? valid : undefined;
	}

	get isRefused(): boolean {
		return this.newest !== undefined && this.newest.accessToken === this.refused;
	}

	/** A token has been requested. */
	get isPending(): boolean {
		return this.pending !== undefined;
	}

	/** The service answered 401 to a token. @returns whether that was the newest one */
	refuse({ accessToken }: Token): boolean {
		if (this.newest?.accessToken !== accessToken || this.isRefused) return false;
		this.refused = accessToken;
		return true;
	}

	/**
	 * Obtains a token: that of the process if it can be used, otherwise one is requested. If that fails, an old
	 * one is used for a while.
	 *
	 * @param accepts whether a token will do, e.g. because it is not the one that was refused
	 * @throws InputError for an empty scope, ServiceFailure of kind `token` if no token could be obtained
	 */
	async obtain(send: SendTokenRequest, accepts: (token: Token) => boolean): Promise<Token> {
		if (this.usable && accepts(this.usable)) return this.usable;
		this.pending ??= this.issue(send).finally(() => {
			this.pending = undefined;
		});
		return await this.pending.catch((error: unknown) => {
			const old = this.valid;
			if (!(error instanceof ServiceFailure) || !old || !accepts(old)) throw error;
			this.keptUntil = Date.now() + RENEW_AGAIN_MS;
			return old;
		});
	}

	/** The valid tokens of the client: of all its scopes, since they are stored in one field. */
	toStore(): TokenMap {
		this.isUnstored = false;
		const tokens: TokenMap = this.valid ? { [this.scope]: this.valid } : {};
		for (const { client, scope, valid } of SharedToken.all.values())
			if (client.identity === this.client.identity && valid) tokens[scope] = valid;
		return tokens;
	}

	/** The newest token, until it is refused or expires. */
	private get valid(): Token | undefined {
		const { newest } = this;
		return newest && !this.isRefused && newest.expiresAt > Date.now() ? newest : undefined;
	}

	/** Adopts a newer token, since it was not revoked; after a refusal any other one, since clocks differ. */
	private offer(token: Token): void {
		const { newest, isRefused } = this;
		const isNewer = newest === undefined || newest.issuedAt < token.issuedAt;
		if (isNewer || (isRefused && token.accessToken !== newest.accessToken)) this.newest = token;
	}

	private async issue(send: SendTokenRequest): Promise<Token> {
		const { client, scope } = this;
		if (scope === '') throw new InputError("'Custom Scope' is empty", SCOPE_ADVICE);
		const requestedAt = Date.now();
		const response = await send(tokenRequest(client, scope));
		this.newest = parseTokenResponse(response, scope, client.identity, requestedAt);
		this.refused = undefined;
		this.keptUntil = 0;
		this.isUnstored = true;
		return this.newest;
	}
}
