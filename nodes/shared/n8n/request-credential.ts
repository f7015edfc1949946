import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Clock } from '../flow/clock';
import { isFresh } from '../service/token';
import { heldToken, type TokenFields } from '../service/token-issuer';

type Data = ICredentialDataDecryptedObject;
type HiddenFields = Pick<TokenFields, 'heldTokens' | 'rejectedToken'>;

/** What a request is signed with. */
export interface RequestCredential {
	/** The data to pass to n8n with the next request. */
	current(): Promise<Data>;
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

	async current(): Promise<Data> {
		return this.data;
	}

	async recover(): Promise<boolean> {
		return false;
	}
}

/** How often one execution takes over a token that others have stored, after a 401 each ... */
const MAX_ADOPTIONS = 20;
/** ... and renews a token the service refused ... */
const MAX_RENEWALS = 3;
/** ... within so long: a long run may meet more than a few revoked tokens. */
const RECOVERY_WINDOW_MS = 60_000;
/** Least wait before a renewal after a 401; up to twice as long. */
const PAUSE_MS = 500;
/** What was read so shortly ago need not be read again. */
const READ_AGAIN_AFTER_MS = 1_000;

/**
 * A credential with one token for each scope, stored by n8n and shared by all workers
 * (ARCHITECTURE.md, Tokens). Holds the execution's copy of the data: with a fresh token, or with the
 * expirable field blank, upon which n8n asks the credential to issue one and stores it.
 *
 * Before a renewal and after a 401 the stored credential is read again: a token another worker has
 * stored meanwhile is taken over, else this one renews. So a server that revokes the former token
 * of a scope leaves all workers with the newest one.
 */
export class TokenCredential implements RequestCredential {
	private copy: Data;
	private readAt: number;
	/** The copy is being replaced: requests wait for it. */
	private replacing: Promise<boolean> | undefined;
	private countedFrom = 0;
	private adoptions = 0;
	private renewals = 0;

	constructor(
		stored: Data,
		private readonly scope: string,
		private readonly readStored: () => Promise<Data>,
		private readonly clock: Clock,
	) {
		this.readAt = clock.now();
		this.copy = this.copyOf(stored);
	}

	async current(): Promise<Data> {
		// A blank copy is being filled by the requests under way; a further one joins them.
		if (this.copy.accessTokens !== '' && !this.isFresh(this.copy)) {
			this.replacing ??= this.run(async () => await this.renewInTime());
		}
		await this.replacing;
		return this.copy;
	}

	async recover(used: Data): Promise<boolean> {
		// Another request has recovered since this one was sent.
		if (used !== this.copy) return true;
		this.replacing ??= this.run(async () => await this.replaceRefused(used));
		return await this.replacing;
	}

	private isFresh(data: Data): boolean {
		const now = this.clock.now();
		return isFresh(heldToken(data, now), now);
	}

	private async run(replace: () => Promise<boolean>): Promise<boolean> {
		return await replace().finally(() => {
			this.replacing = undefined;
		});
	}

	private async renewInTime(): Promise<boolean> {
		const isNew = this.clock.now() - this.readAt < READ_AGAIN_AFTER_MS;
		const stored = isNew ? this.copy : await this.read();
		this.copy = this.isFresh(stored) ? stored : this.blank(stored);
		return true;
	}

	private async replaceRefused(used: Data): Promise<boolean> {
		const refused = heldToken(used, this.clock.now())?.accessToken;
		const isOther = (data: Data) => {
			const token = heldToken(data, this.clock.now());
			return token !== undefined && token.accessToken !== refused;
		};
		let stored = await this.read();
		if (!isOther(stored)) {
			// Whoever has got a newer token may be about to store it; of several workers that wait,
			// the first one renews and the others take its token over.
			await this.clock.sleep(PAUSE_MS * (1 + this.clock.random()));
			stored = await this.read();
		}
		if (this.clock.now() - this.countedFrom > RECOVERY_WINDOW_MS) {
			this.countedFrom = this.clock.now();
			this.adoptions = this.renewals = 0;
		}
		if (isOther(stored)) {
			if (++this.adoptions > MAX_ADOPTIONS) return false;
			this.copy = stored;
		} else {
			if (++this.renewals > MAX_RENEWALS) return false;
			this.copy = this.blank(stored, { rejectedToken: refused ?? '' });
		}
		return true;
	}

	/** The credential as it is stored now; where it cannot be read, our copy has to do. */
	private async read(): Promise<Data> {
		const stored = await this.readStored().catch(() => this.copy);
		this.readAt = this.clock.now();
		return this.copyOf(stored);
	}

	private blank(data: Data, hidden: HiddenFields = {}): Data {
		const heldTokens = String(data.accessTokens ?? '');
		return this.copyOf({ ...data, accessTokens: '' }, { heldTokens, ...hidden });
	}

	/**
	 * A copy with what only our credential reads. Not enumerable, since n8n 1.x stores every field of
	 * the copy it was given, and would show those it does not know in the editor.
	 */
	private copyOf(data: Data, hidden: HiddenFields = {}): Data {
		const copy = { ...data };
		for (const [name, value] of Object.entries({ requestedScope: this.scope, ...hidden })) {
			Object.defineProperty(copy, name, { value });
		}
		return copy;
	}
}
