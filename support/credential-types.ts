import type { ICredentialType } from 'n8n-workflow';

import { SharedToken } from '../nodes/shared/service/tokens/shared-token';
import { credentialClasses } from './manifest';

/** Credential type instances by their name. */
export type CredentialTypes = Record<string, ICredentialType>;

/**
 * The credential type of that name from this package's own `credentials/`. Loaded on first use, so
 * that tests of the engine itself do not need it. Each run is a process of its own: it knows no tokens.
 */
export function packageCredentialType(name: string): ICredentialType | undefined {
	const className = credentialClasses.get(name);
	if (className === undefined) return undefined;
	SharedToken.states.clear();
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded on demand, by name
	const module = require(`../credentials/${className}.credentials`) as Record<
		string,
		new () => ICredentialType
	>;
	return new module[className]();
}
