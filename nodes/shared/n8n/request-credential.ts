import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { isFresh, livingToken, parseTokenMap } from '../service/token';
import { clientIdentity, heldToken } from '../service/token-issuer';

type Data = ICredentialDataDecryptedObject;

/** What a request is signed with. */
export interface RequestCredential {
	/** The data to pass to n8n with the next request. */
	current(): Data;
	/**
	 * The service answered 401 to a request with these data.
	 *
	 * @returns whether the request may be sent again
	 */
	recover(used: Data): Promise<boolean>;
}

/** A credential without tokens: a 401 is final. */
export class PlainCredential implements RequestCredential {
	constructor(private readonly data: Data) {}

	current(): Data {
		return this.data;
	}

	async recover(): Promise<boolean> {
		return false;
	}
}

/** How often one execution takes over a token that others have stored, after a 401 each. */
const MAX_ADOPTIONS = 20;
/** How often one execution renews a token the service refused. */
const MAX_RENEWALS = 3;

/**
 * A credential with one token for each scope, stored by n8n and shared by all workers (design.md,
 * Tokens). Holds the execution's copy of the data: with a fresh token, or with the expirable field
 * blank, upon which n8n asks the credential to issue one and stores it.
 *
 * After a 401 the stored credential is read again: a token another worker has stored meanwhile is
 * taken over, else this one renews. So a server that revokes the former token of a scope leaves all
 * workers with the newest one.
 */
export class TokenCredential implements RequestCredential {
	private copy: Data;
	private recovering: Promise<boolean> | undefined;
	private adoptions = 0;
	private renewals = 0;

	constructor(
		stored: Data,
		private readonly scope: string,
		private readonly readStored: () => Promise<Data>,
	) {
		this.copy = { ...stored, requestedScope: scope };
	}

	current(): Data {
		// A blank copy is being filled by the requests under way; a further one joins them.
		if (
			this.copy.accessTokens !== '' &&
			!isFresh(heldToken(this.copy, Date.now()), Date.now())
		) {
			this.copy = this.blank(this.copy);
		}
		return this.copy;
	}

	async recover(used: Data): Promise<boolean> {
		// Another request has recovered since this one was sent.
		if (used !== this.copy) return true;
		this.recovering ??= this.replace(used).finally(() => {
			this.recovering = undefined;
		});
		return await this.recovering;
	}

	private async replace(used: Data): Promise<boolean> {
		const now = Date.now();
		const rejected = heldToken(used, now)?.accessToken;
		const stored: Data = { ...(await this.readStored()), requestedScope: this.scope };
		const map = parseTokenMap(stored.accessTokens);
		const theirs = livingToken(map, this.scope, clientIdentity(stored), now);
		if (theirs !== undefined && theirs.accessToken !== rejected) {
			this.copy = stored;
			return ++this.adoptions <= MAX_ADOPTIONS;
		}
		this.copy = { ...this.blank(stored), rejectedToken: rejected ?? '' };
		return ++this.renewals <= MAX_RENEWALS;
	}

	private blank(data: Data): Data {
		return { ...data, heldTokens: data.accessTokens ?? '', accessTokens: '' };
	}
}
