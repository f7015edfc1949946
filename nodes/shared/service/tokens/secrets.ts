import { canonical } from './canonical';
import { parseTokenMap } from './token';

/** Shorter values occur in words that have nothing to do with them. */
const MIN_LENGTH = 4;

/** Only a secret of that length is looked for in what a text stands for, such as base64. */
const MIN_DECODED_LENGTH = 12;

/** Shorter forms occur in texts that have nothing to do with them. */
const MIN_FORM_LENGTH = 8;

/** Deeper values are returned as JSON text, so that no response overflows the stack. */
const MAX_DEPTH = 100;

const MASK = '***';

/** Stands for a text that holds a secret in another form. */
export const WITHHELD = '[withheld because it contains a secret]';

/**
 * The secrets in a credential's data: access tokens, client secrets, keys, passwords, and HTTP Basic
 * made of them.
 *
 * @param fields decrypted data of a credential of any of the three types
 */
export function secretsOf(fields: Record<string, unknown>): string[] {
	const { accessTokens, clientId, clientSecret, apiKey, user, password } = fields;
	const secrets = [
		...Object.values(parseTokenMap(accessTokens)).map(({ accessToken }) => accessToken),
		clientSecret,
		apiKey,
		password,
		// Client ID and secret are sent trimmed, user and password as they are.
		basicAuth(trimmed(clientId), trimmed(clientSecret)),
		basicAuth(user, password),
	];
	return secrets.filter((secret) => typeof secret === 'string' && secret !== '') as string[];
}

/** A response without secrets, see `Masker`. */
export function withoutSecrets(value: unknown, secrets: readonly unknown[]): unknown {
	return new Masker(secrets).mask(value);
}

/**
 * Removes from responses the secrets that a server may repeat ("Unknown API key ..."). What is sent is cut
 * out exactly; a text in which a secret of 12 characters or more is found only in another form (encoded,
 * escaped, in base64, in another letter case, without control characters) is withheld as a whole. Secrets
 * shorter than 4 characters are not replaced.
 */
export class Masker {
	private readonly secrets = new Set<string>();
	/** As they are stored and as they are sent, the longest first. */
	private exact: readonly string[] = [];
	/** To be found in the canonical form of a text. */
	private readonly forms = new Set<string>();
	/** Secrets of digits may come back as numbers. */
	private readonly numbers = new Set<number>();

	/** @param secrets as they are stored; anything but text is ignored */
	constructor(secrets: readonly unknown[] = []) {
		for (const secret of secrets) this.add(secret);
	}

	/** From now on this secret is masked too. */
	add(secret: unknown): void {
		if (typeof secret !== 'string' || this.secrets.has(secret)) return;
		this.secrets.add(secret);
		const number = Number(secret);
		const digits = String(Math.abs(number));
		if (Number.isFinite(number) && digits.length >= MIN_LENGTH) this.numbers.add(number);
		const sent = [secret, secret.trim()].filter(({ length }) => length >= MIN_LENGTH);
		this.exact = [...this.exact, ...sent].sort((one, other) => other.length - one.length);
		for (const form of formsOf(secret)) this.forms.add(form);
	}

	/**
	 * @returns a value without secrets, in names of members as well; the same value if it has none
	 */
	mask(value: unknown, depth = 0): unknown {
		if (typeof value === 'string') return this.text(value);
		if (typeof value === 'number') return this.numbers.has(value) ? MASK : value;
		if (typeof value !== 'object' || value === null) return value;
		if (depth > MAX_DEPTH) return this.text(jsonText(value));
		if (Array.isArray(value)) return this.list(value, depth);
		let isChanged = false;
		const members = Object.entries(value).map(([key, member]) => {
			const masked = [this.text(key), this.mask(member, depth + 1)] as const;
			isChanged ||= masked[0] !== key || masked[1] !== member;
			return masked;
		});
		return isChanged ? Object.fromEntries(members) : value;
	}

	private list(values: readonly unknown[], depth: number): unknown {
		let masked: unknown[] | undefined;
		for (let index = 0; index < values.length; index++) {
			const value = values[index];
			// Vectors are most of a large response.
			if (typeof value === 'number' && !this.numbers.has(value)) continue;
			const made = this.mask(value, depth + 1);
			if (made === value) continue;
			masked ??= [...values];
			masked[index] = made;
		}
		return masked ?? values;
	}

	private text(text: string): string {
		if (text.length < MIN_LENGTH) return text;
		const rest = this.exact.reduce((masking, exact) => masking.replaceAll(exact, MASK), text);
		if (rest.length < MIN_FORM_LENGTH) return rest;
		const form = canonical(rest);
		for (const each of this.forms) if (form.includes(each)) return WITHHELD;
		return rest;
	}
}

/** What to look for in the canonical form of a text. */
function formsOf(secret: string): string[] {
	const text = secret.trim();
	if (text.length < MIN_DECODED_LENGTH) return [];
	const forms = [text, ...[secret, text].flatMap(base64Forms)].map(canonical);
	return forms.filter(({ length }) => length >= MIN_FORM_LENGTH);
}

/**
 * Base64 of a text, on its own and as part of a longer text, where it can start at any of three
 * positions. Only what does not depend on its neighbors.
 */
function base64Forms(secret: string): string[] {
	const alone = Buffer.from(secret).toString('base64').replace(/=+$/, '');
	const parts = [0, 1, 2].map((offset) => {
		const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
		const shared = Math.ceil((offset * 8) / 6);
		return bytes.toString('base64').slice(shared, Math.floor((bytes.length * 8) / 6));
	});
	return [alone, ...parts];
}

/** Deeply nested JSON as text. */
function jsonText(value: object): string {
	try {
		return JSON.stringify(value);
	} catch {
		// Too deep even for that.
		return MASK;
	}
}

/** What follows `Basic` in an Authorization header. */
function basicAuth(user: unknown, password: unknown): string | undefined {
	if (typeof password !== 'string' || password === '') return undefined;
	const name = typeof user === 'string' ? user : '';
	return Buffer.from(`${name}:${password}`).toString('base64');
}

function trimmed(value: unknown): unknown {
	return typeof value === 'string' ? value.trim() : value;
}
