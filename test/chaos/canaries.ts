/** Secrets that must never show up anywhere, and the forms in which a service may repeat them. */

/** Ways to write a secret. `header` is the header it was sent in, as it was. */
export const FORMS = [
	'raw',
	'percent',
	'percentLower',
	'base64',
	'base64Unpadded',
	'base64Url',
	'json',
	'upper',
	'lower',
	'stripped',
	'header',
] as const;

export type Form = (typeof FORMS)[number];

/** What a user typed into the credentials of a world. Each differs in every one of its forms. */
export const CANARIES = {
	clientSecret: 'cS-Can4ry/ü+%"\\end=9Zq',
	apiKey: 'aK-Can4ry/Q+%"\\zz=7Wx~',
	user: 'chaos-user',
	password: 'pW-Can4ry/é+%"\\a\tb=5Vu',
} as const;

export type Secrets = Record<keyof typeof CANARIES, string>;

/** Secrets that JSON may have as numbers. */
const NUMERIC: Partial<Secrets> = { apiKey: '4711081599238847', password: '8020391157264413' };

export const secretsOf = (hasNumbers: boolean): Secrets => ({
	...CANARIES,
	...(hasNumbers && NUMERIC),
});

/** Tokens are 500 to 1000 characters long; a part of one is as bad as all of it. */
const TOKEN_LENGTH = 520;
const REVEALING_LENGTH = 48;

/** An access token that has the characters encodings differ in. */
export function accessToken(prefix: string, count: number): string {
	const head = `tK-Can4ry.${prefix}.${count}.`;
	return `${head}${'Ab3+/_~-x.'.repeat(60)}`.slice(0, TOKEN_LENGTH) + '==';
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const percent = (text: string): string => encodeURIComponent(text);
const jsonEscaped = (text: string): string => JSON.stringify(text).slice(1, -1);
// eslint-disable-next-line no-control-regex -- control characters are the point
const withoutControls = (text: string): string => text.replace(/[\u0000-\u001f\u007f]/g, '');

/** A secret as a service may repeat it. */
export function inForm(secret: string, form: Form, header: string): string {
	switch (form) {
		case 'raw':
			return secret;
		case 'percent':
			return percent(secret);
		case 'percentLower':
			return percent(secret).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
		case 'base64':
			return base64(secret);
		case 'base64Unpadded':
			return base64(secret).replace(/=+$/, '');
		case 'base64Url':
			return Buffer.from(secret).toString('base64url');
		case 'json':
			return jsonEscaped(secret);
		case 'upper':
			return secret.toUpperCase();
		case 'lower':
			return secret.toLowerCase();
		case 'stripped':
			return withoutControls(secret);
		case 'header':
			return header;
	}
}

/** Texts that give the secret away: as they are, or whatever their letter case. */
function revealing(secret: string): { exact: string[]; anyCase: string[] } {
	const encoded = base64(secret).replace(/=+$/, '');
	return {
		exact: [encoded, encoded.replaceAll('+', '-').replaceAll('/', '_')],
		anyCase: [secret, percent(secret), jsonEscaped(secret), withoutControls(secret)].map(
			(text) => text.toLowerCase(),
		),
	};
}

/** Finds secrets in texts. */
export class SecretScanner {
	private readonly secrets: Array<{ name: string; exact: string[]; anyCase: string[] }> = [];

	add(name: string, secret: string): void {
		const whole = revealing(secret);
		// The last characters of base64 depend on what follows the secret, and the first on what precedes it.
		const exact = whole.exact.map((text) => text.slice(0, REVEALING_LENGTH));
		const anyCase = whole.anyCase.map((text) => text.slice(0, REVEALING_LENGTH));
		this.secrets.push({
			name,
			exact: [...new Set(exact)],
			anyCase: [...new Set(anyCase)],
		});
	}

	/** @returns the names of the secrets the text reveals */
	find(text: string): string[] {
		if (text.length < 8) return [];
		const lower = text.toLowerCase();
		return this.secrets
			.filter(
				({ exact, anyCase }) =>
					anyCase.some((part) => lower.includes(part)) ||
					exact.some((part) => text.includes(part)),
			)
			.map(({ name }) => name);
	}
}

/** Deeper than this nothing is read: what an error drags along may have no end. */
const MAX_DEPTH = 12;

/** Every text and number within a value, keys and hidden properties included. */
export function* textsIn(value: unknown, seen = new Set<unknown>(), depth = 0): Generator<string> {
	if (typeof value === 'string') yield value;
	if (typeof value === 'number') yield String(value);
	if (typeof value !== 'object' || value === null || seen.has(value) || depth > MAX_DEPTH) return;
	seen.add(value);
	if (ArrayBuffer.isView(value)) {
		yield Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
		return;
	}
	if (value instanceof Map || value instanceof Set) {
		for (const entry of value) yield* textsIn(entry, seen, depth + 1);
	}
	for (const key of Object.getOwnPropertyNames(value)) {
		if (!Array.isArray(value)) yield key;
		let member: unknown;
		try {
			member = (value as Record<string, unknown>)[key];
		} catch {
			continue; // A getter that throws reveals nothing.
		}
		yield* textsIn(member, seen, depth + 1);
	}
}
