import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import {
	isFresh,
	parseClient,
	parseTokenMap,
	validToken,
	type Client,
	type Token,
} from '../service/token';
import { attachTokenContext, type HeldTokens, type TokenContext } from '../service/token-context';

type Data = ICredentialDataDecryptedObject;

/** What one request is signed with. */
export interface RequestAuth {
	/** The credential data to pass to n8n with the request. */
	readonly data: Data;
	/** Present if the request needs a token. */
	readonly tokens?: TokenContext;
}

/** Signs the requests of one run. */
export interface RequestCredential {
	/** @param wait bounds the wait for a token request */
	next(wait: TokenContext['wait']): Promise<RequestAuth>;
	/**
	 * The service answered 401.
	 *
	 * @param auth what the request was signed with
	 * @returns whether the request can be sent again
	 */
	recover(auth: RequestAuth): Promise<boolean>;
}

/** A credential without tokens: a 401 is final. */
export class PlainCredential implements RequestCredential {
	constructor(private readonly data: Data) {}

	async next(): Promise<RequestAuth> {
		return { data: this.data };
	}

	async recover(): Promise<boolean> {
		return false;
	}
}

/** The clock of the run. */
export interface CredentialClock {
	/** Ends early if the run is canceled or stopped; the caller finds out by itself. */
	sleep(ms: number): Promise<void>;
	random(): number;
}

/** How often a run adopts a token that others have stored, after a 401 each ... */
const MAX_ADOPTIONS = 20;
/** ... and renews a token the service refused ... */
const MAX_RENEWALS = 3;
/** ... within this time: a long run may meet more than a few revoked tokens. */
const RECOVERY_WINDOW_MS = 60_000;
/** Shortest pause before a renewal after a 401; the longest is twice that. */
const PAUSE_MS = 500;
/** A credential that was read this recently is not read again. */
const READ_AGAIN_AFTER_MS = 1_000;

/**
 * A credential with one token for each scope, stored by n8n and shared by all workers
 * (ARCHITECTURE.md, Tokens). A run keeps the client it was opened with: of the stored credential it
 * reads tokens only, and only those of its client. Without a fresh token the expirable field of the
 * data is blank, so that n8n asks the credential to issue a token and stores it.
 *
 * Before a renewal and after a 401 the stored credential is read again: a token that another worker has
 * stored is adopted, otherwise this one renews. So if a server revokes the previous token of a scope,
 * all workers end with the newest one.
 */
export class TokenCredential implements RequestCredential {
	private readonly client: Client;
	/** The credential as it was read last: n8n 1.x stores it together with the tokens. */
	private fields: Data;
	private held: HeldTokens;
	/** The held tokens were read again and have to be renewed. */
	private renewing: HeldTokens | undefined;
	private readAt = Date.now();
	/** `held` is being replaced: requests wait for it. */
	private replacing: Promise<boolean> | undefined;
	private readonly recoveries = new RecoveryCount();

	/**
	 * @param opened the credential data at the start of the run
	 * @throws InputError for an unusable client
	 */
	constructor(
		opened: Data,
		private readonly scope: string,
		private readonly readStored: () => Promise<Data>,
		private readonly clock: CredentialClock,
	) {
		this.client = parseClient(opened);
		this.fields = opened;
		this.held = this.heldIn(opened);
	}

	async next(wait: TokenContext['wait']): Promise<RequestAuth> {
		if (this.usable(this.held)) this.renewing = undefined;
		else if (this.renewing !== this.held) {
			this.replacing ??= this.replace(async () => await this.renewInTime());
		}
		await this.replacing;
		return this.auth(wait);
	}

	async recover({ tokens }: RequestAuth): Promise<boolean> {
		const refused = tokens?.token?.accessToken ?? '';
		// Another request has recovered since this one was sent.
		if (tokens?.held !== this.held || this.valid(this.held)?.accessToken !== refused)
			return true;
		this.replacing ??= this.replace(async () => await this.replaceRefused(refused));
		return await this.replacing;
	}

	private auth(wait: TokenContext['wait']): RequestAuth {
		const { client, scope, held } = this;
		const token = this.usable(held);
		const tokens: TokenContext = {
			client,
			scope,
			origin: 'node',
			held,
			wait: async (pending) => await wait(pending).catch((error) => this.failed(held, error)),
			...(token && { token }),
		};
		// The credential signs with the context; n8n only checks whether the field is blank.
		const data = { ...this.fields, accessTokens: token ? 'held' : '' };
		return { data: attachTokenContext(data, tokens), tokens };
	}

	/** No token was issued; another worker may store one before the next attempt, which reads again. */
	private failed(held: HeldTokens, error: unknown): never {
		if (this.renewing === held) this.renewing = undefined;
		throw error;
	}

	private valid({ tokens }: HeldTokens) {
		return validToken(tokens, this.scope, this.client.identity, Date.now());
	}

	/** The token to sign with, unless a new one has to be issued first. */
	private usable(held: HeldTokens): Token | undefined {
		const token = this.valid(held);
		const isUsable = isFresh(token, Date.now()) && token.accessToken !== held.rejected;
		return isUsable ? token : undefined;
	}

	private async replace(by: () => Promise<boolean>): Promise<boolean> {
		return await by().finally(() => {
			this.replacing = undefined;
		});
	}

	private async renewInTime(): Promise<boolean> {
		const isRecent = Date.now() - this.readAt < READ_AGAIN_AFTER_MS;
		if (!isRecent) {
			const stored = await this.read();
			this.held = { ...stored, rejected: this.held.rejected };
		}
		this.renewing = this.held;
		return true;
	}

	private async replaceRefused(refused: string): Promise<boolean> {
		const isOther = (held: HeldTokens) => {
			const token = this.valid(held);
			return token !== undefined && token.accessToken !== refused;
		};
		let stored = await this.read();
		if (!isOther(stored)) {
			// Whoever has a newer token may be about to store it. If several workers wait, the first
			// one renews and the others adopt its token.
			await this.clock.sleep(PAUSE_MS * (1 + this.clock.random()));
			stored = await this.read();
		}
		const isAdopted = isOther(stored);
		if (!this.recoveries.allows(isAdopted)) return false;
		this.held = isAdopted ? stored : { ...stored, rejected: refused };
		return true;
	}

	/** The tokens that are stored now; if they cannot be read, those of this run. */
	private async read(): Promise<HeldTokens> {
		const stored = await this.readStored().catch(() => undefined);
		this.readAt = Date.now();
		return stored === undefined ? { ...this.held } : this.heldIn(stored);
	}

	private heldIn(stored: Data): HeldTokens {
		const isOurs = this.isOurs(stored);
		if (isOurs) this.fields = stored;
		return { tokens: parseTokenMap(stored.accessTokens), isStored: !isOurs };
	}

	/** Whether a stored credential still has the client of this run: only then may it get our tokens. */
	private isOurs(stored: Data): boolean {
		try {
			return parseClient(stored).identity === this.client.identity;
		} catch {
			return false;
		}
	}
}

/** Bounds how often a run recovers from 401: a token may be refused for other reasons than its age. */
class RecoveryCount {
	private countedFrom = 0;
	private adoptions = 0;
	private renewals = 0;

	/** Counts one more and says whether it is allowed. */
	allows(isAdoption: boolean): boolean {
		if (Date.now() - this.countedFrom > RECOVERY_WINDOW_MS) {
			this.countedFrom = Date.now();
			this.adoptions = this.renewals = 0;
		}
		return isAdoption ? ++this.adoptions <= MAX_ADOPTIONS : ++this.renewals <= MAX_RENEWALS;
	}
}
