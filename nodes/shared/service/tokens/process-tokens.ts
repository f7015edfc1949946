import { InputError } from '../input-error';
import {
	parseTokenResponse,
	tokenRequest,
	validToken,
	type Client,
	type Token,
	type TokenMap,
	type TokenRequest,
} from './token';

/** Sends a token request and resolves with any status; rejects if there is no response. */
export type SendTokenRequest = (
	request: TokenRequest,
) => Promise<{ status: number; body: unknown; retryAfterMs?: number | undefined }>;

/** Pause after a renewal that failed while the old token is still valid. */
const RENEW_AGAIN_MS = 30_000;

/**
 * What this process knows of the tokens of one client and scope. There is one rule: the newest token of
 * those that were stored or issued here and not refused, otherwise one request for all who wait.
 */
export class TokenEntry {
	private newest: Token | undefined;
	/** Access tokens the service answered 401 to since the last one was issued here. */
	private readonly refused = new Set<string>();
	private pending: Promise<Token> | undefined;
	/** Epoch ms; no token is requested before: a worker may be storing one, or the last request failed. */
	private requestFrom = 0;
	/** It was issued here, and nobody has stored it. */
	isUnstored = false;

	constructor(
		readonly client: Client,
		readonly scope: string,
	) {}

	/** The newest token that was not refused, until it expires. */
	get valid(): Token | undefined {
		const { newest } = this;
		const isValid = newest !== undefined && newest.expiresAt > Date.now();
		return isValid && !this.refused.has(newest.accessToken) ? newest : undefined;
	}

	/** The same, unless it has to be renewed first. */
	get usable(): Token | undefined {
		const { valid } = this;
		const renewAt = Math.max(valid?.renewAt ?? 0, this.requestFrom);
		return Date.now() < renewAt ? valid : undefined;
	}

	/** A token has been requested. */
	get isPending(): boolean {
		return this.pending !== undefined;
	}

	/** Nothing would be lost with this entry. */
	get isIdle(): boolean {
		return !this.isPending && (this.newest?.expiresAt ?? 0) <= Date.now();
	}

	/** How long to wait for a token of another worker before one is requested, ms. */
	get pauseMs(): number {
		return this.valid === undefined ? Math.max(0, this.requestFrom - Date.now()) : 0;
	}

	/** A valid token was stored: it counts unless it was refused or is older than one that was not. */
	offer(token: Token): void {
		if (this.refused.has(token.accessToken)) return;
		if (this.valid !== undefined && this.valid.issuedAt >= token.issuedAt) return;
		this.newest = token;
		this.isUnstored = false;
	}

	/**
	 * The service answered 401 to a token.
	 *
	 * @param pauseMs how long to leave other workers the time to store another one
	 * @returns false if another token has replaced it
	 */
	refuse({ accessToken }: Token, pauseMs: number): boolean {
		if (this.valid?.accessToken === accessToken) {
			this.refused.add(accessToken);
			this.requestFrom = Date.now() + pauseMs;
		}
		return this.refused.has(accessToken);
	}

	/**
	 * Requests a token, or waits for the request of another run (docs/service-interface.md, Access tokens).
	 *
	 * @throws InputError for an empty scope, ServiceFailure of kind `token` if no token could be obtained
	 */
	async request(send: SendTokenRequest): Promise<Token> {
		this.pending ??= this.issue(send).finally(() => {
			this.pending = undefined;
		});
		return await this.pending;
	}

	/** The renewal failed: the old token is used for a while if it is still valid. */
	postpone(): Token | undefined {
		if (this.valid !== undefined) this.requestFrom = Date.now() + RENEW_AGAIN_MS;
		return this.valid;
	}

	/** Whether the token has to be stored; true once, for whoever stores it. */
	claimStoring(): boolean {
		const isClaimed = this.isUnstored;
		this.isUnstored = false;
		return isClaimed;
	}

	private async issue(send: SendTokenRequest): Promise<Token> {
		const { client, scope } = this;
		if (scope === '') {
			throw new InputError(
				"'Custom Scope' is empty",
				'Enter a scope, or choose one from the list.',
			);
		}
		const requestedAt = Date.now();
		const response = await send(tokenRequest(client, scope));
		this.newest = parseTokenResponse(response, scope, client.identity, requestedAt);
		// The server may issue the same token again: another request would not help either.
		this.refused.clear();
		this.requestFrom = 0;
		this.isUnstored = true;
		return this.newest;
	}
}

/**
 * The tokens of this process. The executions of a worker do not know of each other: without this each
 * would request a token of its own, and a server that revokes the previous token of a scope would let
 * them revoke each other's. Nothing relies on it: without it there is one more request.
 */
class ProcessTokens {
	private readonly entries = new Map<string, TokenEntry>();

	/** The entry of a client and scope. Not to be kept: an idle one is forgotten. */
	entry(client: Client, scope: string): TokenEntry {
		const key = `${client.identity} ${scope}`;
		let entry = this.entries.get(key);
		if (entry === undefined) {
			for (const [other, { isIdle }] of this.entries) if (isIdle) this.entries.delete(other);
			entry = new TokenEntry(client, scope);
			this.entries.set(key, entry);
		}
		return entry;
	}

	/** Takes over what is stored. Tokens of other clients are ignored. */
	offer(client: Client, stored: TokenMap): void {
		for (const scope of Object.keys(stored)) {
			const token = validToken(stored, scope, client.identity, Date.now());
			if (token !== undefined) this.entry(client, scope).offer(token);
		}
	}

	/** All tokens of a client, to be stored: of other scopes too, since they share a field. */
	toStore(client: Client): TokenMap {
		const tokens: TokenMap = {};
		for (const entry of this.entries.values()) {
			const { valid } = entry;
			if (entry.client.identity === client.identity && valid) tokens[entry.scope] = valid;
		}
		return tokens;
	}

	/** Forgets everything, as a new process. */
	clear(): void {
		this.entries.clear();
	}
}

/** The tokens of this process, for nodes and credentials. */
export const processTokens = new ProcessTokens();
