import { ServiceFailure } from './failure';
import { InputError } from './input-error';
import {
	addToken,
	isFresh,
	isNewer,
	newestTokens,
	parseTokenResponse,
	postponeRenewal,
	tokenRequest,
	validToken,
	type Token,
	type TokenMap,
	type TokenRequest,
} from './token';
import type { TokenContext } from './token-context';

/** Sends a token request and resolves with any status; rejects if there is no response. */
export type SendTokenRequest = (
	request: TokenRequest,
) => Promise<{ status: number; body: unknown; retryAfterMs?: number | undefined }>;

/**
 * Issues tokens, with one request at a time for each client and scope of this process. The executions
 * of a worker do not know of each other: without this each would request a token of its own, and a
 * server that revokes the previous token of a scope would let them revoke each other's. Nothing relies
 * on what is remembered here: without it there is one more request.
 */
export class TokenIssuer {
	/** By client identity. */
	private readonly issued = new Map<string, TokenMap>();
	/** By client identity and scope. */
	private readonly pending = new Map<string, Promise<Token>>();

	/** @param now epoch ms */
	constructor(private readonly now: () => number = () => Date.now()) {}

	/**
	 * Gives a request its token: one this process has issued, if the request can use it, or a new
	 * one (docs/service-interface.md, Access tokens).
	 *
	 * @param context gets the token, or the failure
	 * @returns the map of tokens to store, unless the context's token was only postponed
	 * @throws InputError for an empty scope, ServiceFailure of kind `token` if no token could be obtained
	 */
	async issue(context: TokenContext, send: SendTokenRequest): Promise<TokenMap> {
		const { client, scope, held } = context;
		const token = await this.tokenFor(context, send).catch((error: unknown) => {
			context.failure = error;
			throw error;
		});
		context.token = token;
		// With those of other scopes that were issued at the same time.
		const tokens = newestTokens(held.tokens, this.issued.get(client.identity));
		held.tokens = addToken(tokens, scope, token, this.now());
		// If it is the same token again, another request for it would not help either.
		held.rejected = undefined;
		return held.tokens;
	}

	private async tokenFor(context: TokenContext, send: SendTokenRequest): Promise<Token> {
		const { client, scope, held, origin } = context;
		if (scope === '') {
			throw new InputError(
				"'Custom Scope' is empty",
				'Enter a scope, or choose one from the list.',
			);
		}
		const known = this.issued.get(client.identity)?.[scope];
		if (isFresh(known, this.now()) && canUse(known, context)) return known;
		return await context.wait(this.request(context, send)).then(
			(token) => {
				context.isProven = true;
				return token;
			},
			(error: unknown) => {
				// A node's request can use a token that is still valid; the next one tries to renew it again.
				const old = validToken(held.tokens, scope, client.identity, this.now());
				const canKeep =
					origin === 'node' && old !== undefined && old.accessToken !== held.rejected;
				if (!canKeep || !(error instanceof ServiceFailure)) throw error;
				context.isPostponed = true;
				return postponeRenewal(old, this.now());
			},
		);
	}

	/** The pending request for this client and scope, or a new one. */
	private async request({ client, scope }: TokenContext, send: SendTokenRequest): Promise<Token> {
		const key = `${client.identity} ${scope}`;
		let request = this.pending.get(key);
		if (request === undefined) {
			request = (async () => {
				const requestedAt = this.now();
				const response = await send(tokenRequest(client, scope));
				const token = parseTokenResponse(response, scope, client.identity, requestedAt);
				this.forgetExpired(requestedAt);
				const others = this.issued.get(client.identity) ?? {};
				this.issued.set(client.identity, addToken(others, scope, token, requestedAt));
				return token;
			})().finally(() => this.pending.delete(key));
			this.pending.set(key, request);
		}
		return await request;
	}

	private forgetExpired(now: number): void {
		for (const [identity, tokens] of this.issued) {
			const isExpired = Object.values(tokens).every(({ expiresAt }) => expiresAt <= now);
			if (isExpired) this.issued.delete(identity);
		}
	}
}

/**
 * Whether a request can use a token of this process. An older one than the request holds may have been
 * revoked. n8n repeats a request of its HTTP Request node once and does not say which token was refused,
 * so the held one cannot help it either.
 */
function canUse(known: Token, { origin, held, scope }: TokenContext): boolean {
	if (origin === 'test' || known.accessToken === held.rejected) return false;
	const current = held.tokens[scope];
	// Another request of the same run may have been given it meanwhile.
	const isHeld = origin === 'node' && known.accessToken === current?.accessToken;
	return isHeld || isNewer(known, current);
}
