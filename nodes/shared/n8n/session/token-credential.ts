import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Clock } from '../../flow/run-state';
import { SCOPE_OF_NODE } from '../../service/tokens/scope';
import { SharedToken } from '../../service/tokens/shared-token';
import {
	HELD,
	parseClient,
	parseTokenMap,
	type Client,
	type Token,
} from '../../service/tokens/token';

type Data = ICredentialDataDecryptedObject;

/** Pause after a 401, which leaves other workers the time to store a token; doubles with each revocation ... */
const PAUSE_MS = 250;
/** ... up to this. A random share of up to as long again is added. */
const MAX_PAUSE_MS = 10_000;

/** A token that lasted longer ends a row of revoked ones. */
const IN_A_ROW_MS = 5 * 60_000;
/** Revocations in a row that lead to a hint. */
const REVOKED_BY_ANOTHER = 5;

/** What a request is signed with. */
export interface Signature {
	token?: Token | undefined;
	/**
	 * The credential's data. Without a token the expirable field is blank, so that n8n asks the credential to
	 * obtain one, which it writes there.
	 */
	data: Data;
}

/**
 * The token of a run, stored by n8n in the credential and shared by all workers (ARCHITECTURE.md, Tokens).
 * A run keeps the client it was opened with: of the stored credential it reads tokens only, and only those
 * of its client.
 *
 * Before a renewal and after a 401 the stored credential is read again: a token that another worker has
 * stored is adopted, otherwise this one renews. So if a server revokes the previous token of a scope,
 * all workers end with the newest one.
 */
export class TokenCredential {
	private readonly client: Client;
	private readonly shared: SharedToken;
	/** A token is being looked for: requests wait for it. */
	private finding: Promise<void> | undefined;
	/** Tokens in a row that were refused soon. */
	private revocations = 0;

	/**
	 * @param fields the credential data at the start of the run
	 * @throws InputError for an unusable client
	 */
	constructor(
		private readonly fields: Data,
		private readonly scope: string,
		private readonly readStored: () => Promise<Data>,
		private readonly run: Pick<Clock, 'sleep' | 'random'> & { hint(message: string): void },
	) {
		this.client = parseClient(fields);
		this.shared = SharedToken.of(this.client, scope);
		SharedToken.takeOver(this.client, fields.accessTokens);
	}

	/** The next request's token, if there is one, and the data to pass to n8n with it. */
	async next(): Promise<Signature> {
		const { shared, scope } = this;
		if (!shared.usable && !shared.isPending) {
			this.finding ??= this.find().finally(() => {
				this.finding = undefined;
			});
			await this.finding;
		}
		const token = shared.usable;
		const accessTokens = token ? HELD : '';
		return { token, data: { ...this.fields, accessTokens, [SCOPE_OF_NODE]: scope } as Data };
	}

	/** The token that the credential has obtained for a request. */
	obtainedIn({ accessTokens }: Data): Token | undefined {
		return parseTokenMap(accessTokens)[this.scope];
	}

	/** The service answered 401 to this token: it was revoked, or its lifetime is shorter than it was said to be. */
	refuse(token: Token): void {
		if (!this.shared.refuse(token)) return;
		if (Date.now() - token.issuedAt > IN_A_ROW_MS) this.revocations = 0;
		this.revocations += 1;
		if (this.revocations !== REVOKED_BY_ANOTHER) return;
		this.run.hint(
			'The AI service rejected several access tokens in a row, so the run took longer. Another program probably uses the same client: use a separate client for each n8n instance.',
		);
	}

	/** Looks for a token that another worker has stored, or is about to store after the service has refused one. */
	private async find(): Promise<void> {
		const { shared, run } = this;
		await this.read();
		if (!shared.isRefused) return;
		// If several workers wait, the first one renews and the others adopt its token.
		const pauseMs = Math.min(PAUSE_MS * 2 ** this.revocations, MAX_PAUSE_MS);
		await run.sleep(pauseMs * (1 + run.random()));
		await this.read();
	}

	/** If the credential cannot be read, the tokens of this process remain. */
	private async read(): Promise<void> {
		const stored = await this.readStored().catch(() => undefined);
		SharedToken.takeOver(this.client, stored?.accessTokens);
	}
}
