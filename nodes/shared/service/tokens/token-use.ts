import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ServiceFailure } from '../failure';
import { processTokens, type SendTokenRequest, type TokenEntry } from './process-tokens';
import type { Client, Token, TokenMap } from './token';

/** Who needs a token. */
interface TokenUser {
	client: Client;
	scope: string;
	/**
	 * A node of this package; the credential itself, for n8n's HTTP Request node; or the credential test,
	 * which has to prove the client.
	 */
	origin: 'node' | 'credential' | 'test';
	/** The token to sign with, unless another one is obtained. */
	token?: Token | undefined;
	/** The stored credential still has this client: only then may it get its tokens. */
	mayStore: boolean;
	/** Waits for a token request that other runs may share, no longer than this run may wait. */
	wait?: (pending: Promise<Token>) => Promise<Token>;
}

/** The token of one request. */
export class TokenUse {
	/** The token to sign with, once there is one. */
	token: Token | undefined;
	/** The token server has issued it for this request, so the client is right. */
	isProven = false;
	/** Why there is none: n8n 1.x drops the cause of an error. */
	failure: unknown;

	constructor(private readonly user: TokenUser) {
		this.token = user.token;
	}

	get isOfNode(): boolean {
		return this.user.origin === 'node';
	}

	/**
	 * Obtains a token: the newest one of the process if it can be used, otherwise one is requested.
	 *
	 * @returns the tokens to store, unless another request has stored them
	 * @throws InputError for an empty scope, ServiceFailure of kind `token` if no token could be obtained
	 */
	async obtain(send: SendTokenRequest): Promise<TokenMap | undefined> {
		const { client, mayStore } = this.user;
		this.token = await this.find(send).catch((error: unknown) => {
			this.failure = error;
			throw error;
		});
		// n8n signs with what is returned, if no node has attached its use.
		const isStoredHere = mayStore && this.entry.claimStoring();
		return isStoredHere || !this.isOfNode ? processTokens.toStore(client) : undefined;
	}

	private get entry(): TokenEntry {
		return processTokens.entry(this.user.client, this.user.scope);
	}

	private async find(send: SendTokenRequest): Promise<Token> {
		const { wait = async (pending) => await pending } = this.user;
		const { entry } = this;
		const known = entry.usable;
		if (known !== undefined && this.canUse(known)) return known;
		return await wait(entry.request(send)).then(
			(token) => {
				this.isProven = true;
				return token;
			},
			(error: unknown) => {
				const canKeep = this.isOfNode && error instanceof ServiceFailure;
				const old = canKeep ? entry.postpone() : undefined;
				if (old === undefined) throw error;
				return old;
			},
		);
	}

	/** n8n repeats a request of its HTTP Request node once and does not say that its token was refused. */
	private canUse({ accessToken }: Token): boolean {
		const { origin, token } = this.user;
		return origin === 'node' || (origin === 'credential' && accessToken !== token?.accessToken);
	}
}

/** One symbol for all copies of this module. */
const KEY = Symbol.for('n8n-nodes-search-ingest.tokenUse');

/**
 * Makes credential data carry a use through n8n to the credential. It is not enumerable, because n8n 1.x
 * stores every field of the data and shows it in the editor.
 */
export function attachTokenUse(
	data: ICredentialDataDecryptedObject,
	use: TokenUse,
): ICredentialDataDecryptedObject {
	return Object.defineProperty(data, KEY, { value: use, configurable: true });
}

/** What was attached, if anything: requests of n8n's own nodes come without. */
export function tokenUseOf(data: ICredentialDataDecryptedObject): TokenUse | undefined {
	return (data as { [KEY]?: TokenUse })[KEY];
}
