/** Shorter values would cut up words that have nothing to do with them. */
const MIN_LENGTH = 4;

/**
 * A reply without the secrets a server may repeat in it ("Unknown API key ..."), so that its words
 * can be shown.
 */
export function withoutSecrets(reply: unknown, secrets: readonly unknown[]): unknown {
	if (typeof reply === 'string') {
		return secrets.reduce<string>(
			(text, secret) =>
				typeof secret === 'string' && secret.length >= MIN_LENGTH
					? text.replaceAll(secret, '***')
					: text,
			reply,
		);
	}
	if (Array.isArray(reply)) return reply.map((part) => withoutSecrets(part, secrets));
	if (typeof reply !== 'object' || reply === null) return reply;
	return Object.fromEntries(
		Object.entries(reply).map(([key, part]) => [key, withoutSecrets(part, secrets)]),
	);
}
