export const GATEWAY_INCIDENTS = [
	'accessDenied',
	'tokenExpired',
	'tokenInvalid',
	'rateLimited',
	'noUpstream',
	'connectError',
	'timeout',
] as const;

interface GatewayResponse {
	status: number;
	body: string;
}

/**
 * The gateway's responses. The vendor's clients saw `RBAC: access denied`, which is an Envoy message. The other
 * bodies are Envoy messages as well.
 */
export const GATEWAY: Readonly<Record<(typeof GATEWAY_INCIDENTS)[number], GatewayResponse>> = {
	accessDenied: { status: 403, body: 'RBAC: access denied' },
	tokenExpired: { status: 401, body: 'Jwt is expired' },
	tokenInvalid: { status: 401, body: 'Jwt verification fails' },
	rateLimited: { status: 429, body: 'local_rate_limited' },
	noUpstream: { status: 503, body: 'no healthy upstream' },
	connectError: {
		status: 503,
		body: 'upstream connect error or disconnect/reset before headers',
	},
	timeout: { status: 504, body: 'upstream request timeout' },
};

/** Returns the gateway's body for a status, or undefined if only the service uses that status. */
export const gatewayBody = (status: number): string | undefined =>
	Object.values(GATEWAY).find((response) => response.status === status)?.body;
