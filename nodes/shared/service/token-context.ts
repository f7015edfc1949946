import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Client, Token, TokenMap } from './token';

/** The tokens of one run and scope, shared by its requests until they are replaced. */
export interface HeldTokens {
	tokens: TokenMap;
	/** The access token the service answered 401 to, until another one was issued in its place. */
	rejected?: string | undefined;
	/**
	 * The tokens need not be stored (any more): a request has done so, or the credential holds another
	 * client by now.
	 */
	isStored: boolean;
}

/** How one request gets its token. */
export interface TokenContext {
	readonly client: Client;
	readonly scope: string;
	/**
	 * Who asks: a node of this package; the credential itself, for n8n's HTTP Request node; or the
	 * credential test, which has to prove the client.
	 */
	readonly origin: 'node' | 'credential' | 'test';
	readonly held: HeldTokens;
	/** Waits for a token request, which may be shared with other runs, as long as this run may. */
	readonly wait: <T>(pending: Promise<T>) => Promise<T>;
	/** The token to sign with, once there is one. */
	token?: Token;
	/** The token server has issued it for this request, so the client is right. */
	isProven?: boolean;
	/**
	 * The renewal failed, so it is the old one. It is not stored: another worker may have stored a newer
	 * one since it was read.
	 */
	isPostponed?: boolean;
	/** Why there is none: n8n 1.x drops the cause of an error. */
	failure?: unknown;
}

/** One symbol for all copies of this module. */
const KEY = Symbol.for('n8n-nodes-search-ingest.tokenContext');

/**
 * Credential data that carry the context of a request through n8n to the credential. It is not
 * enumerable, because n8n 1.x stores every field of the data and shows it in the editor.
 */
export function attachTokenContext(
	data: ICredentialDataDecryptedObject,
	context: TokenContext,
): ICredentialDataDecryptedObject {
	return Object.defineProperty(data, KEY, { value: context, configurable: true });
}

/** The context of a request, if it has one: requests of n8n's own nodes do not. */
export function tokenContextOf(data: ICredentialDataDecryptedObject): TokenContext | undefined {
	return (data as { [KEY]?: TokenContext })[KEY];
}
