import type { ICredentialType } from 'n8n-workflow';

import { SharedToken } from '../nodes/shared/service/tokens/shared-token';
import { credentialClasses } from './manifest';

export type CredentialTypes = Record<string, ICredentialType>;

/**
 * Loads a credential type of this package on first use, because tests of the engine itself do not need it. Also
 * clears all tokens in memory, so that each run acts like a new process.
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
