import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

export type CredentialData = Record<string, ICredentialDataDecryptedObject>;

interface CredentialUpdate {
	type: string;
	/** The fields that `preAuthentication` has returned. */
	data: ICredentialDataDecryptedObject;
}

/** Stands for n8n's credentials table. Runs with the same store are executions in the same n8n instance. */
export class CredentialStore {
	/** Number of times that n8n has read and decrypted a credential. */
	decryptions = 0;

	preAuthentications = 0;

	readonly updates: CredentialUpdate[] = [];

	/** Runs before each read of a credential. The read waits for it. */
	onDecrypt?: (type: string) => void | Promise<void>;

	/**
	 * Whether storing a token also overwrites other fields with the values that the run has read. n8n did this before
	 * 2.34.
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

	/** Changes fields of a credential, as a user or another worker can do. */
	set(type: string, patch: ICredentialDataDecryptedObject): void {
		this.data[type] = { ...this.data[type], ...structuredClone(patch) };
	}

	replace(type: string, data: ICredentialDataDecryptedObject): void {
		this.data[type] = structuredClone(data);
	}
}
