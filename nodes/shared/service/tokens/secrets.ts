import { isRecord } from '../json';
import { parseTokenMap } from './shared-token';

/** Shorter values occur in words that have nothing to do with them. */
const MIN_CHARACTERS = 8;

const MASK = '***';

/**
 * The secrets in a credential's data: access tokens, client secrets, keys, passwords, and HTTP Basic
 * made of them.
 *
 * @param fields decrypted data of a credential of any of the three types
 */
export function secretsOf(fields: Record<string, unknown>): string[] {
	const { clientId, clientSecret, user, password, apiKey, accessTokens } = fields;
	const tokens = Object.values(parseTokenMap(accessTokens));
	// Client ID and secret are sent trimmed, user and password as they are.
	const logins = [
		[String(clientId ?? '').trim(), String(clientSecret ?? '').trim()],
		[String(user ?? ''), String(password ?? '')],
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
 * Removes from parsed responses the secrets that a service may repeat ("Unknown API key ..."): as they are,
 * URL-encoded, and escaped as in JSON that could not be parsed.
 */
export class Masker {
	/** How secrets may occur: the longest first, since one may begin with another. */
	private forms: string[] = [];

	/** @param secrets as they are stored; anything but text is ignored */
	constructor(secrets: readonly unknown[] = []) {
		for (const secret of secrets) this.add(secret);
	}

	/** Masks this secret too from now on, unless it is very short. */
	add(secret: unknown): void {
		const text = typeof secret === 'string' ? secret.trim() : '';
		if (text.length < MIN_CHARACTERS || this.forms.includes(text)) return;
		const encoded = encodeURIComponent(text.toWellFormed());
		const forms = new Set([...this.forms, text, encoded, JSON.stringify(text).slice(1, -1)]);
		this.forms = [...forms].sort((one, other) => other.length - one.length);
	}

	/** @returns a value without secrets, in names of members too; the same value if it has none */
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
