import { isRecord } from '../json';
import { trimmed } from '../strings';
import { parseTokenMap } from './shared-token';

/** Shorter secrets are not masked, because they might also occur in ordinary words. */
const MIN_CHARACTERS = 8;

const MASK = '***';

/**
 * Returns the secrets in a credential's data: access tokens, client secrets, keys and passwords. HTTP Basic logins are
 * also returned, because they contain a secret.
 *
 * @param fields decrypted data of a credential. The credential can have any of this package's three types
 */
export function secretsOf(fields: Record<string, unknown>): string[] {
	const { clientId, clientSecret, user, password, apiKey, accessTokens } = fields;
	const tokens = Object.values(parseTokenMap(accessTokens));
	// The client ID, secret and user are trimmed before they are sent. The password is sent unchanged.
	const logins = [
		[trimmed(String(clientId ?? '')), trimmed(String(clientSecret ?? ''))],
		[trimmed(String(user ?? '')), String(password ?? '')],
	].filter(([, secret]) => secret !== '');
	return [
		...tokens.map(({ accessToken }) => accessToken),
		...[clientSecret, apiKey, password].filter(
			(each) => typeof each === 'string' && each !== '',
		),
		...logins.map((login) => Buffer.from(login.join(':')).toString('base64')),
	] as string[];
}

/**
 * Masks secrets in responses, because a service may repeat a secret in a message ("Unknown API key ..."). The masker
 * finds a secret in its plain form, in its URL-encoded form, and with JSON escapes. A response that cannot be parsed
 * may still contain JSON escapes.
 */
export class Masker {
	/**
	 * All forms in which the secrets may occur. Longer forms come first, because one form may begin with
	 * another.
	 */
	private forms: string[] = [];

	/** @param secrets the secrets in their stored form; values that are not strings are ignored */
	constructor(secrets: readonly unknown[] = []) {
		for (const secret of secrets) this.addSecret(secret);
	}

	addSecret(secret: unknown): void {
		const text = typeof secret === 'string' ? trimmed(secret) : '';
		if (text.length < MIN_CHARACTERS || this.forms.includes(text)) return;
		const encoded = encodeURIComponent(text.toWellFormed());
		const forms = new Set([...this.forms, text, encoded, JSON.stringify(text).slice(1, -1)]);
		this.forms = [...forms].sort((one, other) => other.length - one.length);
	}

	/**
	 * Masks all secrets in a value, including secrets in property names.
	 *
	 * @returns the original value if it contains no secret
	 */
	mask(value: unknown): unknown {
		if (typeof value === 'string')
			return this.forms.reduce((rest, form) => rest.replaceAll(form, MASK), value);
		if (!isRecord(value)) return value;
		if (Array.isArray(value)) {
			const masked = value.map((each) => this.mask(each));
			return masked.every((each, at) => each === value[at]) ? value : masked;
		}
		const members = Object.entries(value).map(
			([name, member]) => [this.mask(name) as string, this.mask(member)] as const,
		);
		const isSame = members.every(([name, masked]) => name in value && masked === value[name]);
		return isSame ? value : Object.fromEntries(members);
	}
}
