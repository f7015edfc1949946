import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Clock } from '../../flow/run-state';
import { processTokens, type TokenEntry } from '../../service/tokens/process-tokens';
import { parseClient, parseTokenMap, type Client, type Token } from '../../service/tokens/token';
import { attachTokenUse, TokenUse } from '../../service/tokens/token-use';

type Data = ICredentialDataDecryptedObject;

/** What one request is signed with. */
export interface RequestAuth {
	/** The credential data to pass to n8n with the request. */
	readonly data: Data;
	/** Present if the request needs a token. */
	readonly tokens?: TokenUse;
}

/** How often a run renews after a 401: a token may be refused for other reasons than its age ... */
const MAX_RENEWALS = 3;
/** ... within this time: a long run may meet more than a few revoked tokens. */
const RENEWALS_WITHIN_MS = 60_000;
/** Shortest pause before a renewal after a 401; the longest is twice that. */
const PAUSE_MS = 500;
/** A credential that was read this recently is not read again. */
const READ_AGAIN_AFTER_MS = 1_000;

/**
 * A credential with one token for each scope, stored by n8n and shared by all workers
 * (ARCHITECTURE.md, Tokens). A run keeps the client it was opened with: of the stored credential it
 * reads tokens only, and only those of its client. Without a usable token the expirable field of the
 * data is blank, so that n8n asks the credential to obtain one and stores it.
 *
 * Before a renewal and after a 401 the stored credential is read again: a token that another worker has
 * stored is adopted, otherwise this one renews. So if a server revokes the previous token of a scope,
 * all workers end with the newest one.
 */
export class TokenCredential {
	private readonly client: Client;
	/** The credential as it was read last: n8n 1.x stores it together with the tokens. */
	private fields: Data;
	private isOurs = true;
	private readAt = Date.now();
	/** The stored credential is being read: requests wait for it. */
	private reading: Promise<void> | undefined;
	private refused: Token | undefined;
	/** Whether requests that were signed with the refused token can be sent again. */
	private canRecover = Promise.resolve(true);
	/** Epoch ms of each renewal after a 401. */
	private renewals: number[] = [];

	/**
	 * @param opened the credential data at the start of the run
	 * @throws InputError for an unusable client
	 */
	constructor(
		opened: Data,
		private readonly scope: string,
		private readonly readStored: () => Promise<Data>,
		private readonly clock: Pick<Clock, 'sleep' | 'random'>,
	) {
		this.client = parseClient(opened);
		this.fields = opened;
		this.takeOver(opened);
	}

	/**
	 * What to sign the next request with.
	 *
	 * @param wait bounds the wait for a token request
	 */
	async next(wait: (pending: Promise<Token>) => Promise<Token>): Promise<RequestAuth> {
		await this.findToken();
		const { client, scope, entry } = this;
		const token = entry.usable;
		// What was read earlier may have been edited since.
		const mayStore = this.isOurs && this.isRecent;
		const tokens = new TokenUse({ client, scope, origin: 'node', token, mayStore, wait });
		// The credential signs with this use; n8n only checks whether the field is blank.
		const isBlank = token === undefined || (mayStore && entry.isUnstored);
		const data = { ...this.fields, accessTokens: isBlank ? '' : 'held' };
		return { data: attachTokenUse(data, tokens), tokens };
	}

	/**
	 * The service answered 401.
	 *
	 * @param auth what the request was signed with
	 * @returns whether the request can be sent again
	 */
	async recover({ tokens }: RequestAuth): Promise<boolean> {
		const token = tokens?.token;
		const pauseMs = PAUSE_MS * (1 + this.clock.random());
		if (token === undefined || !this.entry.refuse(token, pauseMs)) return true;
		if (token !== this.refused) {
			this.refused = token;
			this.canRecover = this.findToken().then(
				() => this.entry.usable !== undefined || this.mayRenew(),
			);
		}
		return await this.canRecover;
	}

	private get entry(): TokenEntry {
		return processTokens.entry(this.client, this.scope);
	}

	private get isRecent(): boolean {
		return Date.now() - this.readAt < READ_AGAIN_AFTER_MS;
	}

	private mayRenew(): boolean {
		const from = Date.now() - RENEWALS_WITHIN_MS;
		this.renewals = [...this.renewals.filter((at) => at > from), Date.now()];
		return this.renewals.length <= MAX_RENEWALS;
	}

	/** Looks for a token that another worker has stored, unless this process has one or gets one. */
	private async findToken(): Promise<void> {
		if (this.entry.usable !== undefined || this.entry.isPending) return;
		this.reading ??= this.readAgain().finally(() => {
			this.reading = undefined;
		});
		await this.reading;
	}

	private async readAgain(): Promise<void> {
		const isRefused = this.entry.pauseMs > 0;
		if (isRefused || !this.isRecent) await this.read();
		if (this.entry.usable !== undefined || !isRefused) return;
		// Whoever has a newer token may be about to store it. If several workers wait, the first one
		// renews and the others adopt its token.
		await this.clock.sleep(this.entry.pauseMs);
		await this.read();
	}

	/** If the credential cannot be read, the tokens of this process remain. */
	private async read(): Promise<void> {
		const stored = await this.readStored().catch(() => undefined);
		this.readAt = Date.now();
		if (stored === undefined) return;
		this.isOurs = this.hasOurClient(stored);
		if (this.isOurs) this.fields = stored;
		this.takeOver(stored);
	}

	private takeOver({ accessTokens }: Data): void {
		processTokens.offer(this.client, parseTokenMap(accessTokens));
	}

	private hasOurClient(stored: Data): boolean {
		try {
			return parseClient(stored).identity === this.client.identity;
		} catch {
			return false;
		}
	}
}
