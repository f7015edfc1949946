import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

export type CredentialData = Record<string, ICredentialDataDecryptedObject>;

interface CredentialUpdate {
	type: string;
	/** The fields that `preAuthentication` returned. */
	data: ICredentialDataDecryptedObject;
}

/**
 * Replaces n8n's credentials table. Runs that share a store represent executions or workers of one n8n instance.
 */
export class CredentialStore {
	/** Number of times that n8n has read and decrypted a credential. */
	decryptions = 0;

	preAuthentications = 0;

	readonly updates: CredentialUpdate[] = [];

	onDecrypt?: (type: string) => void | Promise<void>;

	/** Called before n8n stores a token. If it throws an error, the token is not stored. */
	onUpdate?: (type: string) => void | Promise<void>;

	/**
	 * Whether storing a token also overwrites the credential's other fields with the values that the run loaded. n8n
	 * did this before 2.34.
	 */
	storesAll = false;

	private readonly data: CredentialData;

	constructor(data: CredentialData = {}) {
		this.data = structuredClone(data);
	}

	get types(): string[] {
		return Object.keys(this.data);
	}

	get(type: string): ICredentialDataDecryptedObject {
		const stored = this.data[type];
		if (stored === undefined) throw new Error(`No credential of type "${type}" is stored`);
		return structuredClone(stored);
	}

	/** Changes fields of a stored credential, as a user or another worker would. */
	set(type: string, patch: ICredentialDataDecryptedObject): void {
		this.data[type] = { ...this.data[type], ...structuredClone(patch) };
	}

	replace(type: string, data: ICredentialDataDecryptedObject): void {
		this.data[type] = structuredClone(data);
	}
}
