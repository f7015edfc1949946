import { canonical, canonicalWithOrigins, isAscii } from './canonical';
import { parseTokenMap } from './token';

/** Shorter values occur in words that have nothing to do with them. */
const MIN_LENGTH = 4;

/** Shorter values must stand in one piece: without spaces they occur across words. */
const MIN_SPACED_LENGTH = 12;

/** Shorter parts of base64 occur in texts that have nothing to do with them. */
const MIN_BASE64_LENGTH = 8;

/** Deeper values are returned as JSON text, so that no response overflows the stack. */
const MAX_DEPTH = 100;

const MASK = '***';

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
 * Removes from responses the secrets that a server may repeat ("Unknown API key ..."), in whatever
 * form: trimmed, percent-encoded, in JSON or base64, in another letter case, without control characters.
 * Secrets shorter than 4 characters are not replaced.
 */
export class Masker {
	private readonly secrets = new Set<string>();
	/** To be found as they are, the longest first. */
	private exact: readonly string[] = [];
	/** To be found in the canonical form. */
	private needles: readonly Needle[] = [];
	/** Secrets of digits may come back as numbers. */
	private readonly numbers = new Set<number>();
	/** No shorter text can hold a secret. */
	private minLength = Infinity;

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
		this.exact = [...this.exact, ...exactForms(secret)].sort(longestFirst);
		this.needles = [...this.needles, ...needlesOf(secret)];
		const lengths = [...this.exact, ...this.needles.map(({ form }) => form)].map(
			({ length }) => length,
		);
		this.minLength = Math.min(...lengths);
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
		// A letter beyond ASCII may stand for up to three of its canonical form.
		if (text.length * 3 < this.minLength) return text;
		if (text.length < this.minLength && isAscii(text)) return text;
		const rest = this.exact.reduce((masking, exact) => masking.replaceAll(exact, MASK), text);
		const form = canonical(rest);
		const found = this.needles.filter(({ form: needle }) => form.includes(needle));
		return found.length === 0 ? rest : maskAll(rest, found);
	}
}

/** What to look for in the canonical form of a text. */
interface Needle {
	form: string;
	/** It must not be spread over several words. */
	isOneWord: boolean;
}

function needlesOf(secret: string): Needle[] {
	const text = secret.trim();
	if (text.length < MIN_LENGTH) return [];
	const forms = [text, ...new Set([secret, text].flatMap(base64Forms))]
		.map(canonical)
		.filter(({ length }) => length >= MIN_LENGTH);
	return [...new Set(forms)].map((form) => ({
		form,
		isOneWord: form.length < MIN_SPACED_LENGTH && !/\s/.test(text),
	}));
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
	return [alone, ...parts.filter((part) => canonical(part).length >= MIN_BASE64_LENGTH)];
}

/** A secret as it is stored and as it is sent, and encoded if its canonical form is too short. */
function exactForms(secret: string): string[] {
	const text = secret.trim();
	const forms = [secret, text];
	if (canonical(text).length < MIN_LENGTH) {
		forms.push(encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')));
	}
	return forms.filter(({ length }) => length >= MIN_LENGTH);
}

function maskAll(text: string, needles: readonly Needle[]): string {
	const { form, starts, ends } = canonicalWithOrigins(text);
	const found: Array<[start: number, end: number]> = [];
	for (const { form: needle, isOneWord } of needles) {
		for (let at = form.indexOf(needle); at >= 0; at = form.indexOf(needle, at + 1)) {
			const [start, end] = [starts[at] ?? 0, ends[at + needle.length - 1] ?? 0];
			if (!isOneWord || !/\s/.test(text.slice(start, end))) found.push([start, end]);
		}
	}
	found.sort(([one], [other]) => one - other);
	let masked = '';
	let rest = 0;
	for (const [start, end] of found) {
		// One that overlaps the one before is part of the same mask.
		if (start >= rest) masked += text.slice(rest, start) + MASK;
		rest = Math.max(rest, end);
	}
	return masked + text.slice(rest);
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

const longestFirst = (one: string, other: string) => other.length - one.length;

/** What follows `Basic` in an Authorization header. */
function basicAuth(user: unknown, password: unknown): string | undefined {
	if (typeof password !== 'string' || password === '') return undefined;
	const name = typeof user === 'string' ? user : '';
	return Buffer.from(`${name}:${password}`).toString('base64');
}

function trimmed(value: unknown): unknown {
	return typeof value === 'string' ? value.trim() : value;
}
