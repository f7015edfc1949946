import type { ICredentialType } from 'n8n-workflow';

/** Credential type instances by their name. */
export type CredentialTypes = Record<string, ICredentialType>;

const CLASSES: Record<string, string> = {
	aiServiceOAuth2Api: 'AiServiceOAuth2Api',
	pushEndpointApi: 'PushEndpointApi',
	blobServiceApi: 'BlobServiceApi',
};

/**
 * The credential type of that name from this package's own `credentials/`. Loaded when first asked
 * for, so that tests of the harness itself do without.
 */
export function packageCredentialType(name: string): ICredentialType | undefined {
	const className = CLASSES[name];
	if (className === undefined) return undefined;
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded on demand, by name
	const module = require(`../credentials/${className}.credentials`) as Record<
		string,
		new () => ICredentialType
	>;
	return new module[className]();
}
