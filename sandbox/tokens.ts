import { randomBytes } from 'node:crypto';

import { failure } from './http';
import type { SandboxSettings } from './settings';
import type { SandboxClient } from './types';

export const SCOPES = [
	'machinelearning.predict',
	'machinelearning.model',
	'merchandising.rules',
	'merchandising.rewrites',
	'commercestudio.rules',
	'commercestudio.rewrites',
] as const;

/** Number of random bytes in a token. They are encoded as 760 characters. The interface allows 500 to 1000. */
const TOKEN_BYTES = 570;

export const LIFETIME_SECONDS = 3600;

interface IssuedToken {
	clientId: string;
	scope: string;
	/** Milliseconds since the epoch. */
	expiresAt: number;
}

/** Issues and checks access tokens, which exist only in memory. */
export class Tokens {
	private readonly live = new Map<string, IssuedToken>();

	private readonly latest = new Map<string, string>();

	readonly issued: Record<string, number> = {};

	constructor(private readonly settings: SandboxSettings) {}

	/** Issues a token. Depending on the settings, this revokes the previous token for the same client and scope. */
	issue(client: SandboxClient, scope: string): string {
		const token = randomBytes(TOKEN_BYTES).toString('base64url');
		const owner = `${client.id}\n${scope}`;
		const previous = this.latest.get(owner);
		if (this.settings.revokePreviousTokens && previous !== undefined)
			this.live.delete(previous);
		this.latest.set(owner, token);
		this.live.set(token, {
			clientId: client.id,
			scope,
			expiresAt: Date.now() + LIFETIME_SECONDS * 1000,
		});
		this.issued[scope] = (this.issued[scope] ?? 0) + 1;
		return token;
	}

	/**
	 * Checks the Authorization header on a protected route.
	 * @throws HttpError 401 if the token is missing, unknown, expired or revoked, or HttpError 403 if its scope does
	 * not include the route's scope
	 */
	check(authorization: string | undefined, scope: string): void {
		const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
		if (token === undefined) throw unauthorized('An access token is required');
		const entry = this.live.get(token);
		if (!entry) throw unauthorized('The access token is unknown or was replaced');
		if (entry.expiresAt <= Date.now()) {
			this.live.delete(token);
			throw unauthorized('The access token has expired');
		}
		if (!entry.scope.split(' ').includes(scope)) {
			throw failure(403, `This operation needs the scope ${scope}, not ${entry.scope}`);
		}
	}

	count(scope?: string): number {
		if (scope !== undefined) return this.issued[scope] ?? 0;
		return Object.values(this.issued).reduce((sum, count) => sum + count, 0);
	}

	clear(): void {
		this.live.clear();
		this.latest.clear();
		for (const scope of Object.keys(this.issued)) delete this.issued[scope];
	}
}

function unauthorized(message: string) {
	return failure(401, message, { 'www-authenticate': 'Bearer error="invalid_token"' });
}
