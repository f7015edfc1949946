import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** Credential data by credential type. */
export type CredentialData = Record<string, ICredentialDataDecryptedObject>;

/** One write to the store, as n8n would have written it to its database. */
interface CredentialUpdate {
	type: string;
	/** The keys `preAuthentication` returned and n8n kept. */
	data: ICredentialDataDecryptedObject;
}

/**
 * Stands for n8n's credentials table. Several runs that share one store are several executions (or
 * workers) of one n8n instance.
 */
export class CredentialStore {
	/** How often n8n read and decrypted a credential: one database read each. */
	decryptions = 0;

	/** How often `preAuthentication` ran. */
	preAuthentications = 0;

	/** What was persisted, in order. */
	readonly updates: CredentialUpdate[] = [];

	/** Called (and awaited) on every read, before the data is read. */
	onDecrypt?: (type: string) => void | Promise<void>;

	/** With a new token, all data of the request are stored, as n8n did before 2.34. */
	storesAll = false;

	private readonly data: CredentialData;

	constructor(data: CredentialData = {}) {
		this.data = structuredClone(data);
	}

	/** The credential types that have data. */
	get types(): string[] {
		return Object.keys(this.data);
	}

	/** A copy of what is stored now. */
	get(type: string): ICredentialDataDecryptedObject {
		const stored = this.data[type];
		if (stored === undefined) throw new Error(`No credential of type "${type}" is stored`);
		return structuredClone(stored);
	}

	/** Changes fields of a stored credential, as a user or another worker would. */
	set(type: string, patch: ICredentialDataDecryptedObject): void {
		this.data[type] = { ...this.data[type], ...structuredClone(patch) };
	}

	/** Replaces a stored credential as a whole. */
	replace(type: string, data: ICredentialDataDecryptedObject): void {
		this.data[type] = structuredClone(data);
	}
}
