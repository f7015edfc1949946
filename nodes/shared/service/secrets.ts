import { parseTokenMap } from './token';

/** Shorter values would cut up words that have nothing to do with them. */
const MIN_LENGTH = 4;

const MASK = '***';

/**
 * Whatever of a credential's data no person may read: access tokens, secrets, keys, passwords, and
 * what HTTP Basic makes of them.
 *
 * @param fields a credential's decrypted data, of any of the three types
 */
export function secretsOf(fields: Record<string, unknown>): string[] {
	const { accessTokens, heldTokens, clientId, clientSecret, apiKey, user, password } = fields;
	// Our nodes blank `accessTokens` to have it renewed, and hold its content beside it.
	const tokens = [accessTokens, heldTokens].flatMap((map) => Object.values(parseTokenMap(map)));
	const secrets = [
		...tokens.map(({ accessToken }) => accessToken),
		clientSecret,
		apiKey,
		password,
		// Client ID and secret are sent trimmed, user and password as they are.
		basicAuth(trimmed(clientId), trimmed(clientSecret)),
		basicAuth(user, password),
	];
	return secrets.filter((secret) => typeof secret === 'string' && secret !== '') as string[];
}

/**
 * A reply without the secrets a server may repeat in it ("Unknown API key ..."), so that it can be
 * shown. A secret with blanks around it is taken out without them too, since it is sent so.
 */
export function withoutSecrets(reply: unknown, secrets: readonly unknown[]): unknown {
	const texts = secrets
		.filter((secret) => typeof secret === 'string')
		.flatMap((secret) => [secret, secret.trim()])
		.filter(({ length }) => length >= MIN_LENGTH)
		// A secret may begin with another one: the rest of it is not to remain.
		.sort((one, other) => other.length - one.length);
	return masked(reply, texts);
}

function masked(reply: unknown, texts: readonly string[]): unknown {
	if (typeof reply === 'string') {
		return texts.reduce((masking, text) => masking.replaceAll(text, MASK), reply);
	}
	if (Array.isArray(reply)) return reply.map((part) => masked(part, texts));
	if (typeof reply !== 'object' || reply === null) return reply;
	return Object.fromEntries(
		Object.entries(reply).map(([key, part]) => [masked(key, texts), masked(part, texts)]),
	);
}

/** What stands in an Authorization header after `Basic`. */
function basicAuth(user: unknown, password: unknown): string | undefined {
	if (typeof password !== 'string' || password === '') return undefined;
	const name = typeof user === 'string' ? user : '';
	return Buffer.from(`${name}:${password}`).toString('base64');
}

function trimmed(value: unknown): unknown {
	return typeof value === 'string' ? value.trim() : value;
}
